// Steers the turbines of wind farms: 1024 layouts of 64 turbines are tried at the same time. Each turbine
// sees the wakes of those before it for many directions of the wind, its power is found from the wind that is
// left, and the controller on the host turns each turbine's nacelle to where it gets more. Ten minutes a
// round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kLayouts = 1024, kEach = 64, kTurbines = kLayouts * kEach, kDirections = 48, kWays = 4;
constexpr int kThreads = kEach * kWays, kRounds = 4500;
constexpr float kFarm = 6000, kRotor = 60, kSpread = 0.045F, kThrust = 0.78F, kStep = 0.02F, kMostYaw = 0.45F;
constexpr float kRated = 11.5F, kCutIn = 3;

struct Farms {
  float2* places;
  float *wind, *yearly;
  float *power, *yaw;            // as kernels see them
  float *host_power, *host_yaw;  // as the controller sees them
  float *before, *way;           // the controller's own
  cudaStream_t stream;
  int step;
};

// What the wind of ten minutes is like: its speed for each direction. A thread has a layout and a direction.
__global__ void __launch_bounds__(kDirections) draw_wind(float* wind, unsigned step) {
  const unsigned i = blockIdx.x * kDirections + threadIdx.x;
  const float turn = 6.2831853F * static_cast<float>(threadIdx.x) / kDirections;
  const float gust = mixed_fraction(i + step * 0x9e3779b9U);
  wind[i] = 8 + 2 * __cosf(turn - 0.01F * static_cast<float>(step % 628)) + 1.5F * gust;
}

// A block has a layout; a turbine has four threads, each with a quarter of the directions. The controller
// only turns nacelles by what it has seen.
__global__ void __launch_bounds__(kThreads)
    find_power(float* __restrict__ power, const float* __restrict__ yaw, const float2* __restrict__ places,
               const float* __restrict__ wind) {
  __shared__ float4 turbines[kEach];
  __shared__ float speeds[kDirections], parts[kWays][kEach];
  const auto own = static_cast<int>(threadIdx.x % kEach), quarter = static_cast<int>(threadIdx.x / kEach);
  const int first = static_cast<int>(blockIdx.x) * kEach;
  if (quarter == 0) {
    const float2 place = places[first + own];
    const float turned = yaw[first + own];  // fault
    turbines[own] = make_float4(place.x, place.y, __cosf(turned), 0.3F * __sinf(turned));
  } else if (threadIdx.x < kEach + kDirections) {
    speeds[threadIdx.x - kEach] = wind[blockIdx.x * kDirections + threadIdx.x - kEach];
  }
  __syncthreads();
  const float4 here = turbines[own];
  float sum = 0;
  for (int direction = quarter; direction < kDirections; direction += kWays) {
    float s = 0, c = 0;
    __sincosf(6.2831853F * static_cast<float>(direction) / kDirections, &s, &c);
    float lost = 0;
#pragma unroll 4
    for (int other = 0; other < kEach; ++other) {
      const float4 there = turbines[other];
      const float x = here.x - there.x, y = here.y - there.y;
      const float along = x * c + y * s, across = y * c - x * s - there.w * along;
      const float wide = kRotor + kSpread * along;
      const float share = kRotor / wide, away = across / wide;
      const float wake = kThrust * there.z * share * share * __expf(-0.5F * away * away);
      lost += along > kRotor ? wake * wake : 0;
    }
    const float left = speeds[direction] * here.z * fmaxf(1 - sqrtf(lost), 0.1F);
    const float share = fminf(fmaxf((left - kCutIn) / (kRated - kCutIn), 0), 1);
    sum += share * share * share;
  }
  parts[quarter][own] = sum;
  __syncthreads();
  if (quarter != 0) return;
  for (int i = 1; i < kWays; ++i) sum += parts[i][own];
  power[first + own] = 5000 * sum / kDirections;  // fault
}

