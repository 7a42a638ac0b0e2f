// The squared differences of each of 16 million nodes of a mesh to its six neighbours.
// At fault: the nodes are numbered in no order, so that each lane fetches sectors of its own. The pattern is
// that of MPAS-Dev/MPAS-Tools, whose pull request 515 numbers the nodes of a mesh anew so that neighbours lie
// close by.
#include "../case.cuh"

namespace {

constexpr int kThreads = 256, kNeighbours = 6;
constexpr unsigned kNodes = 1U << 24, kRow = 1U << 8, kPlane = 1U << 16;

__global__ void differ_from_neighbours(float* out, const float* values, const int* neighbours) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const float own = values[i];
  float sum = 0;
#pragma unroll
  for (unsigned k = 0; k < kNeighbours; ++k) {
    const float other = values[neighbours[k * kNodes + i]];  // fault
    sum += (other - own) * (other - own);
  }
  out[i] = sum;
}

// A number of its own for each place, in no order that the caches know.
__device__ unsigned number_of(unsigned place, bool ordered) {
  if (ordered) return place;
  place = place * 0x9e3779b1U % kNodes;
  place ^= place >> 11;
  place = place * 0x85ebca6bU % kNodes;
  return place ^ place >> 13;
}

__global__ void fill_mesh(float* values, int* neighbours, bool ordered) {
  const unsigned place = blockIdx.x * blockDim.x + threadIdx.x, number = number_of(place, ordered);
  values[number] = mixed_fraction(place);
  const unsigned near[] = {place + 1, place - 1, place + kRow, place - kRow, place + kPlane, place - kPlane};
  for (unsigned k = 0; k < kNeighbours; ++k)
    neighbours[k * kNodes + number] = static_cast<int>(number_of(near[k] % kNodes, ordered));
}

Case make(bool ordered) {
  auto* values = device_array<float>(kNodes);
  auto* out = device_array<float>(kNodes);
  auto* neighbours = device_array<int>(std::size_t{kNeighbours} * kNodes);
  fill_mesh<<<kNodes / kThreads, kThreads>>>(values, neighbours, ordered);
  return {[=] { differ_from_neighbours<<<kNodes / kThreads, kThreads>>>(out, values, neighbours); },
          [=] { return device_sum(out, kNodes); }, 500};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(false); }, [] { return make(true); });
}
