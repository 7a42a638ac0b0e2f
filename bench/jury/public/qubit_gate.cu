// Applies a gate to the twelfth of 26 qubits of a state, whose amplitudes are complex doubles.
// Nothing is wrong: the two amplitudes of a thread lie far apart, but those of neighbouring threads side by
// side. The pattern is that of QuEST-Kit/QuEST, QuEST/src/GPU/QuEST_gpu.cu.
#include "../case.cuh"

namespace {

constexpr int kQubits = 26, kTarget = 12, kThreads = 256;
constexpr std::size_t kPairs = std::size_t{1} << (kQubits - 1);

__device__ double2 times(double2 a, double2 b) {
  return make_double2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

__device__ double2 plus(double2 a, double2 b) {
  return make_double2(a.x + b.x, a.y + b.y);
}

// A rotation, so that the state keeps its length.
__global__ void rotate_qubit(double2* state, double cosine, double sine) {
  const std::size_t thread = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  constexpr std::size_t kDistance = std::size_t{1} << kTarget;
  const std::size_t low = thread / kDistance * 2 * kDistance + thread % kDistance, high = low + kDistance;
  const double2 a = state[low], b = state[high];
  const double2 stays = make_double2(cosine, 0), swaps = make_double2(0, -sine);
  state[low] = plus(times(stays, a), times(swaps, b));
  state[high] = plus(times(swaps, a), times(stays, b));
}

Case make() {
  auto* state = device_array<double2>(2 * kPairs);
  fill_fractions(reinterpret_cast<double*>(state), 4 * kPairs, 1);
  return {[=] { rotate_qubit<<<kPairs / kThreads, kThreads>>>(state, std::cos(0.01), std::sin(0.01)); },
          [=] { return device_sum(reinterpret_cast<double*>(state), std::size_t{1} << 21); }, 600};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, make);
}
