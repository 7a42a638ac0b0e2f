// A test bench for washing machines: vibrations of 65536 drums that spin, freed of drift and of rattling by a
// cascade of recursive filters, and judged by how much they shake at the speed of the drum. Ten spins a
// round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kDrums = 65536, kSamples = 1024, kQuads = kSamples / 4, kThreads = 128, kWarps = kThreads / 32;
constexpr int kLanes = 32, kChunks = kSamples / kLanes, kSpinsOfRound = 10, kRounds = 400;
constexpr unsigned kMask = 0xffffffffU;

struct Drum {
  float load;   // how far the laundry lies from the axis
  float speed;  // radians a sample
  float shakes, peak;
};

struct Section {
  float b0, b1, b2, a1, a2;
};

struct Cascade {
  Section high, low;
};

struct Bench {
  float *seen, *filtered;
  Drum* drums;
  Cascade cascade;
  cudaStream_t stream;
  unsigned spin = 0;
};

__device__ float seen_at(const Drum& drum, unsigned drum_number, int sample, unsigned spin) {
  const float time = static_cast<float>(sample);
  const float turn = drum.speed * time * (1 + 2e-5F * time);
  const unsigned place = (drum_number * kSamples + static_cast<unsigned>(sample)) ^ spin * 2654435761U;
  const float rattle = mixed_fraction(place) - 0.5F;
  return drum.load * __sinf(turn) + 0.2F * drum.load * __sinf(2 * turn + 0.4F) + 0.3F * rattle +
         0.05F * (1 + 1e-3F * time);
}

// A block has one drum at a time, and a thread four samples.
__global__ void __launch_bounds__(kQuads)
    spin_drums(float4* __restrict__ seen, const Drum* __restrict__ drums, unsigned spin) {
  const unsigned number = blockIdx.x;
  const Drum drum = drums[number];
  const auto sample = static_cast<int>(4 * threadIdx.x);
  seen[static_cast<std::size_t>(number) * kQuads + threadIdx.x] =
      make_float4(seen_at(drum, number, sample, spin), seen_at(drum, number, sample + 1, spin),
                  seen_at(drum, number, sample + 2, spin), seen_at(drum, number, sample + 3, spin));
}

// A biquad, transposed direct form II.
struct Running {
  float one = 0, two = 0;

  __device__ float next(const Section& section, float in) {
    const float out = section.b0 * in + one;
    one = section.b1 * in - section.a1 * out + two;
    two = section.b2 * in - section.a2 * out;
    return out;
  }
};

// A warp has 32 drums, whose samples come by tiles of 32; each lane goes through those of its own drum. The
// next tile is on its way meanwhile.
template <int kPitch>
__global__ void __launch_bounds__(kThreads)
    filter_records(float* __restrict__ filtered, const float* __restrict__ seen, Cascade cascade) {
  __shared__ float tiles[kWarps][kLanes * kPitch];  // fault
  const auto lane = static_cast<int>(threadIdx.x) % kLanes, warp = static_cast<int>(threadIdx.x) / kLanes;
  float* tile = tiles[warp];
  const std::size_t first = (static_cast<std::size_t>(blockIdx.x) * kWarps + warp) * kLanes * kSamples;
  const float* from = seen + first + lane;
  float* to = filtered + first + lane;
  float coming[kLanes];
#pragma unroll
  for (int row = 0; row < kLanes; ++row) coming[row] = from[row * kSamples];
  Running high, low;
  for (int chunk = 0; chunk < kChunks; ++chunk) {
#pragma unroll
    for (int row = 0; row < kLanes; ++row) tile[row * kPitch + lane] = coming[row];
    __syncwarp();
    if (chunk + 1 < kChunks) {
#pragma unroll
      for (int row = 0; row < kLanes; ++row) coming[row] = from[row * kSamples + (chunk + 1) * kLanes];
    }
    float* own = tile + lane * kPitch;
#pragma unroll 8
    for (int sample = 0; sample < kLanes; ++sample) {
      const float in = own[sample];                                      // fault
      own[sample] = low.next(cascade.low, high.next(cascade.high, in));  // fault
    }
    __syncwarp();
#pragma unroll
    for (int row = 0; row < kLanes; ++row) to[row * kSamples + chunk * kLanes] = tile[row * kPitch + lane];
    __syncwarp();
  }
}

struct Found {
  float along = 0, across = 0, square = 0, peak = 0;

  __device__ void add(float value, float turn) {
    float sine = 0, cosine = 0;
    __sincosf(turn, &sine, &cosine);
    along += value * sine;
    across += value * cosine;
    square += value * value;
    peak = fmaxf(peak, fabsf(value));
  }

