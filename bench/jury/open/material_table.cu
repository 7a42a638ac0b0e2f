// Clean: cells look up their material in a table of 4 KiB, whose records lie 64 bytes apart and stay in L1;
// the time goes into the cells' own arrays.
#include "../case.cuh"

namespace {

constexpr unsigned kCells = 1U << 25, kMaterials = 64;

struct __align__(16) Material {
  float4 law;        // what this kernel reads
  float others[12];  // what others read
};
static_assert(sizeof(Material) == 64);

__global__ void pressure(const int* material, const float* density, const float* energy,
                         const Material* table, float* out, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 law = table[material[i]].law;
  out[i] = law.x + density[i] * (law.y + law.z * energy[i]) + law.w * energy[i];
}

// Cells of a material lie together, eight or more of them.
__global__ void fill_materials(int* material, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) material[i] = static_cast<int>(mixed_bits(i / 8) % kMaterials);
}

Case clean() {
  int* material = device_array<int>(kCells);
  float* density = device_array<float>(kCells);
  float* energy = device_array<float>(kCells);
  float* table = device_array<float>(kMaterials * 16);
  float* out = device_array<float>(kCells);
  fill_materials<<<blocks_for(kCells, 256), 256>>>(material, kCells);
  fill_fractions(density, kCells, 116);
  fill_fractions(energy, kCells, 117);
  fill_fractions(table, kMaterials * 16, 118);
  return {[=] {
            pressure<<<blocks_for(kCells, 256), 256>>>(material, density, energy,
                                                       reinterpret_cast<const Material*>(table), out, kCells);
          },
          [=] { return device_sum(out, 1 << 20); }, 2000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(argc, argv, {}, clean);
}
