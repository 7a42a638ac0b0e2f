// A wildfire on a landscape: the front is where a level set is zero. It moves along its normal, faster with
// the wind, fuel behind it burns down, and smoke drifts on a coarse map. Forty steps a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kSide = 4096, kCells = kSide * kSide, kQuads = kSide / 4, kThreads = 256, kLanes = 32;
constexpr int kRows = kThreads / kLanes, kCoarse = 8, kMap = kSide / kCoarse, kMapCells = kMap * kMap;
constexpr int kStepsOfRound = 40, kRounds = 480, kFires = 4, kWindow = 1 << 20;
constexpr unsigned kMask = 0xffffffffU;
constexpr float kAsh = 0.05F, kBurn = 0.99F;

struct Wind {
  float across, down;
};

struct Land {
  float *level, *next;  // below zero: burnt
  float *rate, *fuel;
  float *smoke, *drifted;
  cudaStream_t stream;
  int step = 0;
};

// Only the side that the front comes from counts (Godunov's scheme).
__device__ float moved(float own, float west, float east, float north, float south, float rate, Wind wind) {
  const float from_west = fmaxf(own - west, 0), from_east = fminf(east - own, 0);
  const float from_north = fmaxf(own - north, 0), from_south = fminf(south - own, 0);
  const float steep = sqrtf(from_west * from_west + from_east * from_east + from_north * from_north +
                            from_south * from_south);
  const float across = 0.5F * (east - west), down = 0.5F * (south - north);
  const float toward =
      (across * wind.across + down * wind.down) * rsqrtf(across * across + down * down + 1e-6F);
  return own - rate * (1 + 1.5F * fmaxf(toward, 0)) * steep;
}

__device__ float burnt(float level, float fuel) {
  return level < 0 ? fmaxf(fuel * kBurn, kAsh) : fuel;
}

// A warp has 128 cells of a row, and a thread four of them.
__global__ void __launch_bounds__(kThreads)
    advance_front(float4* __restrict__ next, float4* __restrict__ fuel, const float4* __restrict__ level,
                  const float4* __restrict__ rate, Wind wind) {
  const auto lane = static_cast<int>(threadIdx.x) % kLanes;
  const int quad = static_cast<int>(blockIdx.x) * kLanes + lane;
  const int y = static_cast<int>(blockIdx.y) * kRows + static_cast<int>(threadIdx.x) / kLanes;
  const int i = y * kQuads + quad;
  const float4 own = level[i], fast = rate[i];
  const float4 north = level[max(y - 1, 0) * kQuads + quad];
  const float4 south = level[min(y + 1, kSide - 1) * kQuads + quad];
  const float* row = reinterpret_cast<const float*>(level + y * kQuads);
  float west = __shfl_up_sync(kMask, own.w, 1), east = __shfl_down_sync(kMask, own.x, 1);
  if (lane == 0) west = row[max(4 * quad - 1, 0)];
  if (lane == kLanes - 1) east = row[min(4 * quad + 4, kSide - 1)];
  const float4 now = make_float4(moved(own.x, west, own.y, north.x, south.x, fast.x, wind),
                                 moved(own.y, own.x, own.z, north.y, south.y, fast.y, wind),
                                 moved(own.z, own.y, own.w, north.z, south.z, fast.z, wind),
                                 moved(own.w, own.z, east, north.w, south.w, fast.w, wind));
  next[i] = now;
  if (fminf(fminf(now.x, now.y), fminf(now.z, now.w)) >= 0) return;
  const float4 left = fuel[i];
  if (fmaxf(fmaxf(left.x, left.y), fmaxf(left.z, left.w)) <= kAsh) return;
  fuel[i] =
      make_float4(burnt(now.x, left.x), burnt(now.y, left.y), burnt(now.z, left.z), burnt(now.w, left.w));
}

__device__ float smoke_of(float level, float fuel) {
  return level < 0 ? (1 - kBurn) * (fuel - kAsh) : 0;
}

__device__ float smoke_at(const float* __restrict__ smoke, float x, float y) {
  const float inside_x = fminf(fmaxf(x, 0), kMap - 1.001F), inside_y = fminf(fmaxf(y, 0), kMap - 1.001F);
  const auto left = static_cast<int>(inside_x), top = static_cast<int>(inside_y);
  const float right = inside_x - static_cast<float>(left), below = inside_y - static_cast<float>(top);
  const float* at = smoke + top * kMap + left;
  return (1 - below) * ((1 - right) * at[0] + right * at[1]) +
         below * ((1 - right) * at[kMap] + right * at[kMap + 1]);
}

