// Adds up the potential between each of 2 million atoms and the 32 atoms of its neighbour list.
// At fault: the list of an atom is contiguous, so that the lanes of a warp read words 128 bytes apart. The
// pattern is that of lammps/lammps, whose pull request 3187 lets the list of neighbours be stored transposed.
#include "../case.cuh"

namespace {

constexpr int kSide = 128, kAtoms = kSide * kSide * kSide, kNeighbours = 32, kThreads = 256;

// The fourth word of an atom is its weight.
__device__ float4 pair_term(float4 own, float4 other) {
  const float x = own.x - other.x, y = own.y - other.y, z = own.z - other.z;
  const float strength = own.w * other.w * __expf(-(x * x + y * y + z * z));
  return make_float4(x * strength, y * strength, z * strength, strength);
}

__global__ void forces_atom_major(float4* forces, const float4* atoms, const int* lists) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= kAtoms) return;
  const float4 own = atoms[i];
  float4 sum = make_float4(0, 0, 0, 0);
  for (int n = 0; n < kNeighbours; ++n) {
    const float4 term = pair_term(own, atoms[lists[i * kNeighbours + n]]);  // fault
    sum.x += term.x, sum.y += term.y, sum.z += term.z, sum.w += term.w;
  }
  forces[i] = sum;
}

__global__ void forces_neighbour_major(float4* forces, const float4* atoms, const int* lists) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= kAtoms) return;
  const float4 own = atoms[i];
  float4 sum = make_float4(0, 0, 0, 0);
  for (int n = 0; n < kNeighbours; ++n) {
    const float4 term = pair_term(own, atoms[lists[n * kAtoms + i]]);
    sum.x += term.x, sum.y += term.y, sum.z += term.z, sum.w += term.w;
  }
  forces[i] = sum;
}

// Atoms are numbered along the lattice, so that those of a warp have neighbours side by side.
__global__ void fill_lists(int* lists, bool atom_major) {
  const int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (at >= kAtoms * kNeighbours) return;
  const int atom = atom_major ? at / kNeighbours : at % kAtoms,
            n = atom_major ? at % kNeighbours : at / kAtoms;
  const int offset = (n % 4 - 2) + (n / 4 % 4 - 2) * kSide + (n / 16 - 1) * kSide * kSide;
  lists[at] = (atom + offset + kAtoms) % kAtoms;
}

Case make(bool atom_major) {
  auto* atoms = device_array<float4>(kAtoms);
  auto* forces = device_array<float4>(kAtoms);
  auto* lists = device_array<int>(std::size_t{kAtoms} * kNeighbours);
  fill_fractions(reinterpret_cast<float*>(atoms), std::size_t{4} * kAtoms, 1);
  fill_lists<<<blocks_for(std::size_t{kAtoms} * kNeighbours, 256), 256>>>(lists, atom_major);
  return {[=] {
            auto* kernel = atom_major ? forces_atom_major : forces_neighbour_major;
            kernel<<<blocks_for(kAtoms, kThreads), kThreads>>>(forces, atoms, lists);
          },
          [=] { return device_sum(reinterpret_cast<float*>(forces), std::size_t{1} << 22); }, 1600};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