  __device__ void of_warp() {
    for (int far = kLanes / 2; far > 0; far /= 2) {
      along += __shfl_xor_sync(kMask, along, far);
      across += __shfl_xor_sync(kMask, across, far);
      square += __shfl_xor_sync(kMask, square, far);
      peak = fmaxf(peak, __shfl_xor_sync(kMask, peak, far));
    }
  }
};

__device__ float turn_at(float speed, int sample) {
  const auto time = static_cast<float>(sample);
  return speed * time * (1 + 2e-5F * time);
}

// A warp judges a drum. One that shakes gets slower, and its laundry is tossed.
__global__ void __launch_bounds__(kThreads)
    judge(Drum* __restrict__ drums, const float4* __restrict__ filtered, unsigned spin) {
  const auto lane = static_cast<int>(threadIdx.x) % kLanes;
  const unsigned number = blockIdx.x * kWarps + threadIdx.x / kLanes;
  const float4* own = filtered + static_cast<std::size_t>(number) * kQuads;
  Drum drum = drums[number];
  Found found;
#pragma unroll
  for (int part = 0; part < kQuads / kLanes; ++part) {
    const int quad = part * kLanes + lane;
    const float4 four = own[quad];
    found.add(four.x, turn_at(drum.speed, 4 * quad));
    found.add(four.y, turn_at(drum.speed, 4 * quad + 1));
    found.add(four.z, turn_at(drum.speed, 4 * quad + 2));
    found.add(four.w, turn_at(drum.speed, 4 * quad + 3));
  }
  found.of_warp();
  if (lane != 0) return;
  const float shakes = sqrtf(found.along * found.along + found.across * found.across) * (2.0F / kSamples);
  const float tossed = mixed_fraction(number * 31 + spin * 7919);
  drum.shakes = 0.95F * drum.shakes + 0.05F * shakes + 0.01F * sqrtf(found.square / kSamples);
  drum.peak = fmaxf(0.99F * drum.peak, found.peak);
  drum.load = 0.9F * drum.load + 0.1F * (0.2F + tossed) - 0.02F * fminf(shakes, 1);
  drum.speed = 0.98F * drum.speed + 0.02F * (shakes > 0.6F ? 0.2F : 0.4F);
  drums[number] = drum;
}

__global__ void __launch_bounds__(kThreads) load_drums(Drum* drums) {
  const unsigned number = blockIdx.x * kThreads + threadIdx.x;
  drums[number] = {0.2F + mixed_fraction(number), 0.25F + 0.15F * mixed_fraction(number + 70001), 0, 0};
}

// Butterworth sections (bilinear transform); `edge` is a part of the rate of samples.
Section section_at(double edge, bool high) {
  const double bent = std::tan(3.14159265358979 * edge), square = bent * bent;
  const double all = 1 + std::sqrt(2.0) * bent + square;
  const double front = (high ? 1 : square) / all, middle = high ? -2 * front : 2 * front;
  return {static_cast<float>(front), static_cast<float>(middle), static_cast<float>(front),
          static_cast<float>(2 * (square - 1) / all),
          static_cast<float>((1 - std::sqrt(2.0) * bent + square) / all)};
}

template <int kPitch>
void next_spin(Bench& bench) {
  const unsigned spin = bench.spin++;
  spin_drums<<<kDrums, kQuads, 0, bench.stream>>>(reinterpret_cast<float4*>(bench.seen), bench.drums, spin);
  filter_records<kPitch><<<kDrums / kThreads, kThreads, 0, bench.stream>>>(  // fault
      bench.filtered, bench.seen, bench.cascade);                            // fault
  judge<<<kDrums / kWarps, kThreads, 0, bench.stream>>>(
      bench.drums, reinterpret_cast<const float4*>(bench.filtered), spin);
}

template <int kPitch>
Case make() {
  const auto bench = std::make_shared<Bench>();
  const std::size_t samples = static_cast<std::size_t>(kDrums) * kSamples;
  bench->seen = device_array<float>(samples);
  bench->filtered = device_array<float>(samples);
  bench->drums = device_array<Drum>(kDrums);
  bench->cascade = {section_at(0.01, true), section_at(0.15, false)};
  load_drums<<<kDrums / kThreads, kThreads>>>(bench->drums);
  CHECK(cudaStreamCreateWithFlags(&bench->stream, cudaStreamNonBlocking));
  const auto round = [=] {
    for (int i = 0; i < kSpinsOfRound; ++i) next_spin<kPitch>(*bench);
  };
  const auto sum = [=] {
    return device_sum(reinterpret_cast<const float*>(bench->drums), kDrums * sizeof(Drum) / sizeof(float));
  };
  return {round, sum, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, make<kLanes>, make<kLanes + 1>);
}
