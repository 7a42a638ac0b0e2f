// Turns a video into an animated picture with 256 colours: the palette follows each frame by k-means, the
// frame is dithered and drawn by numbers of colours, pixels that stay as they are become transparent, and the
// runs of a row tell how well it will be packed. Eight frames a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kWide = 1920, kHigh = 1080, kPixels = kWide * kHigh, kQuads = kPixels / 4;
constexpr int kColours = 256, kThreads = 256, kBlocks = 132 * 4, kReel = 10, kFrames = 8, kPasses = 2;
constexpr int kCopies = 8, kRounds = 280, kClear = kColours - 1, kUsed = kColours - 1;
constexpr int kRowQuads = kWide / 4;
constexpr float kFollow = 0.6F;

// What a colour's pixels add up to: red, green, blue, and how many there are.
struct Sums {
  unsigned red, green, blue, count;
};

struct Movie {
  uint4* reel[kReel];  // four pixels each
  float4* palette;     // with half of the square in w
  Sums* sums;
  uchar4* screen;  // colours that are seen now
  uchar4* drawn;   // what the file gets
  unsigned* runs;  // of the rows
  int frame = 0;
};

// All blocks add to the same sums.
struct FrameTally {
  struct Place {};
  Sums* sums;
  __device__ FrameTally(Place&, Sums* all) : sums(all) {}
  __device__ void add(int colour, unsigned red, unsigned green, unsigned blue) {
    atomicAdd(&sums[colour].red, red);      // fault
    atomicAdd(&sums[colour].green, green);  // fault
    atomicAdd(&sums[colour].blue, blue);    // fault
    atomicAdd(&sums[colour].count, 1U);     // fault
  }
  __device__ void finish() {}
};

// A block has eight copies of the sums, so that neighbours of the same colour seldom meet.
struct BlockTally {
  struct Place {
    unsigned values[4][kColours][kCopies];
  };
  Place& own;
  Sums* sums;
  __device__ BlockTally(Place& place, Sums* all) : own(place), sums(all) {
    auto* value = &own.values[0][0][0];
    for (int i = static_cast<int>(threadIdx.x); i < 4 * kColours * kCopies; i += kThreads) value[i] = 0;
    __syncthreads();
  }
  __device__ void add(int colour, unsigned red, unsigned green, unsigned blue) {
    const unsigned copy = threadIdx.x % kCopies;
    atomicAdd(&own.values[0][colour][copy], red);
    atomicAdd(&own.values[1][colour][copy], green);
    atomicAdd(&own.values[2][colour][copy], blue);
    atomicAdd(&own.values[3][colour][copy], 1U);
  }
  __device__ unsigned total(int value, int colour) const {
    const auto* four = reinterpret_cast<const uint4*>(own.values[value][colour]);
    const uint4 one = four[0], other = four[1];
    return one.x + one.y + one.z + one.w + other.x + other.y + other.z + other.w;
  }
  __device__ void finish() {
    __syncthreads();
    const auto colour = static_cast<int>(threadIdx.x);
    const unsigned count = total(3, colour);
    if (count == 0) return;
    atomicAdd(&sums[colour].red, total(0, colour));
    atomicAdd(&sums[colour].green, total(1, colour));
    atomicAdd(&sums[colour].blue, total(2, colour));
    atomicAdd(&sums[colour].count, count);
  }
};

// Red, green and blue of a pixel after exposure, 0 to 255.
__device__ float3 light_of(unsigned pixel, float gain) {
  return make_float3(fminf(rintf(gain * static_cast<float>(pixel & 255)), 255),
                     fminf(rintf(gain * static_cast<float>(pixel >> 8 & 255)), 255),
                     fminf(rintf(gain * static_cast<float>(pixel >> 16 & 255)), 255));
}

// The next colours of four pixels together, as all of them read the same palette.
__device__ int4 nearest(const float4* palette, const float3 (&light)[4]) {
  float best[4] = {1e30F, 1e30F, 1e30F, 1e30F};
  int colour[4] = {};
#pragma unroll 4
  for (int i = 0; i < kUsed; ++i) {
    const float4 one = palette[i];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const float apart = one.w - light[k].x * one.x - light[k].y * one.y - light[k].z * one.z;
      colour[k] = apart < best[k] ? i : colour[k];
      best[k] = fminf(best[k], apart);
    }
  }
  return make_int4(colour[0], colour[1], colour[2], colour[3]);
}

