// A scanner of baggage: counts of X-rays become attenuations and go through the ramp filter, slices are put
// together from all directions, freed of noise, and searched for dense blocks. Three bags a round.
#include <memory>
#include <vector>

#include "../case.cuh"

namespace {

constexpr int kDetectors = 768, kAngles = 384, kSlices = 24, kTogether = 4, kGroups = kSlices / kTogether;
constexpr int kSide = 512, kPlane = kSide * kSide, kThreads = 256;
constexpr int kBags = 3, kBagsOfRound = 3, kRounds = 700;
constexpr int kReach = 32, kQuads = kDetectors / 4, kPadQuads = kQuads + 2 * kReach, kTaps = 8 * kReach + 8;
constexpr int kTileWide = 32, kTileHigh = 8, kCell = 32, kCells = kSide / kCell, kRowsOfThread = 4;
constexpr std::size_t kCounts = std::size_t{kSlices} * kAngles * kDetectors;
constexpr std::size_t kVolume = std::size_t{kSlices} * kPlane;
constexpr float kPi = 3.14159265F, kAir = 60000, kDense = 0.013F, kGrain = 0.002F;

// The ramp filter by its distance from the middle, which is at 4 kReach + 3. Odd distances only.
__constant__ float ramp[kTaps];

struct Scanner {
  float* bags[kBags];
  float4* filtered;  // a group's slices together, then detectors, angles and groups
  float *rough, *smooth;
  float *cells, *suspicion;
  int bag = 0;
};

__device__ int spread(int detector) {
  return detector + detector / 8;
}

// A block has a direction of a group of four slices. A thread has four neighbouring detectors; odd ones need
// even ones only, and the other way round. What the slices have in common is put side by side at the end.
__global__ void __launch_bounds__(kQuads)
    filter_rows(float4* __restrict__ filtered, const float4* __restrict__ counts, float air) {
  __shared__ float4 row[kPadQuads], side_by_side[kDetectors + kDetectors / 8];
  const auto thread = static_cast<int>(threadIdx.x), angle = static_cast<int>(blockIdx.x);
  const auto group = static_cast<int>(blockIdx.y);
  float out[kTogether][4];
  if (thread < kReach) row[thread] = row[thread + kReach + kQuads] = make_float4(0, 0, 0, 0);
#pragma unroll
  for (int slice = 0; slice < kTogether; ++slice) {
    const float4 four = counts[((group * kTogether + slice) * kAngles + angle) * kQuads + thread];
    const float4 own = make_float4(-__logf(four.x * air), -__logf(four.y * air), -__logf(four.z * air),
                                   -__logf(four.w * air));
    __syncthreads();
    row[kReach + thread] = own;
    __syncthreads();
    float4 sum = make_float4(0.25F * own.x, 0.25F * own.y, 0.25F * own.z, 0.25F * own.w);
#pragma unroll 5
    for (int quad = 0; quad <= 2 * kReach; ++quad) {
      const float4 near = row[thread + quad];
      const float* taps = ramp + 4 * quad + 3;
      sum.x += taps[1] * near.y + taps[3] * near.w;
      sum.y += taps[-1] * near.x + taps[1] * near.z;
      sum.z += taps[-1] * near.y + taps[1] * near.w;
      sum.w += taps[-3] * near.x + taps[-1] * near.z;
    }
    out[slice][0] = sum.x;
    out[slice][1] = sum.y;
    out[slice][2] = sum.z;
    out[slice][3] = sum.w;
  }
#pragma unroll
  for (int k = 0; k < 4; ++k)
    side_by_side[spread(4 * thread + k)] = make_float4(out[0][k], out[1][k], out[2][k], out[3][k]);
  __syncthreads();
  float4* to = filtered + (group * kAngles + angle) * kDetectors;
#pragma unroll
  for (int k = 0; k < 4; ++k) to[k * kQuads + thread] = side_by_side[spread(k * kQuads + thread)];
}

__device__ float4 added(float4 sum, float4 one, float4 other, float share) {
  return make_float4(sum.x + one.x + share * (other.x - one.x), sum.y + one.y + share * (other.y - one.y),
                     sum.z + one.z + share * (other.z - one.z), sum.w + one.w + share * (other.w - one.w));
}

// A block has 32 by 32 places of four slices, a thread four places below each other. The bag lies turned on
// the belt.
__global__ void __launch_bounds__(kThreads, 4)
    project_back(float* __restrict__ volume, const float4* __restrict__ filtered, float turn) {
  __shared__ float2 ways[kAngles];
  const auto thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < kAngles; i += kThreads)
    sincospif(static_cast<float>(i) / kAngles + turn, &ways[i].y, &ways[i].x);
  __syncthreads();
  const int x = static_cast<int>(blockIdx.x) * kTileWide + thread % kTileWide;
  const int y = static_cast<int>(blockIdx.y) * kTileHigh * kRowsOfThread + thread / kTileWide;
  const auto group = static_cast<int>(blockIdx.z);
  const float across = static_cast<float>(x) - 0.5F * (kSide - 1);
  const float down = static_cast<float>(y) - 0.5F * (kSide - 1);
  const float4* row = filtered + group * kAngles * kDetectors;
  float4 sum[kRowsOfThread] = {};
#pragma unroll 2
  for (int angle = 0; angle < kAngles; ++angle, row += kDetectors) {
    const float2 way = ways[angle];
    const float first = across * way.x + down * way.y + 0.5F * (kDetectors - 1);
#pragma unroll
    for (int k = 0; k < kRowsOfThread; ++k) {
      const float place = first + static_cast<float>(k * kTileHigh) * way.y;
      const int left = static_cast<int>(place);
      sum[k] = added(sum[k], row[left], row[left + 1], place - static_cast<float>(left));
    }
  }
#pragma unroll
  for (int k = 0; k < kRowsOfThread; ++k) {
    float* to = volume + group * kTogether * kPlane + (y + k * kTileHigh) * kSide + x;
    constexpr float kShare = kPi / kAngles;
    to[0] = kShare * sum[k].x;
    to[kPlane] = kShare * sum[k].y;
    to[2 * kPlane] = kShare * sum[k].z;
    to[3 * kPlane] = kShare * sum[k].w;
  }
}

