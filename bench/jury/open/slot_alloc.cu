// Gives each item as many slots of a buffer as it needs.
// Fault: each thread moves the one cursor and waits for it. Repair: a block adds up, and moves it once.
#include <cub/block/block_scan.cuh>

#include "../case.cuh"

namespace {

constexpr unsigned kItems = 1U << 20, kBlock = 256;

__global__ void take_by_threads(const unsigned* needs, unsigned* first, unsigned* cursor, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) first[i] = atomicAdd(cursor, needs[i]);  // fault
}

__global__ void take_by_blocks(const unsigned* needs, unsigned* first, unsigned* cursor, unsigned n) {
  using Scan = cub::BlockScan<unsigned, kBlock>;
  __shared__ typename Scan::TempStorage storage;
  __shared__ unsigned base;
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned before = 0, all = 0;
  Scan(storage).ExclusiveSum(i < n ? needs[i] : 0, before, all);
  if (threadIdx.x == 0) base = atomicAdd(cursor, all);
  __syncthreads();
  if (i < n) first[i] = base + before;
}

Case side(decltype(&take_by_threads) kernel) {
  unsigned* needs = device_array<unsigned>(kItems);
  unsigned* first = device_array<unsigned>(kItems);
  unsigned* cursor = device_array<unsigned>(1);
  fill_below(needs, kItems, 8, 20);
  return {[=] {
            CHECK(cudaMemsetAsync(cursor, 0, sizeof(unsigned)));
            kernel<<<blocks_for(kItems, kBlock), kBlock>>>(needs, first, cursor, kItems);
          },
          [=] { return device_sum(cursor, 1); }, 600};  // who gets which slots is left to chance
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return side(take_by_threads); }, [] { return side(take_by_blocks); });
}
