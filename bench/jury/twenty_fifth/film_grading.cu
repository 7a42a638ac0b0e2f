// Grades a film: each frame is steadied and freed of grain with the help of the frame before, goes through
// the colourist's operators, gets the glow of bright places, and leaves as bytes with a waveform for the
// monitor. Eight frames a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kWide = 3840, kHigh = 2160, kPixels = kWide * kHigh, kThreads = 256,
              kBlocks = kPixels / kThreads;
constexpr int kReel = 4, kFrames = 8, kRounds = 700;
constexpr int kShrink = 4, kSmallWide = kWide / kShrink, kSmallHigh = kHigh / kShrink;
constexpr int kSmallPixels = kSmallWide * kSmallHigh, kReach = 8, kBins = 256, kParts = 36;
constexpr float kKeep = 0.4F, kBright = 0.75F;

// What the colourist has set for a frame.
struct Look {
  float exposure, warmth, saturation, contrast, mix, edge;
};

struct Film {
  float4* reel[kReel];
  float4 *steady, *next_steady, *graded;
  float4 *small, *glow;
  uchar4* print;
  unsigned* waveform;
  int frame = 0;
};

__device__ float light_of(float4 pixel) {
  return 0.2126F * pixel.x + 0.7152F * pixel.y + 0.0722F * pixel.z;
}

__device__ float4 mixed(float4 one, float4 other, float share) {
  return make_float4(one.x + share * (other.x - one.x), one.y + share * (other.y - one.y),
                     one.z + share * (other.z - one.z), one.w);
}

struct Exposure {
  static __device__ float4 graded(float4 pixel, const Look& look, int, int) {
    const float gain = look.exposure;
    return make_float4(gain * pixel.x, gain * pixel.y, gain * pixel.z, pixel.w);
  }
};

struct WhiteBalance {
  static __device__ float4 graded(float4 pixel, const Look& look, int, int) {
    return make_float4(pixel.x * (1 + look.warmth), pixel.y, pixel.z * (1 - look.warmth), pixel.w);
  }
};

// Dyes of the film answer to each other's light.
struct Dyes {
  static __device__ float4 graded(float4 pixel, const Look& look, int, int) {
    const float own = 1 - 2 * look.mix, other = look.mix;
    return make_float4(own * pixel.x + other * (pixel.y + pixel.z),
                       own * pixel.y + other * (pixel.x + pixel.z),
                       own * pixel.z + other * (pixel.x + pixel.y), pixel.w);
  }
};

struct Curve {
  static __device__ float answer(float light, float contrast) {
    const float power = __powf(fmaxf(light, 1e-4F), contrast);
    return power / (power + 0.25F);
  }
  static __device__ float4 graded(float4 pixel, const Look& look, int, int) {
    return make_float4(answer(pixel.x, look.contrast), answer(pixel.y, look.contrast),
                       answer(pixel.z, look.contrast), pixel.w);
  }
};

struct Saturation {
  static __device__ float4 graded(float4 pixel, const Look& look, int, int) {
    const float grey = light_of(pixel);
    return mixed(make_float4(grey, grey, grey, pixel.w), pixel, look.saturation);
  }
};

// Corners are darker.
struct Vignette {
  static __device__ float4 graded(float4 pixel, const Look& look, int x, int y) {
    const float across = 2.0F * static_cast<float>(x) / kWide - 1,
                along = 2.0F * static_cast<float>(y) / kHigh - 1;
    const float shade = 1 - look.edge * (across * across + along * along);
    return make_float4(shade * pixel.x, shade * pixel.y, shade * pixel.z, pixel.w);
  }
};

// The frame lies between two rows of the scan, and grain is averaged over frames where nothing moves.
__global__ void __launch_bounds__(kThreads)
    steady_frame(float4* __restrict__ steady, const float4* __restrict__ scan,
                 const float4* __restrict__ before, float weave) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int below = i + kWide < kPixels ? i + kWide : i;
  const float4 here = mixed(scan[i], scan[below], weave), old = before[i];
  const float moved = fabsf(light_of(here) - light_of(old));
  steady[i] = mixed(here, old, kKeep / (1 + 40 * moved * moved));
}

