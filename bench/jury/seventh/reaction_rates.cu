// Chemistry of two million cells of a flame: 24 species, each of which takes part in three reactions.
// At fault: the species of a cell lie side by side, so that lanes, which take a cell each, read and write 96
// bytes apart. The pattern is that of Pele-Suite/PelePhysics, pull request 183, which turns the vector of the
// solver.
#include "../case.cuh"

namespace {

constexpr int kCells = 1 << 21, kSpecies = 24, kThreads = 256;
constexpr std::size_t kFractions = std::size_t{kCells} * kSpecies;

__device__ void react(float* rates, const float* fractions, float heat) {
#pragma unroll
  for (int i = 0; i < kSpecies; ++i) rates[i] = 0;
#pragma unroll
  for (int i = 0; i < kSpecies; ++i) {
    const int other = (i + 5) % kSpecies, product = (i + 11) % kSpecies;
    const float speed = __expf(-heat * (0.5F + 0.125F * static_cast<float>(i % 8)));
    const float turned = speed * fractions[i] * fractions[other] - 0.1F * speed * fractions[product];
    rates[i] -= turned;
    rates[other] -= turned;
    rates[product] += 2 * turned;
  }
}

__global__ void rates_cell_by_cell(float* rates, const float* fractions, const float* heats) {
  const int cell = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  float own[kSpecies], found[kSpecies];
#pragma unroll
  for (int i = 0; i < kSpecies; ++i) own[i] = fractions[cell * kSpecies + i];  // fault
  react(found, own, heats[cell]);
#pragma unroll
  for (int i = 0; i < kSpecies; ++i) rates[cell * kSpecies + i] = found[i];  // fault
}

__global__ void rates_species_by_species(float* rates, const float* fractions, const float* heats) {
  const int cell = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  float own[kSpecies], found[kSpecies];
#pragma unroll
  for (int i = 0; i < kSpecies; ++i) own[i] = fractions[i * kCells + cell];
  react(found, own, heats[cell]);
#pragma unroll
  for (int i = 0; i < kSpecies; ++i) rates[i * kCells + cell] = found[i];
}

// The same fractions for both orders.
__global__ void fill_flame(float* fractions, bool cell_by_cell) {
  const int cell = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  for (int i = 0; i < kSpecies; ++i) {
    const float fraction = mixed_fraction(static_cast<unsigned>(cell * kSpecies + i));
    fractions[cell_by_cell ? cell * kSpecies + i : i * kCells + cell] = fraction;
  }
}

__global__ void square(float* values) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  values[i] *= values[i];
}

Case make(bool cell_by_cell) {
  auto* fractions = device_array<float>(kFractions);
  auto* rates = device_array<float>(kFractions);
  auto* heats = device_array<float>(kCells);
  fill_flame<<<kCells / kThreads, kThreads>>>(fractions, cell_by_cell);
  fill_fractions(heats, kCells, 7);
  return {[=] {
            if (cell_by_cell) {
              rates_cell_by_cell<<<kCells / kThreads, kThreads>>>(rates, fractions, heats);
            } else {
              rates_species_by_species<<<kCells / kThreads, kThreads>>>(rates, fractions, heats);
            }
          },
          [=] {
            square<<<static_cast<unsigned>(kFractions / kThreads), kThreads>>>(rates);
            return device_sum(rates, kFractions);
          },
          800};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