// What each layout yields over all times. A warp has a layout.
__global__ void __launch_bounds__(kThreads)
    add_up(float* __restrict__ yearly, const float* __restrict__ power) {
  const auto layout = static_cast<int>((blockIdx.x * kThreads + threadIdx.x) / 32);
  const auto lane = static_cast<int>(threadIdx.x % 32);
  float sum = power[layout * kEach + lane] + power[layout * kEach + 32 + lane];  // fault
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, far);
  if (lane == 0) yearly[layout] += 1e-3F * sum;
}

// A turbine turns on while its power grows, and back when it falls.
void control(const Farms& farms) {
  for (int i = 0; i < kTurbines; ++i) {
    const float now = farms.host_power[i];  // fault
    const float way = now < farms.before[i] ? -farms.way[i] : farms.way[i];
    const float turned = farms.host_yaw[i] + way;
    farms.host_yaw[i] = turned > kMostYaw ? kMostYaw : turned < -kMostYaw ? -kMostYaw : turned;  // fault
    farms.way[i] = way;
    farms.before[i] = now;
  }
}

void blow(Farms& farms) {
  draw_wind<<<kLayouts, kDirections, 0, farms.stream>>>(farms.wind, static_cast<unsigned>(farms.step++));
  find_power<<<kLayouts, kThreads, 0, farms.stream>>>(farms.power, farms.yaw, farms.places, farms.wind);
  add_up<<<kLayouts * 32 / kThreads, kThreads, 0, farms.stream>>>(farms.yearly, farms.power);
}

void steer_managed(Farms& farms) {
  blow(farms);
  CHECK(cudaStreamSynchronize(farms.stream));
  control(farms);
}

void steer_by_copies(Farms& farms) {
  CHECK(cudaMemcpyAsync(farms.yaw, farms.host_yaw, kTurbines * sizeof(float), cudaMemcpyHostToDevice,
                        farms.stream));
  blow(farms);
  CHECK(cudaMemcpyAsync(farms.host_power, farms.power, kTurbines * sizeof(float), cudaMemcpyDeviceToHost,
                        farms.stream));
  CHECK(cudaStreamSynchronize(farms.stream));
  control(farms);
}

float* managed_array(std::size_t n) {
  float* array = nullptr;
  CHECK(cudaMallocManaged(&array, n * sizeof(float)));  // fault
  return array;
}

void allocate(Farms& farms, bool managed) {
  if (managed) {
    farms.power = farms.host_power = managed_array(kTurbines);
    farms.yaw = farms.host_yaw = managed_array(kTurbines);
  } else {
    farms.power = device_array<float>(kTurbines);
    farms.yaw = device_array<float>(kTurbines);
    farms.host_power = pinned_array<float>(kTurbines);
    farms.host_yaw = pinned_array<float>(kTurbines);
  }
  farms.before = pinned_array<float>(kTurbines);
  farms.way = pinned_array<float>(kTurbines);
  for (int i = 0; i < kTurbines; ++i) {
    farms.host_power[i] = farms.host_yaw[i] = farms.before[i] = 0;
    farms.way[i] = i % 2 == 0 ? kStep : -kStep;
  }
}

Case make(bool managed) {
  const auto farms = std::make_shared<Farms>();
  farms->places = device_array<float2>(kTurbines);
  farms->wind = device_array<float>(kLayouts * kDirections);
  farms->yearly = device_array<float>(kLayouts);
  CHECK(cudaMemset(farms->yearly, 0, kLayouts * sizeof(float)));
  auto* places = pinned_array<float2>(kTurbines);
  for (unsigned i = 0; i < kTurbines; ++i)
    places[i] = make_float2(kFarm * mixed_fraction(2 * i), kFarm * mixed_fraction(2 * i + 1));
  CHECK(cudaMemcpy(farms->places, places, kTurbines * sizeof(float2), cudaMemcpyHostToDevice));
  CHECK(cudaFreeHost(places));
  CHECK(cudaStreamCreateWithFlags(&farms->stream, cudaStreamNonBlocking));
  allocate(*farms, managed);
  return {[=] { managed ? steer_managed(*farms) : steer_by_copies(*farms); },
          [=] { return device_sum(farms->yearly, kLayouts); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
