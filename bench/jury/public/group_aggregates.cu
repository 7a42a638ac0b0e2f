// Counts and adds up the values of 16 million rows of a table in 64 groups, which a hash table of keys tells
// apart. At fault: each row adds to the group's two words in global memory with atomics. The pattern is that
// of rapidsai/cudf, whose pull request 16619 aggregates in shared memory where groups are few.
#include "../case.cuh"

namespace {

constexpr int kRows = 16 << 20, kGroups = 64, kSlots = 256, kThreads = 256, kBlocks = 1056;

__device__ unsigned slot_of(const unsigned* keys, unsigned key) {
  unsigned slot = mixed_bits(key) % kSlots;
  while (keys[slot] != key) slot = (slot + 1) % kSlots;
  return slot;
}

__global__ void aggregate_in_global(int* sums, int* counts, const unsigned* table, const unsigned* keys,
                                    const int* values) {
  __shared__ unsigned slots[kSlots];
  for (int i = static_cast<int>(threadIdx.x); i < kSlots; i += kThreads) slots[i] = table[i];
  __syncthreads();
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < kRows; i += kBlocks * kThreads) {
    const unsigned slot = slot_of(slots, keys[i]);
    atomicAdd(&sums[slot], values[i]);  // fault
    atomicAdd(&counts[slot], 1);        // fault
  }
}

__global__ void aggregate_in_shared(int* sums, int* counts, const unsigned* table, const unsigned* keys,
                                    const int* values) {
  __shared__ unsigned slots[kSlots];
  __shared__ int own_sums[kSlots], own_counts[kSlots];
  for (int i = static_cast<int>(threadIdx.x); i < kSlots; i += kThreads) {
    slots[i] = table[i], own_sums[i] = 0, own_counts[i] = 0;
  }
  __syncthreads();
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < kRows; i += kBlocks * kThreads) {
    const unsigned slot = slot_of(slots, keys[i]);
    atomicAdd(&own_sums[slot], values[i]);
    atomicAdd(&own_counts[slot], 1);
  }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < kSlots; i += kThreads) {
    if (own_counts[i] == 0) continue;
    atomicAdd(&sums[i], own_sums[i]);
    atomicAdd(&counts[i], own_counts[i]);
  }
}

// The keys are 1 to kGroups; 0 is an empty slot.
unsigned* made_table() {
  auto* host = pinned_array<unsigned>(kSlots);
  std::fill(host, host + kSlots, 0U);
  for (unsigned key = 1; key <= kGroups; ++key) {
    unsigned slot = mixed_bits(key) % kSlots;
    while (host[slot] != 0) slot = (slot + 1) % kSlots;
    host[slot] = key;
  }
  auto* table = device_array<unsigned>(kSlots);
  CHECK(cudaMemcpy(table, host, kSlots * sizeof(unsigned), cudaMemcpyHostToDevice));
  CHECK(cudaFreeHost(host));
  return table;
}

__global__ void fill_keys(unsigned* keys) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kRows) keys[i] = 1 + mixed_bits(i + 5) % kGroups;
}

Case make(bool in_global) {
  auto* table = made_table();
  auto* keys = device_array<unsigned>(kRows);
  auto* values = device_array<int>(kRows);
  auto* sums = device_array<int>(2 * kSlots);
  fill_keys<<<blocks_for(kRows, 256), 256>>>(keys);
  fill_below(values, kRows, 16, 1);
  return {[=] {
            auto* kernel = in_global ? aggregate_in_global : aggregate_in_shared;
            CHECK(cudaMemsetAsync(sums, 0, 2 * kSlots * sizeof(int)));
            kernel<<<kBlocks, kThreads>>>(sums, sums + kSlots, table, keys, values);
          },
          [=] { return device_sum(sums, 2 * kSlots); }, 600};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
