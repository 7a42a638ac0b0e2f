// Solves the tridiagonal system of each of 16,384 cells, 256 compartments of doubles a cell, a thread a cell.
// At fault: the compartments of a cell are contiguous, so that the lanes of a warp read and write words 2 KB
// apart. There are 128 blocks. The pattern is that of arbor-sim/arbor, whose issue 185 interleaves the
// matrices of its cells.
#include "../case.cuh"

namespace {

constexpr int kCells = 16384, kLength = 256, kThreads = 128;
constexpr std::size_t kWords = static_cast<std::size_t>(kCells) * kLength;

struct System {
  const double *diagonal, *coupling, *right;
  double *factor, *solution;
};

__global__ void solve_cell_major(System s) {
  const int first = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) * kLength;
  double factor = 0, value = 0, before = 0;
  for (int i = 0; i < kLength; ++i) {
    const double next = s.coupling[first + i];                           // fault
    const double scale = 1 / (s.diagonal[first + i] - before * factor);  // fault
    value = (s.right[first + i] - before * value) * scale;               // fault
    factor = next * scale;
    s.factor[first + i] = factor;   // fault
    s.solution[first + i] = value;  // fault
    before = next;
  }
  for (int i = kLength - 2; i >= 0; --i) {
    value = s.solution[first + i] - s.factor[first + i] * value;  // fault
    s.solution[first + i] = value;                                // fault
  }
}

__global__ void solve_interleaved(System s) {
  const int cell = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  double factor = 0, value = 0, before = 0;
  for (int i = 0; i < kLength; ++i) {
    const int at = i * kCells + cell;
    const double next = s.coupling[at];
    const double scale = 1 / (s.diagonal[at] - before * factor);
    value = (s.right[at] - before * value) * scale;
    factor = next * scale;
    s.factor[at] = factor;
    s.solution[at] = value;
    before = next;
  }
  for (int i = kLength - 2; i >= 0; --i) {
    const int at = i * kCells + cell;
    value = s.solution[at] - s.factor[at] * value;
    s.solution[at] = value;
  }
}

// The diagonal dominates, as it does in the equation of a cable.
__global__ void fill_systems(double* diagonal, double* coupling, double* right, bool cell_major) {
  const int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (at >= kCells * kLength) return;
  const int cell = cell_major ? at / kLength : at % kCells, i = cell_major ? at % kLength : at / kCells;
  const auto number = static_cast<unsigned>(cell * kLength + i);
  diagonal[at] = 3 + static_cast<double>(mixed_fraction(number));
  coupling[at] = -static_cast<double>(mixed_fraction(number + 17));
  right[at] = 1 + static_cast<double>(mixed_fraction(number + 71));
}

Case make(bool cell_major) {
  static_assert(kCells % kThreads == 0);
  auto* diagonal = device_array<double>(kWords);
  auto* coupling = device_array<double>(kWords);
  auto* right = device_array<double>(kWords);
  fill_systems<<<blocks_for(kWords, 256), 256>>>(diagonal, coupling, right, cell_major);
  const System system{diagonal, coupling, right, device_array<double>(kWords), device_array<double>(kWords)};
  return {[=] {
            auto* kernel = cell_major ? solve_cell_major : solve_interleaved;
            kernel<<<kCells / kThreads, kThreads>>>(system);
          },
          [=] { return device_sum(system.solution, kWords); }, 1000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
