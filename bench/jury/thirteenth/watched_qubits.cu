// Ten qubits in a ring, which a field turns and their surroundings watch: the density matrix of 1024 x 1024
// states is moved on by the method of Runge and Kutta, four stages a step, two steps a round, and the share
// of each state is added up.
// At fault: the host waits for the device after each stage, though nothing is read, so the GPU idles before
// the next one. The pattern is that of NVIDIA/cuda-quantum, pull request 4596: no wait in each call, which
// saves 10 to 15 us; GridTools/gridtools, pull request 1107: no wait after a kernel.
#include <memory>

#include "../case.cuh"

namespace {

constexpr int kQubits = 10, kStates = 1 << kQubits, kCells = kStates * kStates, kThreads = 256;
constexpr int kStages = 4, kSteps = 2, kRounds = 14000;
constexpr float kTime = 0.01F, kPair = 0.7F, kField = 1.1F, kWatched = 0.002F;

// A step begins with `now`; the next stage looks at `stage`, and `sum` becomes the end of the step.
struct Matrices {
  float2 *now, *stage, *sum;
};

// How far a stage goes for the next one, and how much it adds to the sum.
struct Stage {
  float far, share, field;
  bool first, last;
};

// Neighbours in the ring like to point the same way.
__device__ float energy(unsigned state) {
  const unsigned turned = (state << 1 | state >> (kQubits - 1)) & (kStates - 1);
  return kPair * static_cast<float>(2 * __popc(state ^ turned) - kQubits);
}

// How fast a cell changes. The field turns one qubit of its row or of its column.
__device__ float2 change(const float2* __restrict__ matrix, unsigned row, unsigned column, float2 own,
                         float field) {
  float2 turned = make_float2(0, 0);
#pragma unroll
  for (unsigned qubit = 0; qubit < kQubits; ++qubit) {
    const float2 above = matrix[(row ^ 1U << qubit) * kStates + column];
    const float2 beside = matrix[row * kStates + (column ^ 1U << qubit)];
    turned.x += above.x - beside.x;
    turned.y += above.y - beside.y;
  }
  const float apart = energy(row) - energy(column);
  const float lost = 2 * kWatched * static_cast<float>(__popc(row ^ column));
  return make_float2(apart * own.y - field * turned.y - lost * own.x,
                     field * turned.x - apart * own.x - lost * own.y);
}

// A thread has a cell. The first stage looks at where the step begins.
__global__ void __launch_bounds__(kThreads)
    advance(float2* __restrict__ next, float2* __restrict__ sum, float* __restrict__ seen,
            const float2* __restrict__ looked_at, const float2* __restrict__ begin, Stage stage) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x, row = i / kStates, column = i % kStates;
  const float2 own = looked_at[i], from = begin[i], to = stage.first ? from : sum[i];
  const float2 by = change(looked_at, row, column, own, stage.field);
  const float2 now = make_float2(to.x + stage.share * by.x, to.y + stage.share * by.y);
  sum[i] = now;
  if (!stage.last) next[i] = make_float2(from.x + stage.far * by.x, from.y + stage.far * by.y);
  if (stage.last && row == column) seen[row] += now.x * static_cast<float>(1 + __popc(row));
}

// All qubits point up.
__global__ void __launch_bounds__(kThreads) begin_up(float2* matrix) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  matrix[i] = make_float2(i == 0 ? 1 : 0, 0);
}

// Stages look at `now`, `stage` and `other` in turn; a stage may not write what it looks at.
struct State {
  Matrices matrices;
  float2* other;
  int step;
};

float field_at(int half_step) {
  return kField * (1 + 0.3F * std::sin(0.01F * static_cast<float>(half_step % 100000)));
}

void take_step(State& state, float* seen, bool wait) {
  Matrices& all = state.matrices;
  const int half = 2 * state.step++;
  const Stage stages[kStages] = {{kTime / 2, kTime / 6, field_at(half), true, false},
                                 {kTime / 2, kTime / 3, field_at(half + 1), false, false},
                                 {kTime, kTime / 3, field_at(half + 1), false, false},
                                 {0, kTime / 6, field_at(half + 2), false, true}};
  const float2* looked_at = all.now;
  for (const Stage& stage : stages) {
    float2* next = looked_at == all.stage ? state.other : all.stage;
    advance<<<kCells / kThreads, kThreads>>>(next, all.sum, seen, looked_at, all.now, stage);
    CHECK(cudaGetLastError());
    if (wait) CHECK(cudaDeviceSynchronize());  // fault
    looked_at = next;
  }
  std::swap(all.now, all.sum);
}

Case make(bool wait) {
  const auto state = std::make_shared<State>(
      State{{device_array<float2>(kCells), device_array<float2>(kCells), device_array<float2>(kCells)},
            device_array<float2>(kCells),
            0});
  auto* seen = device_array<float>(kStates);
  CHECK(cudaMemset(seen, 0, kStates * sizeof(float)));
  begin_up<<<kCells / kThreads, kThreads>>>(state->matrices.now);
  return {[=] {
            for (int step = 0; step < kSteps; ++step) take_step(*state, seen, wait);  // fault
          },
          [=] { return device_sum(seen, kStates); }, kRounds};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
