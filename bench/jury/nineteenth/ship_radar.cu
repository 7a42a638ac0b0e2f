// A radar on a ship that looks into eight beams: compresses the echoes of 64 pulses by Barker's code, finds
// by Fourier transforms how fast what is in each of 16,384 ranges moves, and counts what stands out of the
// sea. A dwell, which is 64 pulses in each beam, a round. At fault: rows of the tile in shared memory begin a
// multiple of 512 bytes apart, and lanes have a row each, so all lanes of a warp meet in the same banks in
// every pass of the transform; one more element a row parts them. The pattern is that of ExtremeFLOW/neko,
// pull request 550: padded arrays in shared memory where a size of eight made lanes meet, and of
// deepspeedai/DeepSpeed, pull request 8055: padding that was declared and not used.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kBeams = 8, kPulses = 64, kRanges = 16384, kThreads = 256, kWarps = kThreads / 32;
constexpr int kPairs = kRanges / 2, kRows = kBeams * kPulses, kCells = kBeams * kRanges, kCode = 13;
constexpr int kButterflies = kPulses / 4, kRounds = 22000;
constexpr std::size_t kEchoes = std::size_t{kRows} * kRanges;
constexpr unsigned kMask = 0xffffffffU;

// How the tile of a block lies in shared memory: a row of pulses for each of 32 ranges.
struct Tile {
  int pitch;

  std::size_t bytes() const { return 32 * static_cast<std::size_t>(pitch) * sizeof(float2); }
};

// What a dwell finds in each cell of a beam and a range.
struct Findings {
  int *counts, *fastest;
};

__device__ float2 times(float2 one, float2 other) {
  return make_float2(one.x * other.x - one.y * other.y, one.x * other.y + one.y * other.x);
}

__device__ float2 plus(float2 one, float2 other) {
  return make_float2(one.x + other.x, one.y + other.y);
}

__device__ float2 minus(float2 one, float2 other) {
  return make_float2(one.x - other.x, one.y - other.y);
}

__device__ constexpr bool negative_chip(int chip) {
  return chip == 5 || chip == 6 || chip == 9 || chip == 11;
}

// Two ranges a thread, a pulse a row of blocks. The oscillator drifts between pulses.
__global__ void __launch_bounds__(kThreads)
    compress_pulses(float4* __restrict__ compressed, const float4* __restrict__ echoes, unsigned dwell) {
  const auto pair = static_cast<int>(blockIdx.x * kThreads + threadIdx.x), row = static_cast<int>(blockIdx.y);
  const float4* own = echoes + std::size_t{blockIdx.y} * kPairs;
  float2 first = make_float2(0, 0), second = first;
#pragma unroll
  for (int ahead = 0; ahead <= kCode / 2; ++ahead) {
    const float4 both = pair + ahead < kPairs ? own[pair + ahead] : make_float4(0, 0, 0, 0);
    const float2 even = make_float2(both.x, both.y), odd = make_float2(both.z, both.w);
    const int chip = 2 * ahead;
    first = negative_chip(chip) ? minus(first, even) : plus(first, even);
    if (chip + 1 < kCode) first = negative_chip(chip + 1) ? minus(first, odd) : plus(first, odd);
    if (chip > 0) second = negative_chip(chip - 1) ? minus(second, even) : plus(second, even);
    second = negative_chip(chip) ? minus(second, odd) : plus(second, odd);
  }
  float2 turn;
  sincospif(0.02F * mixed_fraction(static_cast<unsigned>(row) + dwell * kRows), &turn.y, &turn.x);
  first = times(first, turn);
  second = times(second, turn);
  compressed[std::size_t{blockIdx.y} * kPairs + pair] = make_float4(first.x, first.y, second.x, second.y);
}

// Four values become four; `turn` is the root of unity of the second one.
__device__ void transform_four(float2 (&values)[4], float2 turn) {
  const float2 a = plus(values[0], values[2]), b = minus(values[0], values[2]);
  const float2 c = plus(values[1], values[3]), d = minus(values[1], values[3]);
  const float2 e = make_float2(d.y, -d.x), twice = times(turn, turn);
  values[0] = plus(a, c);
  values[1] = times(plus(b, e), turn);
  values[2] = times(minus(a, c), twice);
  values[3] = times(minus(b, e), times(twice, turn));
}

// Where a frequency is after the last pass: its digits to the base of four the other way round.
__device__ int reversed_digits(int number) {
  return number % 4 * 16 + number / 4 % 4 * 4 + number / 16;
}