using Tile = float[kTileHigh + 2][kTileWide + 2];

__device__ void load_tile(Tile& tile, const float* slice, int left, int top) {
  for (int i = static_cast<int>(threadIdx.x); i < (kTileHigh + 2) * (kTileWide + 2); i += kThreads) {
    const int down = i / (kTileWide + 2), across = i % (kTileWide + 2);
    const int y = min(max(top + down - 1, 0), kSide - 1), x = min(max(left + across - 1, 0), kSide - 1);
    tile[down][across] = slice[y * kSide + x];
  }
}

// A block goes through the slices with three of them in shared memory. Places that look alike are averaged.
__global__ void __launch_bounds__(kThreads)
    remove_noise(float* __restrict__ smooth, const float* __restrict__ rough) {
  __shared__ Tile tiles[3];
  const auto thread = static_cast<int>(threadIdx.x);
  const int left = static_cast<int>(blockIdx.x) * kTileWide, top = static_cast<int>(blockIdx.y) * kTileHigh;
  const int across = thread % kTileWide, down = thread / kTileWide;
  load_tile(tiles[2], rough, left, top);
  load_tile(tiles[0], rough, left, top);
  for (int slice = 0; slice < kSlices; ++slice) {
    load_tile(tiles[(slice + 1) % 3], rough + min(slice + 1, kSlices - 1) * kPlane, left, top);
    __syncthreads();
    const float here = tiles[slice % 3][down + 1][across + 1];
    float sum = 0, shares = 0;
#pragma unroll
    for (int k = 0; k < 27; ++k) {
      const float near = tiles[k / 9][down + k / 3 % 3][across + k % 3];
      const float off = (near - here) / kGrain;
      const float share = __fdividef(1, 1 + off * off);
      sum += share * near;
      shares += share;
    }
    smooth[slice * kPlane + (top + down) * kSide + left + across] = __fdividef(sum, shares);
    __syncthreads();
  }
}

// A block has a cell of a slice: 32 by 32 places.
__global__ void __launch_bounds__(kThreads)
    count_dense(float* __restrict__ cells, const float* __restrict__ smooth) {
  __shared__ unsigned warps[kThreads / 32];
  const auto thread = static_cast<int>(threadIdx.x), slice = static_cast<int>(blockIdx.z);
  const float* first = smooth + slice * kPlane +
                       (static_cast<int>(blockIdx.y) * kCell + thread / kCell) * kSide +
                       static_cast<int>(blockIdx.x) * kCell + thread % kCell;
  unsigned count = 0;
#pragma unroll
  for (int k = 0; k < kCell * kCell / kThreads; ++k) count += first[k * (kThreads / kCell) * kSide] > kDense;
  count = __reduce_add_sync(0xffffffffU, count);
  if (thread % 32 == 0) warps[thread / 32] = count;
  __syncthreads();
  if (thread != 0) return;
  for (int warp = 1; warp < kThreads / 32; ++warp) count += warps[warp];
  cells[(slice * kCells + static_cast<int>(blockIdx.y)) * kCells + static_cast<int>(blockIdx.x)] =
      static_cast<float>(count) / (kCell * kCell);
}

