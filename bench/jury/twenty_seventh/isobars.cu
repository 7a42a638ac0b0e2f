// Weather charts: the members of an ensemble forecast are weighted, the mean pressure is smoothed, and its
// isobars are drawn as lines that lie one after the other in the order of the map. Sixty charts a round.
#include <cub/device/device_scan.cuh>
#include <memory>
#include <numeric>

#include "../case.cuh"

namespace {

constexpr int kSide = 2048, kPoints = kSide * kSide, kMembers = 6, kThreads = 256;
constexpr int kTileWide = 32, kTileHigh = 8, kReach = 2, kHaloWide = kTileWide + 2 * kReach;
constexpr int kHaloHigh = kTileHigh + 2 * kReach, kChartsOfRound = 60, kRounds = 320;
constexpr int kAcross = kSide / kTileWide, kDown = kSide / kTileHigh, kTiles = kAcross * kDown;
constexpr int kMostLines = 1 << 22, kStripes = 264;
constexpr unsigned kMask = 0xffffffffU;
constexpr float kStep = 2;  // hPa between two isobars

struct Weights {
  float of[kMembers];
};

struct Office {
  float* members;
  float *mean, *smooth;
  int *counts, *firsts;            // of the lines of a tile
  int *told_counts, *told_firsts;  // pinned
  float4* lines;
  float *lengths, *log;
  void* storage;
  std::size_t bytes = 0;
  cudaStream_t stream;
  int chart = 0;
};

// A thread has four points.
__global__ void __launch_bounds__(kThreads)
    weigh_members(float4* __restrict__ mean, const float4* __restrict__ members, Weights weights) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll
  for (int member = 0; member < kMembers; ++member) {
    const float4 four = members[member * (kPoints / 4) + i];
    const float weight = weights.of[member];
    sum = make_float4(sum.x + weight * four.x, sum.y + weight * four.y, sum.z + weight * four.z,
                      sum.w + weight * four.w);
  }
  mean[i] = sum;
}

// A block has 32 by 8 points; rows first, then columns.
__global__ void __launch_bounds__(kThreads)
    smooth_mean(float* __restrict__ smooth, const float* __restrict__ mean) {
  __shared__ float tile[kHaloHigh][kHaloWide], rows[kHaloHigh][kTileWide];
  const int across = static_cast<int>(threadIdx.x) % kTileWide,
            down = static_cast<int>(threadIdx.x) / kTileWide;
  const int left = static_cast<int>(blockIdx.x) * kTileWide, top = static_cast<int>(blockIdx.y) * kTileHigh;
  for (int i = static_cast<int>(threadIdx.x); i < kHaloHigh * kHaloWide; i += kThreads) {
    const int x = min(max(left + i % kHaloWide - kReach, 0), kSide - 1);
    const int y = min(max(top + i / kHaloWide - kReach, 0), kSide - 1);
    tile[i / kHaloWide][i % kHaloWide] = mean[y * kSide + x];
  }
  __syncthreads();
  for (int row = down; row < kHaloHigh; row += kTileHigh) {
    const float* from = &tile[row][across];
    rows[row][across] = (from[0] + from[4] + 4 * (from[1] + from[3]) + 6 * from[2]) / 16;
  }
  __syncthreads();
  smooth[(top + down) * kSide + left + across] =
      (rows[down][across] + rows[down + 4][across] + 4 * (rows[down + 1][across] + rows[down + 3][across]) +
       6 * rows[down + 2][across]) /
      16;
}

// Three corners of a point's half square, in steps of isobars.
struct Corners {
  float2 places[3];
  float heights[3];

  __device__ int first() const {
    return static_cast<int>(ceilf(fminf(fminf(heights[0], heights[1]), heights[2])));
  }
  __device__ int last() const {
    return static_cast<int>(ceilf(fmaxf(fmaxf(heights[0], heights[1]), heights[2]))) - 1;
  }
};

// The square of a point is cut from its lower left to its upper right corner.
__device__ Corners corners_of(const float* __restrict__ smooth, int x, int y, bool upper) {
  const auto height = [=](int across, int down) {
    return __ldg(smooth + (y + down) * kSide + x + across) / kStep;
  };
  const auto left = static_cast<float>(x), top = static_cast<float>(y);
  const float2 middle = upper ? make_float2(left, top) : make_float2(left + 1, top + 1);
  return {{make_float2(left + 1, top), middle, make_float2(left, top + 1)},
          {height(1, 0), upper ? height(0, 0) : height(1, 1), height(0, 1)}};
}

__device__ int lines_of(const float* __restrict__ smooth, int x, int y) {
  if (x >= kSide - 1 || y >= kSide - 1) return 0;
  const Corners upper = corners_of(smooth, x, y, true), lower = corners_of(smooth, x, y, false);
  return upper.last() - upper.first() + 1 + lower.last() - lower.first() + 1;
}