// A block has 32 ranges of a beam, a lane a range, and a warp two of the 16 butterflies of a pass.
__global__ void __launch_bounds__(kThreads)
    find_doppler(float* __restrict__ power, const float2* __restrict__ compressed, Tile tile) {
  extern __shared__ float2 rows[];
  const auto lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  const int first_range = static_cast<int>(blockIdx.x) * 32;
  float2* own = rows + lane * tile.pitch;
  const float2* echoes = compressed + std::size_t{blockIdx.y} * kPulses * kRanges + first_range + lane;
  float2 values[2][4];
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int butterfly = warp + i * kWarps;
#pragma unroll
    for (int m = 0; m < 4; ++m) values[i][m] = echoes[(butterfly + m * kButterflies) * kRanges];
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int butterfly = warp + i * kWarps;
    float2 turn;
    sincospif(-2.0F * static_cast<float>(butterfly) / kPulses, &turn.y, &turn.x);
    transform_four(values[i], turn);
#pragma unroll
    for (int m = 0; m < 4; ++m) own[butterfly + m * kButterflies] = values[i][m];  // fault
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int butterfly = warp + i * kWarps, base = butterfly / 4 * 16 + butterfly % 4;
#pragma unroll
    for (int m = 0; m < 4; ++m) values[i][m] = own[base + m * 4];  // fault
    float2 turn;
    sincospif(-0.125F * static_cast<float>(butterfly % 4), &turn.y, &turn.x);
    transform_four(values[i], turn);
#pragma unroll
    for (int m = 0; m < 4; ++m) own[base + m * 4] = values[i][m];  // fault
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int butterfly = warp + i * kWarps;
#pragma unroll
    for (int m = 0; m < 4; ++m) values[i][m] = own[butterfly * 4 + m];  // fault
    transform_four(values[i], make_float2(1, 0));
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int butterfly = warp + i * kWarps;
#pragma unroll
    for (int m = 0; m < 4; ++m) own[reversed_digits(butterfly * 4 + m)] = values[i][m];  // fault
  }
  __syncthreads();
  for (int range = warp; range < 32; range += kWarps) {
    float* out = power + (std::size_t{blockIdx.y} * kRanges + first_range + range) * kPulses;
    for (int i = lane; i < kPulses; i += 32) {
      const float2 value = rows[range * tile.pitch + i];
      out[i] = value.x * value.x + value.y * value.y;
    }
  }
}

// A warp has a cell, and a lane two speeds of it.
__global__ void __launch_bounds__(kThreads) detect(Findings findings, const float2* __restrict__ power) {
  const auto cell = static_cast<int>((blockIdx.x * kThreads + threadIdx.x) / 32),
             lane = static_cast<int>(threadIdx.x % 32);
  const float2 two = power[cell * 32 + lane];
  float sum = two.x + two.y, most = fmaxf(two.x, two.y);
  for (int far = 16; far > 0; far /= 2) {
    sum += __shfl_xor_sync(kMask, sum, far);
    most = fmaxf(most, __shfl_xor_sync(kMask, most, far));
  }
  const float limit = 5 * sum / kPulses;
  const unsigned even = __ballot_sync(kMask, two.x > limit), odd = __ballot_sync(kMask, two.y > limit);
  const unsigned strongest = __ballot_sync(kMask, fmaxf(two.x, two.y) == most);
  if (lane != 0) return;
  findings.counts[cell] += __popc(even) + __popc(odd);
  findings.fastest[cell] = __ffs(static_cast<int>(strongest));
}

struct Radar {
  float2 *echoes, *compressed;
  float* power;
  Findings findings;
  Tile tile;
  unsigned dwell;
};

void look(Radar& radar) {
  const Tile tile = radar.tile;
  compress_pulses<<<dim3(kPairs / kThreads, kRows), kThreads>>>(reinterpret_cast<float4*>(radar.compressed),
                                                                reinterpret_cast<const float4*>(radar.echoes),
                                                                radar.dwell++);
  find_doppler<<<dim3(kRanges / 32, kBeams), kThreads, tile.bytes()>>>(radar.power, radar.compressed, tile);
  detect<<<kCells / kWarps, kThreads>>>(radar.findings, reinterpret_cast<const float2*>(radar.power));
}

Case make(int more) {
  const auto radar = std::make_shared<Radar>();
  *radar = {device_array<float2>(kEchoes),
            device_array<float2>(kEchoes),
            device_array<float>(kEchoes),
            {device_array<int>(kCells), device_array<int>(kCells)},
            {kPulses + more},
            0};
  CHECK(cudaMemset(radar->findings.counts, 0, kCells * sizeof(int)));
  fill_fractions(reinterpret_cast<float*>(radar->echoes), 2 * kEchoes, 0x51ed270bU);
  return {[=] { look(*radar); },
          [=] {
            return device_sum(radar->findings.counts, kCells) +
                   1e-3 * device_sum(radar->findings.fastest, kCells) +
                   1e-6 * device_sum(radar->power, kEchoes);
          },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(0); }, [] { return make(1); });
}