template <class... Operators>
__global__ void __launch_bounds__(kThreads) grade(float4* out, const float4* in, Look look) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  float4 pixel = in[i];  // fault
  ((pixel = Operators::graded(pixel, look, i % kWide, i / kWide)), ...);
  out[i] = pixel;  // fault
}

// What is bright, at a quarter of the size. A thread has a small pixel; neighbours share lines.
__global__ void __launch_bounds__(kThreads)
    find_bright(float4* __restrict__ small, const float4* __restrict__ graded) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int x = i % kSmallWide * kShrink, y = i / kSmallWide * kShrink;
  float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll
  for (int at = 0; at < kShrink * kShrink; ++at) {
    const float4 pixel = graded[(y + at / kShrink) * kWide + x + at % kShrink];
    const float share = fmaxf(light_of(pixel) - kBright, 0) / (kShrink * kShrink);
    sum = make_float4(sum.x + share * pixel.x, sum.y + share * pixel.y, sum.z + share * pixel.z, 0);
  }
  small[i] = sum;
}

// Blurs across or along; kApart is from one pixel to the next one.
template <int kApart, int kCount>
__global__ void __launch_bounds__(kThreads)
    spread_glow(float4* __restrict__ out, const float4* __restrict__ in) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int place = i / kApart % kCount;
  float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll
  for (int far = -kReach; far <= kReach; ++far) {
    const int there = min(max(place + far, 0), kCount - 1);
    const float4 pixel = in[i + (there - place) * kApart];
    const float share =
        static_cast<float>(kReach + 1 - (far < 0 ? -far : far)) / ((kReach + 1) * (kReach + 1));
    sum = make_float4(sum.x + share * pixel.x, sum.y + share * pixel.y, sum.z + share * pixel.z, 0);
  }
  out[i] = sum;
}

__device__ unsigned char byte_of(float light) {
  return static_cast<unsigned char>(255 * __saturatef(light) + 0.5F);
}

// Adds the glow and counts how light the pixels are, first for the block.
__global__ void __launch_bounds__(kThreads)
    print_frame(uchar4* __restrict__ print, unsigned* __restrict__ waveform,
                const float4* __restrict__ graded, const float4* __restrict__ glow) {
  __shared__ unsigned counts[kBins];
  counts[threadIdx.x] = 0;
  __syncthreads();
#pragma unroll 4
  for (int part = 0; part < kParts; ++part) {
    const auto i = static_cast<int>((blockIdx.x * kParts + part) * kThreads + threadIdx.x);
    const float4 pixel = graded[i];
    const float4 halo = __ldg(glow + i / kWide / kShrink * kSmallWide + i % kWide / kShrink);
    const float4 light = make_float4(pixel.x + halo.x, pixel.y + halo.y, pixel.z + halo.z, 1);
    print[i] = make_uchar4(byte_of(light.x), byte_of(light.y), byte_of(light.z), 255);
    atomicAdd(counts + byte_of(light_of(light)), 1U);
  }
  __syncthreads();
  if (counts[threadIdx.x] > 0) atomicAdd(waveform + threadIdx.x, counts[threadIdx.x]);
}

// A scene of hills and lamps with grain.
__global__ void __launch_bounds__(kThreads) scan_frame(float4* frame, unsigned number) {
  const auto i = static_cast<unsigned>(blockIdx.x * kThreads + threadIdx.x);
  const auto x = static_cast<float>(i % kWide), y = static_cast<float>(i / kWide);
  const float hills =
      0.4F + 0.3F * __sinf(0.004F * x + 0.3F * static_cast<float>(number)) * __cosf(0.006F * y);
  const float lamps = fmaxf(__sinf(0.05F * x) * __sinf(0.05F * y) - 0.9F, 0) * 8;
  const auto grain = [&](unsigned seed) { return 0.1F * mixed_fraction(i + (seed + 3 * number) * kPixels); };
  frame[i] =
      make_float4(hills + lamps + grain(0), hills + 0.8F * lamps + grain(1), 0.8F * hills + grain(2), 1);
}

