// Follows the waves of an earthquake through 512 x 512 x 256 cells of rock, by differences of eighth order. A
// block of 32 x 32 columns goes down plane by plane; the planes ahead are copied to shared memory meanwhile.
// The strongest shaking is kept for 16384 stations at the surface. A step a round.
#include <cuda_pipeline.h>
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kWide = 512, kHigh = 512, kDeep = 256, kPlane = kWide * kHigh, kReach = 4, kTile = 32;
constexpr int kRows = kTile + 2 * kReach, kChunks = kRows / 4, kThreads = kTile * kTile / 2, kPart = 64;
constexpr int kAhead = 3, kSlots = 8, kOrder = 2 * kReach + 1, kSponge = 24, kEach = 4, kSurface = 2;
constexpr int kStationsWide = kWide / kEach, kStations = kStationsWide * (kHigh / kEach);
constexpr int kBreakWide = 64, kBreakDeep = 32, kBreakAcross = kHigh / 2, kBreakTop = kDeep / 2;
constexpr int kQuakeEvery = 1024, kRounds = 7000;
constexpr std::size_t kCells = std::size_t{kPlane} * kDeep, kShared = sizeof(float) * kSlots * kRows * kRows;

// The weights of the second derivative.
__device__ constexpr float kWeights[kReach + 1] = {-205.0F / 72, 8.0F / 5, -1.0F / 5, 8.0F / 315,
                                                   -1.0F / 560};

struct Rock {
  float *now, *before, *speeds, *strongest;
  int step;
};

__device__ std::size_t cell_at(int x, int y, int z) {
  return static_cast<std::size_t>(z) * kPlane + static_cast<std::size_t>(y * kWide + x);
}

// Waves fade near all sides but the surface.
__device__ float fading(int x, int y, int z) {
  const int side = min(min(min(x, kWide - 1 - x), min(y, kHigh - 1 - y)), kDeep - 1 - z);
  const auto into = static_cast<float>(max(kSponge - side, 0));
  return 1 - 2e-4F * into * into;
}

using Plane = float[kRows][kRows];

// Begins to copy a block's part of a plane, with its neighbours; outside of the rock all is zero.
__device__ void begin_copy(Plane* planes, const float* now, int left, int top, int z) {
  const auto thread = static_cast<int>(threadIdx.x);
  if (thread < kRows * kChunks) {
    const int row = thread / kChunks, column = thread % kChunks * 4;
    const int x = left - kReach + column, y = top - kReach + row;
    const bool inside = x >= 0 && x < kWide && y >= 0 && y < kHigh && z >= 0 && z < kDeep;
    __pipeline_memcpy_async(&planes[(z + kSlots) % kSlots][row][column],
                            inside ? now + cell_at(x, y, z) : now, sizeof(float4),
                            inside ? 0 : sizeof(float4));
  }
  __pipeline_commit();
}

