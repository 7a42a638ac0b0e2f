// Controls 64 greenhouses: a controller on the host sets heating, windows, fog and lamps of each house by
// what its sensors told some rounds before, the GPU moves warmth and moisture through the air of the houses
// for a while, plants take up and give off water, and sensors read means. An interval of control a round.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kHouses = 64, kWide = 128, kDeep = 64, kHigh = 8, kCells = kWide * kDeep * kHigh;
constexpr int kBeds = kWide * kDeep, kThreads = 256, kSteps = 4, kSlots = 4, kZones = 16, kRounds = 12500;
constexpr float kSpread = 0.12F, kLoss = 0.002F, kUptake = 0.01F;
constexpr unsigned kMask = 0xffffffffU;

// What the controller sets: heat and fog of 16 zones, and the rest for the whole house.
struct Settings {
  float heat[kZones], fog[kZones];
  float window, lamps, outside, dew;
};

// Warmth and moisture, as means of a house.
struct Reading {
  float warmth, moisture;
};

struct Slot {
  Settings* settings;
  Reading* readings;
  cudaEvent_t done;
};

struct Estate {
  float2 *air, *next_air;
  float* leaves;
  Settings* settings;
  Reading* readings;
  float* growth;
  Slot slots[kSlots];
  cudaStream_t stream;
  int round;
};

__device__ int zone_of(int x, int y) {
  return y / (kDeep / 4) * 4 + x / (kWide / 4);
}

__device__ float2 sum_of(const float2& a, const float2& b) {
  return make_float2(a.x + b.x, a.y + b.y);
}

// Air mixes with its neighbours; heating is at the ground, windows are in the roof. Blocks along y are
// houses.
__global__ void __launch_bounds__(kThreads) mix_air(float2* __restrict__ next, const float2* __restrict__ air,
                                                    const Settings* __restrict__ settings) {
  const auto cell = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const auto house = static_cast<int>(blockIdx.y);
  const int x = cell % kWide, y = cell / kWide % kDeep, z = cell / kBeds;
  const float2* here = air + house * kCells + cell;
  const Settings& set = settings[house];
  const float2 own = *here;
  float2 sum = make_float2(-6 * own.x, -6 * own.y);
  sum = sum_of(sum, here[x > 0 ? -1 : 0]);
  sum = sum_of(sum, here[x < kWide - 1 ? 1 : 0]);
  sum = sum_of(sum, here[y > 0 ? -kWide : 0]);
  sum = sum_of(sum, here[y < kDeep - 1 ? kWide : 0]);
  sum = sum_of(sum, here[z > 0 ? -kBeds : 0]);
  sum = sum_of(sum, here[z < kHigh - 1 ? kBeds : 0]);
  float2 result = make_float2(own.x + kSpread * sum.x, own.y + kSpread * sum.y);
  if (z == 0) {
    result.x += set.heat[zone_of(x, y)];
    result.y += set.fog[zone_of(x, y)];
  }
  const float open = z == kHigh - 1 ? kLoss + set.window : kLoss;
  result.x += open * (set.outside - result.x);
  result.y += open * (set.dew - result.y);
  next[house * kCells + cell] = result;
}

// Leaves take up water from the ground while there is light, and give it to the air above. A thread has a
// bed.
__global__ void __launch_bounds__(kThreads)
    breathe(float2* __restrict__ air, float* __restrict__ leaves, const Settings* __restrict__ settings) {
  const auto bed = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const auto house = static_cast<int>(blockIdx.y);
  float2* above = air + house * kCells + bed;
  float2 own = *above;
  float water = leaves[house * kBeds + bed];
  const float light = settings[house].lamps;
  const float dry = fmaxf(1 - own.y, 0) * (0.3F + light);
  const float given = kUptake * water * dry;
  water += kUptake * (1 - water) * (0.5F + light) - given;
  own.y += given;
  own.x += 0.02F * light - 0.1F * given;
  leaves[house * kBeds + bed] = water;
  *above = own;
}

// A block has a house.
__global__ void __launch_bounds__(1024)
    read_sensors(Reading* __restrict__ readings, float* __restrict__ growth, const float2* __restrict__ air,
                 const float* __restrict__ leaves) {
  __shared__ float3 warps[32];
  const auto house = static_cast<int>(blockIdx.x), thread = static_cast<int>(threadIdx.x);
  float3 sum = make_float3(0, 0, 0);
#pragma unroll
  for (int bed = thread; bed < kBeds; bed += 1024) {
    const float2 there = air[house * kCells + 2 * kBeds + bed];
    sum.x += there.x;
    sum.y += there.y;
    sum.z += leaves[house * kBeds + bed];
  }
  for (int far = 16; far > 0; far /= 2) {
    sum.x += __shfl_xor_sync(kMask, sum.x, far);
    sum.y += __shfl_xor_sync(kMask, sum.y, far);
    sum.z += __shfl_xor_sync(kMask, sum.z, far);
  }
  if (thread % 32 == 0) warps[thread / 32] = sum;
  __syncthreads();
  if (thread >= 32) return;
  sum = warps[thread];
  for (int far = 16; far > 0; far /= 2) {
    sum.x += __shfl_xor_sync(kMask, sum.x, far);
    sum.y += __shfl_xor_sync(kMask, sum.y, far);
    sum.z += __shfl_xor_sync(kMask, sum.z, far);
  }
  if (thread != 0) return;
  readings[house] = {sum.x / kBeds, sum.y / kBeds};
  growth[house] += 1e-3F * (sum.x + sum.z) / kBeds;
}