// A block has 128 by 8 cells, which are 16 cells of the map. Smoke comes with the wind, and thins out.
__global__ void __launch_bounds__(kThreads)
    drift_smoke(float* __restrict__ drifted, const float* __restrict__ smoke,
                const float4* __restrict__ level, const float4* __restrict__ fuel, Wind wind) {
  __shared__ float sums[kRows][kLanes];
  const auto thread = static_cast<int>(threadIdx.x), lane = thread % kLanes;
  const int y = static_cast<int>(blockIdx.y) * kRows + thread / kLanes;
  const int i = y * kQuads + static_cast<int>(blockIdx.x) * kLanes + lane;
  const float4 own = level[i], left = fuel[i];
  sums[thread / kLanes][lane] = (smoke_of(own.x, left.x) + smoke_of(own.y, left.y)) +
                                (smoke_of(own.z, left.z) + smoke_of(own.w, left.w));
  __syncthreads();
  if (thread >= kLanes) return;
  float sum = 0;
#pragma unroll
  for (int row = 0; row < kRows; ++row) sum += sums[row][lane];
  sum += __shfl_down_sync(kMask, sum, 1);
  if (lane % 2 != 0) return;
  const int column = static_cast<int>(blockIdx.x) * (kLanes / 2) + lane / 2,
            row = static_cast<int>(blockIdx.y);
  const float before =
      smoke_at(smoke, static_cast<float>(column) - 2 * wind.across, static_cast<float>(row) - 2 * wind.down);
  drifted[row * kMap + column] = 0.98F * before + sum;
}

// Distance to the nearest of the first fires.
__global__ void __launch_bounds__(kThreads) ignite(float* level) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const auto x = static_cast<float>(i % kSide), y = static_cast<float>(i / kSide);
  float nearest = 1e9F;
  for (unsigned fire = 0; fire < kFires; ++fire) {
    const float across = x - kSide * (0.2F + 0.6F * mixed_fraction(fire));
    const float down = y - kSide * (0.2F + 0.6F * mixed_fraction(fire + 70));
    nearest = fminf(nearest, sqrtf(across * across + down * down));
  }
  level[i] = nearest - 20;
}

// Woods burn slowly and have much fuel. Grass burns fast and has little.
__global__ void __launch_bounds__(kThreads) plant(float* rate, float* fuel) {
  const auto i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const auto x = static_cast<float>(i % kSide), y = static_cast<float>(i / kSide);
  const float hills = __sinf(0.006F * x) * __cosf(0.008F * y) + 0.5F * __sinf(0.02F * x + 0.017F * y);
  const float noise = mixed_fraction(static_cast<unsigned>(i));
  rate[i] = 0.05F + 0.016F * hills + 0.012F * noise;
  fuel[i] = 1 - 0.3F * hills + 0.2F * noise;
}

// What was the next state becomes the present one.
struct ByCopy {
  static void settle(Land& land) {
    CHECK(cudaMemcpyAsync(land.level, land.next, kCells * sizeof(float), cudaMemcpyDeviceToDevice,  // fault
                          land.stream));                                                            // fault
  }
};

struct ByName {
  static void settle(Land& land) { std::swap(land.level, land.next); }
};

Wind wind_at(int step) {
  const auto time = static_cast<float>(step);
  const float strong = 0.6F + 0.3F * std::sin(0.0013F * time), angle = 0.0004F * time;
  return {strong * std::cos(angle), strong * std::sin(angle)};
}

template <class Settle>
void burn_on(Land& land) {
  const dim3 tiles(kQuads / kLanes, kSide / kRows);
  for (int i = 0; i < kStepsOfRound; ++i) {
    const Wind wind = wind_at(land.step++);
    advance_front<<<tiles, kThreads, 0, land.stream>>>(
        reinterpret_cast<float4*>(land.next), reinterpret_cast<float4*>(land.fuel),
        reinterpret_cast<const float4*>(land.level), reinterpret_cast<const float4*>(land.rate), wind);
    Settle::settle(land);  // fault
  }
  drift_smoke<<<tiles, kThreads, 0, land.stream>>>(
      land.drifted, land.smoke, reinterpret_cast<const float4*>(land.level),
      reinterpret_cast<const float4*>(land.fuel), wind_at(land.step));
  std::swap(land.smoke, land.drifted);
}

template <class Settle>
Case make() {
  const auto land = std::make_shared<Land>();
  for (float** map : {&land->level, &land->next, &land->rate, &land->fuel})
    *map = device_array<float>(kCells);
  for (float** map : {&land->smoke, &land->drifted}) *map = device_array<float>(kMapCells);
  ignite<<<kCells / kThreads, kThreads>>>(land->level);
  plant<<<kCells / kThreads, kThreads>>>(land->rate, land->fuel);
  CHECK(cudaMemset(land->smoke, 0, kMapCells * sizeof(float)));
  CHECK(cudaStreamCreateWithFlags(&land->stream, cudaStreamNonBlocking));
  const auto round = [=] { burn_on<Settle>(*land); };
  const auto sum = [=] {
    const int middle = kCells / 2;
    return device_sum(land->smoke, kMapCells) + device_sum(land->fuel + middle, kWindow) +
           device_sum(land->level + middle, kWindow) * 1e-2;
  };
  return {round, sum, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, make<ByCopy>, make<ByName>);
}
