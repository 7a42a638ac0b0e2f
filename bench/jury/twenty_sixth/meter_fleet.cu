// A fleet of electricity meters: each fortnight of hourly readings goes through the forecast of its meter
// (level, trend and the usual day, smoothed exponentially), households are compared with known kinds of days,
// bills are written, and the peaks of the feeders are kept. Eight fortnights a round.
#include <memory>
#include <vector>

#include "../case.cuh"

namespace {

constexpr int kMeters = 1 << 18, kDays = 14, kHours = 24, kTimes = kDays * kHours, kReels = 3;
constexpr int kThreads = 128, kBlocks = kMeters / kThreads, kKinds = 256, kFeederMeters = 256;
constexpr int kFeeders = kMeters / kFeederMeters, kFortnights = 8, kRounds = 420, kAlarmRing = 64;
constexpr std::size_t kReadings = std::size_t{kMeters} * kTimes;
constexpr float kLearnLevel = 0.08F, kLearnTrend = 0.002F, kLearnDay = 0.1F, kDamp = 0.98F;
constexpr float kOdd = 2.5F;
constexpr unsigned kMask = 0xffffffffU;

// What a day looks like, less its mean.
__constant__ float kind_days[kKinds][kHours];

// Readings as the collectors hand them over.
struct Records {
  static __device__ std::size_t at(int meter, int time) { return std::size_t{kTimes} * meter + time; }
};

struct Moments {
  static __device__ std::size_t at(int meter, int time) { return std::size_t{kMeters} * time + meter; }
};

// All of a meter that is kept from one fortnight to the next one. Days have the hour first.
struct State {
  float *levels, *trends, *days;
};

struct Results {
  float *energies, *peaks;  // by days
  float* errors;            // of the forecast
  int* kinds;
};

struct Fleet {
  float* reels[kReels];
  State state;
  Results results;
  float *bills, *feeder_peaks;
  unsigned* alarms;
  int fortnight = 0;
};

// A thread has a meter. Its usual day stays in shared memory, in a column of its own.
template <class Order>
__global__ void __launch_bounds__(kThreads, 16)
    smooth_fortnight(State state, Results results, const float* __restrict__ readings, float weather) {
  __shared__ float usual[kHours][kThreads];
  const auto thread = static_cast<int>(threadIdx.x);
  const auto meter = static_cast<int>(blockIdx.x) * kThreads + thread;
#pragma unroll 8
  for (int hour = 0; hour < kHours; ++hour) usual[hour][thread] = state.days[hour * kMeters + meter];
  float level = state.levels[meter], trend = state.trends[meter], error = 0;
  for (int day = 0; day < kDays; ++day) {
    float energy = 0, peak = 0;
#pragma unroll 8
    for (int hour = 0; hour < kHours; ++hour) {
      const float load = weather * readings[Order::at(meter, day * kHours + hour)];  // fault
      const float expected = level + trend + usual[hour][thread];
      const float off = load - expected;
      level += trend + kLearnLevel * off;
      trend = kDamp * (trend + kLearnTrend * off);
      usual[hour][thread] += kLearnDay * off;
      energy += load;
      peak = fmaxf(peak, load);
      error += fabsf(off);
    }
    results.energies[day * kMeters + meter] = energy;
    results.peaks[day * kMeters + meter] = peak;
  }
#pragma unroll 8
  for (int hour = 0; hour < kHours; ++hour) state.days[hour * kMeters + meter] = usual[hour][thread];
  state.levels[meter] = level;
  state.trends[meter] = trend;
  results.errors[meter] = error / kTimes;
}

// Which kind of day comes next to the usual one.
__global__ void __launch_bounds__(kThreads)
    match_kinds(int* __restrict__ kinds, const float* __restrict__ days) {
  const auto meter = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  float day[kHours], mean = 0;
#pragma unroll
  for (int hour = 0; hour < kHours; ++hour) {
    day[hour] = days[hour * kMeters + meter];
    mean += day[hour] / kHours;
  }
#pragma unroll
  for (int hour = 0; hour < kHours; ++hour) day[hour] -= mean;
  float best = 1e30F;
  int chosen = 0;
  for (int kind = 0; kind < kKinds; ++kind) {
    float apart = 0;
#pragma unroll
    for (int hour = 0; hour < kHours; ++hour) {
      const float gap = day[hour] - kind_days[kind][hour];
      apart += gap * gap;
    }
    chosen = apart < best ? kind : chosen;
    best = fminf(best, apart);
  }
  kinds[meter] = chosen;
}

// Prices depend on the kind of household. Meters that surprise are counted, first for the block.
__global__ void __launch_bounds__(kThreads)
    write_bills(float* __restrict__ bills, unsigned* __restrict__ alarm, Results results) {
  const auto meter = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  float energy = 0, peak = 0;
#pragma unroll
  for (int day = 0; day < kDays; ++day) {
    energy += results.energies[day * kMeters + meter];
    peak = fmaxf(peak, results.peaks[day * kMeters + meter]);
  }
  const float price = 0.2F + 0.0004F * static_cast<float>(results.kinds[meter]);
  bills[meter] = 0.9F * bills[meter] + 0.1F * (price * energy + 1.5F * peak);
  const int odd = __syncthreads_count(results.errors[meter] * kHours > kOdd * energy / kDays);
  if (threadIdx.x == 0 && odd > 0) atomicAdd(alarm, static_cast<unsigned>(odd));
}

__device__ float warp_sum(float sum) {
  for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(kMask, sum, far);
  return sum;
}

// A block has a feeder: the day on which its meters' peaks add up to most.
__global__ void __launch_bounds__(kFeederMeters)
    keep_feeders(float* __restrict__ feeder_peaks, const float* __restrict__ peaks) {
  __shared__ float parts[kDays][kFeederMeters / 32];
  const auto thread = static_cast<int>(threadIdx.x), feeder = static_cast<int>(blockIdx.x);
#pragma unroll
  for (int day = 0; day < kDays; ++day) {
    const float sum = warp_sum(peaks[day * kMeters + feeder * kFeederMeters + thread]);
    if (thread % 32 == 0) parts[day][thread / 32] = sum;
  }
  __syncthreads();
  if (thread != 0) return;
  float most = 0;
  for (const auto& day : parts) {
    float sum = 0;
    for (const float part : day) sum += part;
    most = fmaxf(most, sum);
  }
  feeder_peaks[feeder] = 0.95F * feeder_peaks[feeder] + 0.05F * most;
}

__host__ __device__ float wave(float hour, float peak, float wide) {
  const float off = (hour - peak) / wide;
  return expf(-off * off);
}

// People cook, come home and heat, each at times of their own.
template <class Order>
__global__ void __launch_bounds__(256) read_meters(float* readings, unsigned reel) {
  const std::size_t i = std::size_t{blockIdx.x} * 256 + threadIdx.x;
  const auto meter = static_cast<int>(i % kMeters), time = static_cast<int>(i / kMeters);
  const auto random = [&](unsigned seed) {
    return mixed_fraction(static_cast<unsigned>(meter) + seed * kMeters);
  };
  const auto hour = static_cast<float>(time % kHours);
  const float size = 0.3F + random(1) * random(1),
              noise = mixed_fraction(static_cast<unsigned>(i) * 3 + reel);
  const float cook = random(2) * wave(hour, 6 + 3 * random(3), 1.5F);
  const float home = 2 * random(4) * wave(hour, 17 + 4 * random(5), 2.5F);
  const float weekend = time / kHours % 7 > 4 ? 1.3F : 1.0F;
  readings[Order::at(meter, time)] = size * (0.4F + weekend * (cook + home)) + 0.3F * noise * noise;
}

void upload_kinds() {
  std::vector<float> table(kKinds * kHours);
  for (unsigned kind = 0; kind < kKinds; ++kind) {
    float mean = 0;
    for (int hour = 0; hour < kHours; ++hour) {
      const auto time = static_cast<float>(hour);
      const float day =
          mixed_fraction(kind) * wave(time, 6 + 3 * mixed_fraction(kind + 1000), 1.5F) +
          2 * mixed_fraction(kind + 2000) * wave(time, 17 + 4 * mixed_fraction(kind + 3000), 2.5F);
      table[kind * kHours + hour] = day;
      mean += day / kHours;
    }
    for (int hour = 0; hour < kHours; ++hour) table[kind * kHours + hour] -= mean;
  }
  CHECK(cudaMemcpyToSymbol(kind_days, table.data(), table.size() * sizeof(float)));
}

template <class Order>
void bill_fortnight(Fleet& fleet) {
  const int number = fleet.fortnight++;
  const float weather = 1 + 0.25F * std::sin(0.24F * static_cast<float>(number));
  const Results& results = fleet.results;
  smooth_fortnight<Order><<<kBlocks, kThreads>>>(fleet.state, results, fleet.reels[number % kReels], weather);
  match_kinds<<<kBlocks, kThreads>>>(results.kinds, fleet.state.days);
  write_bills<<<kBlocks, kThreads>>>(fleet.bills, fleet.alarms + number % kAlarmRing, results);
  keep_feeders<<<kFeeders, kFeederMeters>>>(fleet.feeder_peaks, results.peaks);
}

float* zeros(std::size_t n) {
  auto* array = device_array<float>(n);
  CHECK(cudaMemset(array, 0, n * sizeof(float)));
  return array;
}

double account(const Fleet& fleet) {
  return device_sum(fleet.bills, kMeters) + device_sum(fleet.feeder_peaks, kFeeders) +
         1e-3 * device_sum(fleet.alarms, kAlarmRing) + device_sum(fleet.state.levels, kMeters);
}

template <class Order>
Case make() {
  const auto fleet = std::make_shared<Fleet>();
  upload_kinds();
  for (unsigned reel = 0; reel < kReels; ++reel) {
    fleet->reels[reel] = device_array<float>(kReadings);
    read_meters<Order><<<kReadings / 256, 256>>>(fleet->reels[reel], reel * 90000001U);
  }
  fleet->state = {zeros(kMeters), zeros(kMeters), zeros(std::size_t{kHours} * kMeters)};
  fleet->results = {zeros(std::size_t{kDays} * kMeters), zeros(std::size_t{kDays} * kMeters), zeros(kMeters),
                    device_array<int>(kMeters)};
  fleet->bills = zeros(kMeters);
  fleet->feeder_peaks = zeros(kFeeders);
  fleet->alarms = device_array<unsigned>(kAlarmRing);
  CHECK(cudaMemset(fleet->alarms, 0, kAlarmRing * sizeof(unsigned)));
  const auto round = [=] {
    for (int i = 0; i < kFortnights; ++i) bill_fortnight<Order>(*fleet);
  };
  return {round, [=] { return account(*fleet); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, make<Records>, make<Moments>);
}
