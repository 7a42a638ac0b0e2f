// Looks up 16 million values of a table that is larger than L2.
// Fault: the indices come in any order. Repair: they are sorted once, as the same ones come each round.
#include <thrust/device_ptr.h>
#include <thrust/sort.h>

#include "../case.cuh"

namespace {

constexpr unsigned kTable = 1U << 25, kCount = 1U << 24;

__global__ void look_up(const float* table, const int* index, float* out, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = table[index[i]];  // fault
}

__global__ void look_up_sorted(const float* table, const int* index, float* out, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = table[index[i]];
}

Case side(decltype(&look_up) kernel, bool sorted) {
  float* table = device_array<float>(kTable);
  int* index = device_array<int>(kCount);
  float* out = device_array<float>(kCount);
  fill_fractions(table, kTable, 17);
  fill_below(index, kCount, kTable, 18);
  if (sorted) thrust::sort(thrust::device_pointer_cast(index), thrust::device_pointer_cast(index) + kCount);
  return {[=] { kernel<<<blocks_for(kCount, 256), 256>>>(table, index, out, kCount); },
          [=] { return device_sum(out, kCount); }, 1000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return side(look_up, false); }, [] { return side(look_up_sorted, true); });
}