__global__ void __launch_bounds__(kThreads) fill_air(float2* air, float* leaves) {
  const auto i = static_cast<unsigned>(blockIdx.x * kThreads + threadIdx.x);
  air[i] = make_float2(0.5F + 0.2F * mixed_fraction(i), 0.4F + 0.2F * mixed_fraction(i + 99));
  if (i < kHouses * kBeds) leaves[i] = mixed_fraction(i + 7);
}

// Day and night come to the houses one after the other.
void control(Settings& set, const Reading& reading, int house, int round) {
  const float day = std::sin(0.003F * static_cast<float>(round) + 0.4F * static_cast<float>(house));
  const float cold = std::clamp(0.6F - reading.warmth, 0.0F, 0.5F);
  const float dry = std::clamp(0.7F - reading.moisture, 0.0F, 0.5F);
  for (int zone = 0; zone < kZones; ++zone) {
    const float share = 0.8F + 0.4F * static_cast<float>(zone) / kZones;
    set.heat[zone] = 0.1F * share * cold;
    set.fog[zone] = 0.05F * share * dry;
  }
  set.window = 0.2F * std::clamp(reading.warmth - 0.7F, 0.0F, 0.5F);
  set.lamps = std::max(0.3F + 0.5F * day, 0.0F);
  set.outside = 0.3F + 0.2F * day;
  set.dew = 0.35F - 0.1F * day;
}

struct UploadHouseByHouse {
  void operator()(const Estate& estate, const Slot& slot) const {
    for (int house = 0; house < kHouses; ++house)
      CHECK(cudaMemcpyAsync(estate.settings + house, slot.settings + house, sizeof(Settings),  // fault
                            cudaMemcpyHostToDevice, estate.stream));
  }
};

struct UploadTogether {
  void operator()(const Estate& estate, const Slot& slot) const {
    CHECK(cudaMemcpyAsync(estate.settings, slot.settings, kHouses * sizeof(Settings), cudaMemcpyHostToDevice,
                          estate.stream));
  }
};

template <class Upload>
void run_interval(Estate& estate, Upload upload) {
  const int round = estate.round++;
  const Slot& slot = estate.slots[round % kSlots];
  CHECK(cudaEventSynchronize(slot.done));
  for (int house = 0; house < kHouses; ++house)
    control(slot.settings[house], slot.readings[house], house, round);
  upload(estate, slot);
  for (int step = 0; step < kSteps; ++step) {
    mix_air<<<dim3(kCells / kThreads, kHouses), kThreads, 0, estate.stream>>>(estate.next_air, estate.air,
                                                                              estate.settings);
    std::swap(estate.air, estate.next_air);
  }
  breathe<<<dim3(kBeds / kThreads, kHouses), kThreads, 0, estate.stream>>>(estate.air, estate.leaves,
                                                                           estate.settings);
  read_sensors<<<kHouses, 1024, 0, estate.stream>>>(estate.readings, estate.growth, estate.air,
                                                    estate.leaves);
  CHECK(cudaMemcpyAsync(slot.readings, estate.readings, kHouses * sizeof(Reading), cudaMemcpyDeviceToHost,
                        estate.stream));
  CHECK(cudaEventRecord(slot.done, estate.stream));
}

template <class Upload>
Case make(Upload upload) {
  const auto estate = std::make_shared<Estate>();
  estate->air = device_array<float2>(std::size_t{kHouses} * kCells);
  estate->next_air = device_array<float2>(std::size_t{kHouses} * kCells);
  estate->leaves = device_array<float>(kHouses * kBeds);
  estate->settings = device_array<Settings>(kHouses);
  estate->readings = device_array<Reading>(kHouses);
  estate->growth = device_array<float>(kHouses);
  fill_air<<<kHouses*(kCells / kThreads), kThreads>>>(estate->air, estate->leaves);
  CHECK(cudaGetLastError());
  CHECK(cudaMemset(estate->growth, 0, kHouses * sizeof(float)));
  CHECK(cudaStreamCreateWithFlags(&estate->stream, cudaStreamNonBlocking));
  for (Slot& slot : estate->slots) {
    slot.settings = pinned_array<Settings>(kHouses);
    slot.readings = pinned_array<Reading>(kHouses);
    std::fill_n(slot.readings, kHouses, Reading{0.5F, 0.5F});
    CHECK(cudaEventCreateWithFlags(&slot.done, cudaEventDisableTiming));
  }
  return {[=] { run_interval(*estate, upload); }, [=] { return device_sum(estate->growth, kHouses); },
          kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(UploadHouseByHouse{}); }, [] { return make(UploadTogether{}); });
}