__device__ int warp_sum(int value) {
  return __reduce_add_sync(kMask, value);
}

// How many lines a tile has.
__global__ void __launch_bounds__(kThreads)
    count_lines(int* __restrict__ counts, const float* __restrict__ smooth) {
  __shared__ int warps[kThreads / 32];
  const auto thread = static_cast<int>(threadIdx.x);
  const int x = static_cast<int>(blockIdx.x) * kTileWide + thread % kTileWide;
  const int y = static_cast<int>(blockIdx.y) * kTileHigh + thread / kTileWide;
  int count = warp_sum(lines_of(smooth, x, y));
  if (thread % 32 == 0) warps[thread / 32] = count;
  __syncthreads();
  if (thread != 0) return;
  for (int warp = 1; warp < kThreads / 32; ++warp) count += warps[warp];
  counts[static_cast<int>(blockIdx.y) * kAcross + static_cast<int>(blockIdx.x)] = count;
}

// How many lines the threads before this one have.
__device__ int lines_before(int own) {
  __shared__ int warps[kThreads / 32];
  const auto thread = static_cast<int>(threadIdx.x);
  int sum = own;
  for (int far = 1; far < 32; far *= 2) {
    const int other = __shfl_up_sync(kMask, sum, far);
    if (thread % 32 >= far) sum += other;
  }
  if (thread % 32 == 31) warps[thread / 32] = sum;
  __syncthreads();
  for (int warp = 0; warp < thread / 32; ++warp) sum += warps[warp];
  return sum - own;
}

__device__ float2 crossing(const Corners& corners, int from, int to, float level) {
  const float low = corners.heights[from], high = corners.heights[to];
  const float share = __saturatef((level - low) / (high - low));
  const float2 one = corners.places[from], other = corners.places[to];
  return make_float2(one.x + share * (other.x - one.x), one.y + share * (other.y - one.y));
}

// The corner that lies alone on its side of a level, and the other two.
__device__ float4 line_at(const Corners& corners, float level) {
  const bool above0 = corners.heights[0] >= level, above1 = corners.heights[1] >= level;
  const bool above2 = corners.heights[2] >= level;
  float2 begin, end;
  if (above1 == above2) {
    begin = crossing(corners, 0, 1, level);
    end = crossing(corners, 0, 2, level);
  } else if (above0 == above2) {
    begin = crossing(corners, 1, 0, level);
    end = crossing(corners, 1, 2, level);
  } else {
    begin = crossing(corners, 2, 0, level);
    end = crossing(corners, 2, 1, level);
  }
  return make_float4(begin.x, begin.y, end.x, end.y);
}

__global__ void __launch_bounds__(kThreads)
    draw_lines(float4* __restrict__ lines, const float* __restrict__ smooth, const int* __restrict__ firsts) {
  const auto thread = static_cast<int>(threadIdx.x);
  const int x = static_cast<int>(blockIdx.x) * kTileWide + thread % kTileWide;
  const int y = static_cast<int>(blockIdx.y) * kTileHigh + thread / kTileWide;
  const int own = lines_of(smooth, x, y);
  int to = firsts[static_cast<int>(blockIdx.y) * kAcross + static_cast<int>(blockIdx.x)] + lines_before(own);
  if (own == 0) return;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const Corners corners = corners_of(smooth, x, y, half == 0);
    for (int level = corners.first(); level <= corners.last() && to < kMostLines; ++level)
      lines[to++] = line_at(corners, static_cast<float>(level));
  }
}

__device__ float block_sum(float sum) {
  __shared__ float warps[kThreads / 32];
  const auto thread = static_cast<int>(threadIdx.x);
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(kMask, sum, far);
  if (thread % 32 == 0) warps[thread / 32] = sum;
  __syncthreads();
  if (thread == 0)
    for (int warp = 1; warp < kThreads / 32; ++warp) sum += warps[warp];
  return sum;
}

// How long the isobars are, by stripes of the list of lines.
__global__ void __launch_bounds__(kThreads)
    measure_lines(float* __restrict__ lengths, const float4* __restrict__ lines,
                  const int* __restrict__ firsts, const int* __restrict__ counts) {
  const int all = min(firsts[kTiles - 1] + counts[kTiles - 1], kMostLines);
  float sum = 0;
  for (int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x); i < all; i += kStripes * kThreads) {
    const float4 line = lines[i];
    const float across = line.z - line.x, down = line.w - line.y;
    sum += sqrtf(across * across + down * down);
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) lengths[blockIdx.x] = sum;
}

