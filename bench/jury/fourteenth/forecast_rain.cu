// Forecasts rain on a map of 2048 x 1024 places: 16 possible rains are carried along by the wind, 12 steps a
// round, and the host gets a map of how likely rain is at each place. It looks at that map two rounds later.
// At fault: the maps of the host are ordinary memory, so the copy of 8 MB is slow and the host waits for it,
// and no kernel runs beside it. The pattern is that of cholla-hydro/cholla, pull request 24, and
// NVIDIA/cuda-quantum, pull request 4261: results are copied to pinned memory.
#include <array>
#include <memory>
#include <vector>

#include "../case.cuh"

namespace {

constexpr int kWide = 2048, kHigh = 1024, kPlaces = kWide * kHigh, kRains = 16, kSteps = 12, kSlots = 2;
constexpr int kThreads = 256, kLooked = 4096, kRounds = 2800;
constexpr std::size_t kAll = std::size_t{kRains} * kPlaces;
constexpr float kWet = 0.45F;

// Each rain is a map.
struct Rains {
  float *now, *next;
};

struct Slot {
  float *likely, *shown;
  cudaEvent_t computed, copied;
};

__device__ int place_at(int column, int row) {
  return (row & (kHigh - 1)) * kWide + (column & (kWide - 1));
}

// A thread has a place in all rains, which come from where the wind was. `likely` may be null.
__global__ void __launch_bounds__(kThreads)
    carry(float* __restrict__ next, float* __restrict__ likely, const float* __restrict__ now,
          const float2* __restrict__ wind, const float* __restrict__ seen) {
  const int place = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const float2 by = wind[place];
  const float column = static_cast<float>(place % kWide) - by.x,
              row = static_cast<float>(place / kWide) - by.y;
  const int left = static_cast<int>(floorf(column)), above = static_cast<int>(floorf(row));
  const float right = column - static_cast<float>(left), below = row - static_cast<float>(above);
  const int from[4] = {place_at(left, above), place_at(left + 1, above), place_at(left, above + 1),
                       place_at(left + 1, above + 1)};
  const float fresh = seen[place];
  int wet = 0;
#pragma unroll
  for (int rain = 0; rain < kRains; ++rain) {
    const float* map = now + rain * kPlaces;
    const float upper = map[from[0]] + right * (map[from[1]] - map[from[0]]);
    const float lower = map[from[2]] + right * (map[from[3]] - map[from[2]]);
    const float grown = 0.02F + 0.0005F * static_cast<float>(rain);
    const float value = 0.98F * (upper + below * (lower - upper)) + grown * fresh;
    next[rain * kPlaces + place] = value;
    wet += value > kWet ? 1 : 0;
  }
  if (likely != nullptr) likely[place] = static_cast<float>(wet) / kRains;
}

// The wind turns slowly from place to place, and what radar sees comes in showers of 64 x 64 places.
__global__ void __launch_bounds__(kThreads) make_weather(float2* wind, float* seen) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x, column = i % kWide, row = i / kWide;
  const float across = 2 * static_cast<float>(column) / kWide, down = 2 * static_cast<float>(row) / kHigh;
  wind[i] = make_float2(1.5F + sinpif(down), 0.7F * cospif(across));
  seen[i] = mixed_fraction(row / 64 * (kWide / 64) + column / 64);
}

float* ordinary_array(std::size_t n) {
  static std::vector<std::vector<float>> kept;
  return kept.emplace_back(n).data();  // fault
}

Slot made_slot(bool pinned) {
  Slot slot{device_array<float>(kPlaces), pinned ? pinned_array<float>(kPlaces) : ordinary_array(kPlaces),
            nullptr, nullptr};
  std::fill_n(slot.shown, kPlaces, 0.0F);
  CHECK(cudaEventCreateWithFlags(&slot.computed, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&slot.copied, cudaEventDisableTiming));
  return slot;
}

struct Streams {
  cudaStream_t kernels, copies;
};

Streams made_streams() {
  Streams streams{};
  CHECK(cudaStreamCreateWithFlags(&streams.kernels, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&streams.copies, cudaStreamNonBlocking));
  return streams;
}

// The copy of the map before may go on meanwhile.
void forecast(Rains& rains, const Slot& slot, const Streams& streams, const float2* wind, const float* seen) {
  for (int step = 0; step < kSteps; ++step) {
    float* likely = step == kSteps - 1 ? slot.likely : nullptr;
    carry<<<kPlaces / kThreads, kThreads, 0, streams.kernels>>>(rains.next, likely, rains.now, wind, seen);
    std::swap(rains.now, rains.next);
  }
  CHECK(cudaEventRecord(slot.computed, streams.kernels));
  CHECK(cudaStreamWaitEvent(streams.copies, slot.computed));
  CHECK(cudaMemcpyAsync(slot.shown, slot.likely, kPlaces * sizeof(float), cudaMemcpyDeviceToHost,  // fault
                        streams.copies));                                                          // fault
  CHECK(cudaEventRecord(slot.copied, streams.copies));
}

struct Seen {
  int round;
  double total;
};

Case make(bool pinned) {
  auto* wind = device_array<float2>(kPlaces);
  auto* seen = device_array<float>(kPlaces);
  make_weather<<<kPlaces / kThreads, kThreads>>>(wind, seen);
  auto rains = std::make_shared<Rains>(Rains{device_array<float>(kAll), device_array<float>(kAll)});
  fill_fractions(rains->now, kAll, 3);
  const std::array<Slot, kSlots> slots{made_slot(pinned), made_slot(pinned)};
  const Streams streams = made_streams();
  auto host = std::make_shared<Seen>(Seen{});
  return {[=] {
            const Slot& slot = slots[host->round++ % kSlots];
            CHECK(cudaEventSynchronize(slot.copied));
            for (int place = 0; place < kPlaces; place += kLooked)
              host->total += static_cast<double>(slot.shown[place]);
            forecast(*rains, slot, streams, wind, seen);  // fault
          },
          [=] { return host->total + device_sum(rains->now, kAll); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(false); }, [] { return make(true); });
}