Look look_of(int frame) {
  const auto time = static_cast<float>(frame);
  return {1.1F + 0.3F * std::sin(0.07F * time),
          0.1F * std::sin(0.011F * time),
          1.2F,
          1.6F + 0.2F * std::cos(0.02F * time),
          0.06F,
          0.12F};
}

void grade_by_operators(const Film& film, const Look& look) {
  grade<Exposure><<<kBlocks, kThreads>>>(film.graded, film.steady, look);      // fault
  grade<WhiteBalance><<<kBlocks, kThreads>>>(film.graded, film.graded, look);  // fault
  grade<Dyes><<<kBlocks, kThreads>>>(film.graded, film.graded, look);          // fault
  grade<Curve><<<kBlocks, kThreads>>>(film.graded, film.graded, look);         // fault
  grade<Saturation><<<kBlocks, kThreads>>>(film.graded, film.graded, look);    // fault
  grade<Vignette><<<kBlocks, kThreads>>>(film.graded, film.graded, look);      // fault
}

void grade_by_chain(const Film& film, const Look& look) {
  grade<Exposure, WhiteBalance, Dyes, Curve, Saturation, Vignette>
      <<<kBlocks, kThreads>>>(film.graded, film.steady, look);
}

template <class Grade>
void print_next(Film& film, Grade grade_frame) {
  constexpr unsigned kSmallBlocks = kSmallPixels / kThreads;
  const int frame = film.frame++;
  const Look look = look_of(frame);
  steady_frame<<<kBlocks, kThreads>>>(film.next_steady, film.reel[frame % kReel], film.steady,
                                      0.5F + 0.4F * std::sin(0.9F * static_cast<float>(frame)));
  std::swap(film.steady, film.next_steady);
  grade_frame(film, look);
  find_bright<<<kSmallBlocks, kThreads>>>(film.small, film.graded);
  spread_glow<1, kSmallWide><<<kSmallBlocks, kThreads>>>(film.glow, film.small);
  spread_glow<kSmallWide, kSmallHigh><<<kSmallBlocks, kThreads>>>(film.small, film.glow);
  CHECK(cudaMemsetAsync(film.waveform, 0, kBins * sizeof(unsigned)));
  print_frame<<<kBlocks / kParts, kThreads>>>(film.print, film.waveform, film.graded, film.small);
}

double waveform_and_print(const Film& film) {
  unsigned* counts = pinned_array<unsigned>(kBins);
  CHECK(cudaMemcpy(counts, film.waveform, kBins * sizeof(unsigned), cudaMemcpyDeviceToHost));
  double sum = 0;
  for (int bin = 0; bin < kBins; ++bin) sum += 1e-6 * bin * counts[bin];
  CHECK(cudaFreeHost(counts));
  return sum +
         device_sum(reinterpret_cast<const unsigned char*>(film.print), std::size_t{4} * kPixels) / kPixels;
}

template <class Grade>
Case make(Grade grade_frame) {
  const auto film = std::make_shared<Film>();
  for (unsigned i = 0; i < kReel; ++i) {
    film->reel[i] = device_array<float4>(kPixels);
    scan_frame<<<kBlocks, kThreads>>>(film->reel[i], i);
  }
  for (float4** image : {&film->steady, &film->next_steady, &film->graded})
    *image = device_array<float4>(kPixels);
  scan_frame<<<kBlocks, kThreads>>>(film->steady, kReel);
  for (float4** image : {&film->small, &film->glow}) *image = device_array<float4>(kSmallPixels);
  film->print = device_array<uchar4>(kPixels);
  film->waveform = device_array<unsigned>(kBins);
  const auto round = [=] {
    for (int i = 0; i < kFrames; ++i) print_next(*film, grade_frame);
  };
  return {round, [=] { return waveform_and_print(*film); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(grade_by_operators); }, [] { return make(grade_by_chain); });
}
