// Waves of sound in the sea and the ground beneath it, 256 x 192 x 192 cells. After each four steps 65,536
// receivers behind a ship, which has moved on, add what they hear to their traces. A table of pairs tells the
// cell and the trace of each.
// At fault: the host fills the table in managed memory, so its pages move to the host and fault back to the
// kernel in each round. The pattern is that of paboyle/Grid, pull request 421: a kernel fills the table.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kWide = 256, kHigh = 192, kDeep = 192, kLayer = kWide * kHigh, kCells = kLayer * kDeep;
constexpr int kCables = 128, kOnCable = 512, kReceivers = kCables * kOnCable, kThreads = 256;
constexpr int kSteps = 4, kRounds = 2500, kSeaDepth = 40, kReceiverDepth = 6;

// Pressures of two steps, and the squares of the speeds in cells a step.
struct Waves {
  float *now, *before, *speeds;
};

struct Pair {
  int cell, trace;
};

// Cables are towed along x, and a current bends them along y. Both run in a ring.
__host__ __device__ Pair receiver(int number, int round) {
  const int cable = number / kOnCable, place = number % kOnCable;
  const int x = (place / 2 + 3 * round) % kWide;
  const int y = (cable + (place * (round % 16)) / 256 + kHigh + round / 8) % kHigh;
  return {(kReceiverDepth + place % 2) * kLayer + y * kWide + x, number};
}

// A block has a row of cells. The pressures before become those of the next step.
__global__ void __launch_bounds__(kWide)
    step_waves(float* before, const float* __restrict__ now, const float* __restrict__ speeds, int source,
               float pulse) {
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(blockIdx.x),
            z = static_cast<int>(blockIdx.y);
  const int i = z * kLayer + y * kWide + x;
  const float own = now[i];
  const float along = (x > 0 ? now[i - 1] : 0) + (x < kWide - 1 ? now[i + 1] : 0);
  const float across = (y > 0 ? now[i - kWide] : 0) + (y < kHigh - 1 ? now[i + kWide] : 0);
  const float down = (z > 0 ? now[i - kLayer] : 0) + (z < kDeep - 1 ? now[i + kLayer] : 0);
  const float bent = along + across + down - 6 * own;
  const float next = 0.999F * (1.999F * own - before[i] + speeds[i] * bent);
  before[i] = i == source ? next + pulse : next;
}

__global__ void __launch_bounds__(kThreads)
    record(float* traces, const float* __restrict__ pressures, const Pair* __restrict__ table) {
  const Pair pair = table[blockIdx.x * kThreads + threadIdx.x];  // fault
  traces[pair.trace] += fabsf(pressures[pair.cell]);
}

__global__ void __launch_bounds__(kThreads) fill_table(Pair* table, int round) {
  const int number = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  table[number] = receiver(number, round);
}

void fill_on_host(Pair* table, int round) {
  for (int number = 0; number < kReceivers; ++number) table[number] = receiver(number, round);  // fault
}

// Sound is faster in the ground.
__global__ void __launch_bounds__(kWide) make_ground(float* speeds) {
  const int i = static_cast<int>(blockIdx.x * kWide + threadIdx.x), z = i / kLayer;
  const float share = mixed_fraction(static_cast<unsigned>(i));
  speeds[i] = z < kSeaDepth ? 0.08F : 0.12F + 0.08F * share;
}

Waves made_waves() {
  const Waves waves{device_array<float>(kCells), device_array<float>(kCells), device_array<float>(kCells)};
  CHECK(cudaMemset(waves.now, 0, kCells * sizeof(float)));
  CHECK(cudaMemset(waves.before, 0, kCells * sizeof(float)));
  make_ground<<<kCells / kWide, kWide>>>(waves.speeds);
  CHECK(cudaGetLastError());
  return waves;
}

// The ship sounds in every step.
void step(Waves& waves, int round) {
  const int source = 4 * kLayer + (kHigh / 2) * kWide + 3 * round % kWide;
  for (int number = 0; number < kSteps; ++number) {
    const float pulse = std::sin(0.3F * static_cast<float>((round * kSteps + number) % 1000));
    step_waves<<<dim3(kHigh, kDeep), kWide>>>(waves.before, waves.now, waves.speeds, source, pulse);
    std::swap(waves.now, waves.before);
  }
}

struct State {
  Waves waves;
  int round;
};

Case make(bool on_host) {
  const auto state = std::make_shared<State>(State{made_waves(), 0});
  auto* traces = device_array<float>(kReceivers);
  CHECK(cudaMemset(traces, 0, kReceivers * sizeof(float)));
  Pair* table = nullptr;
  if (on_host) {
    CHECK(cudaMallocManaged(&table, kReceivers * sizeof(Pair)));
  } else {
    table = device_array<Pair>(kReceivers);
  }
  cudaEvent_t recorded = nullptr;
  CHECK(cudaEventCreateWithFlags(&recorded, cudaEventDisableTiming));
  return {[=] {
            step(state->waves, state->round);
            if (on_host) {
              // The kernel of the round before has read the table.
              CHECK(cudaEventSynchronize(recorded));
              fill_on_host(table, state->round);
            } else {
              fill_table<<<kReceivers / kThreads, kThreads>>>(table, state->round);
            }
            record<<<kReceivers / kThreads, kThreads>>>(traces, state->waves.now, table);
            CHECK(cudaEventRecord(recorded));
            ++state->round;
          },
          [=] { return device_sum(traces, kReceivers); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