// A thread has a column of cells; how dense bags are there is remembered.
__global__ void __launch_bounds__(kCells)
    judge(float* __restrict__ suspicion, const float* __restrict__ cells) {
  const auto i = static_cast<int>(blockIdx.x * kCells + threadIdx.x);
  float most = 0;
#pragma unroll
  for (int slice = 0; slice < kSlices; ++slice) most = fmaxf(most, cells[slice * kCells * kCells + i]);
  suspicion[i] = 0.95F * suspicion[i] + 0.05F * most;
}

// Clothes, a bottle, a book and something dense, each an ellipse in each slice. X-rays of a row come
// together.
__global__ void __launch_bounds__(kThreads) scan_bag(float* counts, unsigned bag) {
  const auto i = static_cast<unsigned>(blockIdx.x * kThreads + threadIdx.x);
  const auto detector = static_cast<int>(i % kDetectors), angle = static_cast<int>(i / kDetectors % kAngles);
  const auto slice = static_cast<float>(i / (kDetectors * kAngles));
  float sine, cosine;
  sincospif(static_cast<float>(angle) / kAngles, &sine, &cosine);
  const float place = static_cast<float>(detector) - 0.5F * (kDetectors - 1);
  float sum = 0;
  for (unsigned k = 0; k < 6; ++k) {
    const auto random = [&](unsigned seed) { return mixed_fraction(bag * 1000 + k * 50 + seed); };
    const float near = 1 - fabsf(slice - kSlices * random(1)) / (2.0F * kSlices);
    const float wide = near * (k == 0 ? 210 : 20 + 50 * random(2)),
                high = near * (k == 0 ? 150 : 15 + 40 * random(3));
    const float heavy = k == 0 ? 0.003F : 0.005F + 0.02F * random(4);
    const float x = k == 0 ? 0 : 200 * random(5) - 100, y = k == 0 ? 0 : 120 * random(6) - 60;
    const float far = place - x * cosine - y * sine;
    const float reach = wide * wide * cosine * cosine + high * high * sine * sine;
    sum += 2 * heavy * wide * high * sqrtf(fmaxf(reach - far * far, 0)) / reach;
  }
  counts[i] = kAir * __expf(-sum) * (1 + 0.01F * mixed_fraction(i + bag * 30000001U)) + 2;
}

void upload_ramp() {
  std::vector<float> table(kTaps, 0.0F);
  constexpr int kMiddle = 4 * kReach + 3;
  for (int i = 0; i < kTaps; ++i) {
    const int far = i - kMiddle;
    if (far % 2 != 0) table[i] = -1 / (kPi * kPi * static_cast<float>(far * far));
  }
  CHECK(cudaMemcpyToSymbol(ramp, table.data(), table.size() * sizeof(float)));
}

void inspect(Scanner& scanner) {
  const int number = scanner.bag++;
  const float lamp = 1 + 0.02F * std::sin(0.3F * static_cast<float>(number));
  const auto* counts = reinterpret_cast<const float4*>(scanner.bags[number % kBags]);
  filter_rows<<<dim3(kAngles, kGroups), kQuads>>>(scanner.filtered, counts, lamp / kAir);
  project_back<<<dim3(kSide / kTileWide, kSide / (kTileHigh * kRowsOfThread), kGroups), kThreads>>>(
      scanner.rough, scanner.filtered, 0.02F * static_cast<float>(number % 100));
  remove_noise<<<dim3(kSide / kTileWide, kSide / kTileHigh), kThreads>>>(scanner.smooth, scanner.rough);
  count_dense<<<dim3(kCells, kCells, kSlices), kThreads>>>(scanner.cells, scanner.smooth);
  judge<<<kCells, kCells>>>(scanner.suspicion, scanner.cells);
}

Case make() {
  const auto scanner = std::make_shared<Scanner>();
  upload_ramp();
  for (unsigned bag = 0; bag < kBags; ++bag) {
    scanner->bags[bag] = device_array<float>(kCounts);
    scan_bag<<<kCounts / kThreads, kThreads>>>(scanner->bags[bag], bag);
  }
  scanner->filtered = device_array<float4>(kCounts / kTogether);
  scanner->rough = device_array<float>(kVolume);
  scanner->smooth = device_array<float>(kVolume);
  scanner->cells = device_array<float>(kSlices * kCells * kCells);
  scanner->suspicion = device_array<float>(kCells * kCells);
  CHECK(cudaMemset(scanner->suspicion, 0, kCells * kCells * sizeof(float)));
  const auto round = [=] {
    for (int i = 0; i < kBagsOfRound; ++i) inspect(*scanner);
  };
  const auto sum = [=] {
    return device_sum(scanner->suspicion, kCells * kCells) + device_sum(scanner->smooth, kVolume) * 1e-3;
  };
  return {round, sum, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