template <class Tally>
__global__ void __launch_bounds__(kThreads, 4)
    sort_pixels(Sums* sums, const uint4* __restrict__ frame, const float4* __restrict__ palette, float gain) {
  __shared__ typename Tally::Place place;
  __shared__ float4 colours[kColours];
  colours[threadIdx.x] = palette[threadIdx.x];
  __syncthreads();
  Tally tally(place, sums);
  for (int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x); i < kQuads; i += kBlocks * kThreads) {
    const uint4 four = frame[i];
    const float3 light[4] = {light_of(four.x, gain), light_of(four.y, gain), light_of(four.z, gain),
                             light_of(four.w, gain)};
    const int4 chosen = nearest(colours, light);
    const int colour[4] = {chosen.x, chosen.y, chosen.z, chosen.w};
#pragma unroll
    for (int k = 0; k < 4; ++k)
      tally.add(colour[k], static_cast<unsigned>(light[k].x), static_cast<unsigned>(light[k].y),
                static_cast<unsigned>(light[k].z));
  }
  tally.finish();
}

__device__ float4 with_square(float3 light) {
  return make_float4(light.x, light.y, light.z,
                     0.5F * (light.x * light.x + light.y * light.y + light.z * light.z));
}

// Colours go some way to the mean of their pixels; those without pixels are tried elsewhere. Sums are empty
// for the next pass.
__global__ void __launch_bounds__(kColours)
    move_colours(float4* __restrict__ palette, Sums* __restrict__ sums, unsigned seed) {
  const unsigned i = threadIdx.x;
  const Sums sum = sums[i];
  const float4 old = palette[i];
  sums[i] = {0, 0, 0, 0};
  float3 light;
  if (sum.count > 0) {
    const float share = kFollow / static_cast<float>(sum.count), keep = 1 - kFollow;
    light = make_float3(keep * old.x + share * static_cast<float>(sum.red),
                        keep * old.y + share * static_cast<float>(sum.green),
                        keep * old.z + share * static_cast<float>(sum.blue));
  } else {
    light = make_float3(255 * mixed_fraction(seed + i), 255 * mixed_fraction(seed + i + 5000),
                        255 * mixed_fraction(seed + i + 10000));
  }
  palette[i] = with_square(light);
}

// Four by four pixels share a pattern of noise, so that a flat colour between two of the palette looks right.
__device__ float pattern_at(int x, int y) {
  const int one = (x & 1) * 2 ^ (y & 1) * 3, other = (x >> 1 & 1) * 2 ^ (y >> 1 & 1) * 3;
  return static_cast<float>(one * 4 + other) - 7.5F;
}

__device__ unsigned char drawn_as(int colour, unsigned char before) {
  return static_cast<unsigned char>(colour == before ? kClear : colour);
}

__global__ void __launch_bounds__(kThreads)
    draw_frame(uchar4* __restrict__ drawn, uchar4* __restrict__ screen, const uint4* __restrict__ frame,
               const float4* __restrict__ palette, float gain) {
  __shared__ float4 colours[kColours];
  colours[threadIdx.x] = palette[threadIdx.x];
  __syncthreads();
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int x = i % kRowQuads * 4, y = i / kRowQuads;
  const uint4 four = frame[i];
  const unsigned pixels[4] = {four.x, four.y, four.z, four.w};
  float3 light[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const float noise = pattern_at(x + k, y);
    const float3 plain = light_of(pixels[k], gain);
    light[k] = make_float3(plain.x + noise, plain.y + noise, plain.z + noise);
  }
  const int4 chosen = nearest(colours, light);
  const uchar4 before = screen[i];
  screen[i] = make_uchar4(static_cast<unsigned char>(chosen.x), static_cast<unsigned char>(chosen.y),
                          static_cast<unsigned char>(chosen.z), static_cast<unsigned char>(chosen.w));
  drawn[i] = make_uchar4(drawn_as(chosen.x, before.x), drawn_as(chosen.y, before.y),
                         drawn_as(chosen.z, before.z), drawn_as(chosen.w, before.w));
}