// A thread has two columns, one above the other. `before` becomes what comes next.
__global__ void __launch_bounds__(kThreads, 2)
    spread(float* __restrict__ before, const float* __restrict__ now, const float* __restrict__ speeds) {
  extern __shared__ float4 shared[];
  auto* planes = reinterpret_cast<Plane*>(shared);
  const auto lane = static_cast<int>(threadIdx.x % kTile), pair = static_cast<int>(threadIdx.x / kTile) * 2;
  const int left = static_cast<int>(blockIdx.x) * kTile, top = static_cast<int>(blockIdx.y) * kTile;
  const int first = static_cast<int>(blockIdx.z) * kPart, x = left + lane;
  float down[2][kOrder];  // of each column, from four planes above to four below
#pragma unroll
  for (int ahead = 0; ahead < kReach + kAhead; ++ahead) begin_copy(planes, now, left, top, first + ahead);
#pragma unroll
  for (int i = 0; i < kReach; ++i) {
    const int z = first - kReach + i;
#pragma unroll
    for (int row = 0; row < 2; ++row) down[row][i] = z < 0 ? 0 : now[cell_at(x, top + pair + row, z)];
  }
  __pipeline_wait_prior(kAhead);
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kReach; ++i) {
#pragma unroll
    for (int row = 0; row < 2; ++row)
      down[row][kReach + i] = planes[(first + i) % kSlots][pair + row + kReach][lane + kReach];
  }
  for (int z = first; z < first + kPart; ++z) {
    __pipeline_wait_prior(kAhead - 1);
    __syncthreads();
    begin_copy(planes, now, left, top, z + kReach + kAhead);
    const Plane& plane = planes[z % kSlots];
    float across[2 * kReach + 2];
#pragma unroll
    for (int i = 0; i < 2 * kReach + 2; ++i) across[i] = plane[pair + i][lane + kReach];
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      const float* along = &plane[pair + row + kReach][lane + kReach];
      const float own = down[row][kReach];
      down[row][2 * kReach] = planes[(z + kReach) % kSlots][pair + row + kReach][lane + kReach];
      float curve = 3 * kWeights[0] * own;
#pragma unroll
      for (int far = 1; far <= kReach; ++far)
        curve +=
            kWeights[far] * (along[far] + along[-far] + across[row + kReach + far] +
                             across[row + kReach - far] + down[row][kReach + far] + down[row][kReach - far]);
      const int y = top + pair + row;
      const std::size_t at = cell_at(x, y, z);
      const float fades = fading(x, y, z);
      before[at] = fades * (2 * own - fades * before[at] + speeds[at] * curve);
#pragma unroll
      for (int i = 0; i < 2 * kReach; ++i) down[row][i] = down[row][i + 1];
    }
  }
}

// Rock breaks along a plane, first in its middle. A thread has a cell of it.
__global__ void __launch_bounds__(kThreads) break_rock(float* __restrict__ now, int since) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int along = i % kBreakWide, deep = i / kBreakWide;
  const auto from_middle = static_cast<float>(abs(along - kBreakWide / 2) + abs(deep - kBreakDeep / 2));
  const float late = (static_cast<float>(since) - 40 - 2 * from_middle) / 12;
  const std::size_t at = cell_at((kWide - kBreakWide) / 2 + along, kBreakAcross, kBreakTop + deep);
  now[at] += (1 - 2 * late * late) * __expf(-late * late);
}

// A thread has a station.
__global__ void __launch_bounds__(kThreads)
    record_stations(float* __restrict__ strongest, const float* __restrict__ now) {
  const auto station = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int x = station % kStationsWide * kEach, y = station / kStationsWide * kEach;
  strongest[station] = fmaxf(strongest[station], fabsf(now[cell_at(x, y, kSurface)]));
}

// Layers of rock. Waves are faster in deeper ones.
__global__ void __launch_bounds__(kThreads) fill_rock(float* speeds) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  const auto deep = static_cast<float>(i / kPlane), along = static_cast<float>(i % kWide);
  const float layer = floorf(deep / 32 + 0.5F * __sinf(0.02F * along));
  speeds[i] = 0.05F + 0.015F * layer;
}

void shake(Rock& rock) {
  const int since = rock.step++ % kQuakeEvery;
  break_rock<<<kBreakWide * kBreakDeep / kThreads, kThreads>>>(rock.now, since);
  spread<<<dim3(kWide / kTile, kHigh / kTile, kDeep / kPart), kThreads, kShared>>>(rock.before, rock.now,
                                                                                   rock.speeds);
  std::swap(rock.now, rock.before);
  record_stations<<<kStations / kThreads, kThreads>>>(rock.strongest, rock.now);
}

Case make() {
  const auto rock =
      std::make_shared<Rock>(Rock{device_array<float>(kCells), device_array<float>(kCells),
                                  device_array<float>(kCells), device_array<float>(kStations), 0});
  CHECK(cudaMemset(rock->now, 0, kCells * sizeof(float)));
  CHECK(cudaMemset(rock->before, 0, kCells * sizeof(float)));
  CHECK(cudaMemset(rock->strongest, 0, kStations * sizeof(float)));
  fill_rock<<<static_cast<unsigned>(kCells / kThreads), kThreads>>>(rock->speeds);
  CHECK(cudaFuncSetAttribute(spread, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(kShared)));
  return {[=] { shake(*rock); }, [=] { return device_sum(rock->strongest, kStations); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, nullptr, [] { return make(); });
}
