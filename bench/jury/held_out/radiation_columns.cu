// Radiation through 64 layers of 32,768 columns of air, at 16 wavelengths.
// At fault: the layers of a column lie side by side, so that neighbouring lanes read and write 256 bytes
// apart. The pattern is that of CliMA/RRTMGP.jl, whose pull request 610 stores layer by layer.
#include "../case.cuh"

namespace {

constexpr int kColumns = 1 << 15, kLayers = 64, kBands = 16, kThreads = 128;
constexpr std::size_t kCells = std::size_t{kColumns} * kLayers * kBands;

__device__ float below(float flux, float depth, float source) {
  const float passed = __expf(-depth);
  return flux * passed + source * (1 - passed);
}

__global__ void descend_column_major(float* __restrict__ fluxes, const float* __restrict__ depths,
                                     const float* __restrict__ sources) {
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int first = (static_cast<int>(blockIdx.y) * kColumns + column) * kLayers;
  float flux = 1;
  for (int layer = 0; layer < kLayers; ++layer) {
    flux = below(flux, depths[first + layer], sources[first + layer]);  // fault
    fluxes[first + layer] = flux;                                       // fault
  }
}

__global__ void descend_layer_major(float* __restrict__ fluxes, const float* __restrict__ depths,
                                    const float* __restrict__ sources) {
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int first = static_cast<int>(blockIdx.y) * kColumns * kLayers + column;
  float flux = 1;
#pragma unroll 8
  for (int layer = 0; layer < kLayers; ++layer) {
    const int at = first + layer * kColumns;
    flux = below(flux, depths[at], sources[at]);
    fluxes[at] = flux;
  }
}

// The value belongs to band, column and layer, wherever it is stored.
__global__ void fill_cells(float* values, unsigned seed, bool column_major) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, band = i / (kColumns * kLayers);
  const unsigned rest = i % (kColumns * kLayers);
  const unsigned column = column_major ? rest / kLayers : rest % kColumns;
  const unsigned layer = column_major ? rest % kLayers : rest / kColumns;
  values[i] = 0.1F * mixed_fraction((band * kColumns + column) * kLayers + layer + seed);
}

Case make(bool column_major) {
  auto* depths = device_array<float>(kCells);
  auto* sources = device_array<float>(kCells);
  auto* fluxes = device_array<float>(kCells);
  fill_cells<<<kCells / 256, 256>>>(depths, 1, column_major);
  fill_cells<<<kCells / 256, 256>>>(sources, 1U << 30, column_major);
  return {[=] {
            const dim3 grid(kColumns / kThreads, kBands);
            if (column_major) {
              descend_column_major<<<grid, kThreads>>>(fluxes, depths, sources);
            } else {
              descend_layer_major<<<grid, kThreads>>>(fluxes, depths, sources);
            }
          },
          [=] { return device_sum(fluxes, std::size_t{kColumns} * kLayers); }, 900};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