// A block has a row: how often the colour changes in it.
__global__ void __launch_bounds__(kThreads)
    count_runs(unsigned* __restrict__ runs, const uchar4* __restrict__ drawn) {
  __shared__ unsigned sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  const auto* row = drawn + static_cast<int>(blockIdx.x) * kRowQuads;
  unsigned changes = 0;
  for (int i = static_cast<int>(threadIdx.x); i < kRowQuads; i += kThreads) {
    const uchar4 four = row[i];
    const unsigned char next = i + 1 < kRowQuads ? row[i + 1].x : four.w;
    changes += (four.x != four.y) + (four.y != four.z) + (four.z != four.w) + (four.w != next);
  }
  changes = __reduce_add_sync(0xffffffffU, changes);
  if (threadIdx.x % 32 == 0) atomicAdd(&sum, changes);
  __syncthreads();
  if (threadIdx.x == 0) runs[blockIdx.x] = runs[blockIdx.x] / 2 + sum;
}

__device__ unsigned byte_of(float light) {
  return static_cast<unsigned>(fminf(fmaxf(light, 0), 255));
}

// A sky over hills, a wall in shade, and things that go by.
__global__ void __launch_bounds__(kThreads) film_frame(unsigned* frame, int number) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const auto x = static_cast<float>(i % kWide), y = static_cast<float>(i / kWide);
  const auto time = static_cast<float>(number);
  const float noise = 6 * mixed_fraction(static_cast<unsigned>(i + number * kPixels));
  const float hills = 600 + 150 * __sinf(0.003F * x) + 40 * __sinf(0.017F * x + 0.1F * time);
  float3 light = make_float3(90 + 0.06F * y, 150 + 0.05F * y, 230 - 0.04F * y);
  if (y > hills) light = make_float3(60 + 0.05F * (y - hills), 120 - 0.08F * (y - hills), 40);
  if (x > 1300 && y > 300) light = make_float3(38, 34, 36);
  const float away = hypotf(x - 200 - 90 * time, y - 500 - 60 * __sinf(time));
  if (away < 120) light = make_float3(250 - away, 60 + away, 30 + 80 * __sinf(0.2F * away));
  frame[i] = byte_of(light.x + noise) | byte_of(light.y + noise) << 8 | byte_of(light.z + noise) << 16;
}

template <class Tally>
void draw(Movie& movie) {
  const int number = movie.frame++;
  const uint4* frame = movie.reel[number % kReel];
  const float gain = 1 + 0.2F * std::sin(0.11F * static_cast<float>(number));
  for (int pass = 0; pass < kPasses; ++pass) {
    sort_pixels<Tally><<<kBlocks, kThreads>>>(movie.sums, frame, movie.palette, gain);
    move_colours<<<1, kColours>>>(movie.palette, movie.sums,
                                  static_cast<unsigned>(number * kPasses + pass) * 20011U);
  }
  draw_frame<<<kQuads / kThreads, kThreads>>>(movie.drawn, movie.screen, frame, movie.palette, gain);
  count_runs<<<kHigh, kThreads>>>(movie.runs, movie.drawn);
}

double packed(const Movie& movie) {
  return device_sum(movie.runs, kHigh) +
         device_sum(reinterpret_cast<const unsigned char*>(movie.screen), kPixels) * 1e-2 +
         device_sum(reinterpret_cast<const float*>(movie.palette), 4 * kColours) * 1e-2;
}

template <class Tally>
Case make() {
  const auto movie = std::make_shared<Movie>();
  for (int number = 0; number < kReel; ++number) {
    movie->reel[number] = device_array<uint4>(kQuads);
    film_frame<<<kPixels / kThreads, kThreads>>>(reinterpret_cast<unsigned*>(movie->reel[number]), number);
  }
  movie->palette = device_array<float4>(kColours);
  movie->sums = device_array<Sums>(kColours);
  CHECK(cudaMemset(movie->sums, 0, kColours * sizeof(Sums)));
  move_colours<<<1, kColours>>>(movie->palette, movie->sums, 77);
  movie->screen = device_array<uchar4>(kQuads);
  CHECK(cudaMemset(movie->screen, 0, kPixels));
  movie->drawn = device_array<uchar4>(kQuads);
  movie->runs = device_array<unsigned>(kHigh);
  CHECK(cudaMemset(movie->runs, 0, kHigh * sizeof(unsigned)));
  const auto round = [=] {
    for (int i = 0; i < kFrames; ++i) draw<Tally>(*movie);
  };
  return {round, [=] { return packed(*movie); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, make<FrameTally>, make<BlockTally>);
}
