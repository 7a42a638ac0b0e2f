// The fraction of each of 8 components in the mixture of 2 million cells of a reservoir.
// At fault: the components of a cell are contiguous, so that the lanes of a warp read and write doubles 64
// bytes apart. The pattern is that of GEOS-DEV/GEOS, whose pull request 1463 changes the layout of such
// arrays for GPUs.
#include "../case.cuh"

namespace {

constexpr int kCells = 2 << 20, kComponents = 8, kThreads = 256;
constexpr std::size_t kWords = static_cast<std::size_t>(kCells) * kComponents;

__global__ void fractions_cell_major(double* fractions, const double* densities) {
  const int cell = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (cell >= kCells) return;
  double total = 0;
  for (int c = 0; c < kComponents; ++c) total += densities[cell * kComponents + c];  // fault
  const double inverse = 1 / total;
  for (int c = 0; c < kComponents; ++c) {
    fractions[cell * kComponents + c] = densities[cell * kComponents + c] * inverse;  // fault
  }
}

__global__ void fractions_component_major(double* fractions, const double* densities) {
  const int cell = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (cell >= kCells) return;
  double total = 0;
  for (int c = 0; c < kComponents; ++c) total += densities[c * kCells + cell];
  const double inverse = 1 / total;
  for (int c = 0; c < kComponents; ++c) fractions[c * kCells + cell] = densities[c * kCells + cell] * inverse;
}

__global__ void fill_densities(double* densities, bool cell_major) {
  const int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (at >= kCells * kComponents) return;
  const int cell = cell_major ? at / kComponents : at % kCells,
            component = cell_major ? at % kComponents : at / kCells;
  densities[at] =
      1 + static_cast<double>(mixed_fraction(static_cast<unsigned>(cell * kComponents + component)));
}

// The fractions of a cell add up to 1, so each is weighed by what it is of.
double weighted_sum(const double* fractions, bool cell_major) {
  auto* host = pinned_array<double>(kWords);
  CHECK(cudaMemcpy(host, fractions, kWords * sizeof(double), cudaMemcpyDeviceToHost));
  double sum = 0;
  for (std::size_t i = 0; i < kWords; ++i) {
    const std::size_t component = cell_major ? i % kComponents : i / kCells;
    sum += host[i] * static_cast<double>(component + 1);
  }
  CHECK(cudaFreeHost(host));
  return sum;
}

Case make(bool cell_major) {
  auto* densities = device_array<double>(kWords);
  auto* fractions = device_array<double>(kWords);
  fill_densities<<<blocks_for(kWords, 256), 256>>>(densities, cell_major);
  return {[=] {
            auto* kernel = cell_major ? fractions_cell_major : fractions_component_major;
            kernel<<<blocks_for(kCells, kThreads), kThreads>>>(fractions, densities);
          },
          [=] { return weighted_sum(fractions, cell_major); }, 2400};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