__global__ void __launch_bounds__(kThreads)
    enter_log(float* __restrict__ log, const float* __restrict__ lengths) {
  float sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < kStripes; i += kThreads) sum += lengths[i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) *log = 0.99F * *log + 0.01F * sum;
}

// Highs and lows, a little elsewhere in each member.
__global__ void __launch_bounds__(kThreads) forecast(float* members) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const auto member = static_cast<unsigned>(i / kPoints);
  const auto x = static_cast<float>(i % kSide), y = static_cast<float>(i % kPoints / kSide);
  float sum = 1010;
  for (unsigned k = 0; k < 6; ++k) {
    const float wide = 0.004F + 0.012F * mixed_fraction(k), high = 0.004F + 0.012F * mixed_fraction(k + 50);
    const float phase = 6 * mixed_fraction(k + 90) + 1.5F * mixed_fraction(member * 100 + k);
    sum += 7 * __sinf(wide * x + phase) * __cosf(high * y + 2 * phase);
  }
  members[i] = sum + 0.4F * mixed_fraction(static_cast<unsigned>(i));
}

// Where the lines of each tile begin in the list.
struct HostTable {
  static void settle_firsts(Office& office) {
    CHECK(cudaMemcpyAsync(office.told_counts, office.counts, kTiles * sizeof(int),                // fault
                          cudaMemcpyDeviceToHost, office.stream));                                // fault
    CHECK(cudaStreamSynchronize(office.stream));                                                  // fault
    std::exclusive_scan(office.told_counts, office.told_counts + kTiles, office.told_firsts, 0);  // fault
    CHECK(cudaMemcpyAsync(office.firsts, office.told_firsts, kTiles * sizeof(int),                // fault
                          cudaMemcpyHostToDevice, office.stream));                                // fault
  }
};

struct DeviceTable {
  static void settle_firsts(Office& office) {
    CHECK(cub::DeviceScan::ExclusiveSum(office.storage, office.bytes, office.counts, office.firsts, kTiles,
                                        office.stream));
  }
};

// Members that did well lately count more.
Weights weights_at(int chart) {
  Weights weights{};
  float sum = 0;
  for (int member = 0; member < kMembers; ++member) {
    weights.of[member] = 1.2F + std::sin(0.03F * static_cast<float>(chart * (member + 2)));
    sum += weights.of[member];
  }
  for (float& weight : weights.of) weight /= sum;
  return weights;
}

template <class Table>
void draw_chart(Office& office) {
  const dim3 tiles(kAcross, kDown);
  weigh_members<<<kPoints / 4 / kThreads, kThreads, 0, office.stream>>>(
      reinterpret_cast<float4*>(office.mean), reinterpret_cast<const float4*>(office.members),
      weights_at(office.chart++));
  smooth_mean<<<tiles, kThreads, 0, office.stream>>>(office.smooth, office.mean);
  count_lines<<<tiles, kThreads, 0, office.stream>>>(office.counts, office.smooth);
  Table::settle_firsts(office);  // fault
  draw_lines<<<tiles, kThreads, 0, office.stream>>>(office.lines, office.smooth, office.firsts);
  measure_lines<<<kStripes, kThreads, 0, office.stream>>>(office.lengths, office.lines, office.firsts,
                                                          office.counts);
  enter_log<<<1, kThreads, 0, office.stream>>>(office.log, office.lengths);
}

template <class Table>
Case make() {
  const auto office = std::make_shared<Office>();
  office->members = device_array<float>(std::size_t{kMembers} * kPoints);
  forecast<<<kMembers*(kPoints / kThreads), kThreads>>>(office->members);
  office->mean = device_array<float>(kPoints);
  office->smooth = device_array<float>(kPoints);
  office->counts = device_array<int>(kTiles);
  office->firsts = device_array<int>(kTiles);
  office->told_counts = pinned_array<int>(kTiles);
  office->told_firsts = pinned_array<int>(kTiles);
  office->lines = device_array<float4>(kMostLines);
  office->lengths = device_array<float>(kStripes);
  office->log = device_array<float>(1);
  CHECK(cudaMemset(office->log, 0, sizeof(float)));
  CHECK(cub::DeviceScan::ExclusiveSum(nullptr, office->bytes, office->counts, office->firsts, kTiles));
  CHECK(cudaMalloc(&office->storage, office->bytes));
  CHECK(cudaStreamCreateWithFlags(&office->stream, cudaStreamNonBlocking));
  const auto round = [=] {
    for (int i = 0; i < kChartsOfRound; ++i) draw_chart<Table>(*office);
  };
  const auto sum = [=] { return device_sum(office->log, 1) + device_sum(office->lengths, kStripes); };
  return {round, sum, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, make<HostTable>, make<DeviceTable>);
}
