// Sends 8 million pairs of token and choice to 64 experts, as in a mixture of experts: the expert of each
// pair, its rank among the pairs of that expert, and its place.
// At fault: the kernel for the ranks adds to one of 64 counters in global memory for each pair. The
// pattern is that of sgl-project/sgl-kernel-xpu, whose pull request 257 counts in the block first.
#include "../case.cuh"

namespace {

constexpr int kPairs = 8 << 20, kExperts = 64, kThreads = 1024, kOwn = 8, kShare = kThreads * kOwn;

__device__ int own_index() {
  return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}

__global__ void choose_experts(int* experts, const float* scores) {
  const int i = own_index();
  if (i < kPairs) experts[i] = static_cast<int>(scores[i] * kExperts);
}

__global__ void ranks_in_global(int* ranks, int* counts, const int* experts) {
  const int i = own_index();
  if (i < kPairs) ranks[i] = atomicAdd(counts + experts[i], 1);  // fault
}

__global__ void ranks_in_block(int* ranks, int* counts, const int* experts) {
  __shared__ int own_counts[kExperts], before[kExperts];
  const int first = static_cast<int>(blockIdx.x) * kShare + static_cast<int>(threadIdx.x);
  if (threadIdx.x < kExperts) own_counts[threadIdx.x] = 0;
  __syncthreads();
  int expert[kOwn], rank[kOwn];
#pragma unroll
  for (int k = 0; k < kOwn; ++k) {
    expert[k] = experts[first + k * kThreads];
    rank[k] = atomicAdd(own_counts + expert[k], 1);
  }
  __syncthreads();
  if (threadIdx.x < kExperts) before[threadIdx.x] = atomicAdd(counts + threadIdx.x, own_counts[threadIdx.x]);
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kOwn; ++k) ranks[first + k * kThreads] = before[expert[k]] + rank[k];
}

// One warp: a lane takes two experts.
__global__ void starts_of_experts(int* starts, const int* counts) {
  const int lane = static_cast<int>(threadIdx.x), even = counts[2 * lane];
  const int both = even + counts[2 * lane + 1];
  int sum = both;
  for (int step = 1; step < 32; step *= 2) {
    const int other = __shfl_up_sync(0xffffffffU, sum, step);
    if (lane >= step) sum += other;
  }
  starts[2 * lane] = sum - both;
  starts[2 * lane + 1] = sum - both + even;
}

__global__ void places_of_pairs(int* places, const int* ranks, const int* experts, const int* starts) {
  __shared__ int start[kExperts];
  if (threadIdx.x < kExperts) start[threadIdx.x] = starts[threadIdx.x];
  __syncthreads();
  const int i = own_index();
  if (i < kPairs) places[i] = start[experts[i]] + ranks[i];
}

Case make(bool in_global) {
  auto* scores = device_array<float>(kPairs);
  auto* experts = device_array<int>(kPairs);
  auto* ranks = device_array<int>(kPairs);
  auto* places = device_array<int>(kPairs);
  auto* counts = device_array<int>(kExperts);
  auto* starts = device_array<int>(kExperts);
  fill_fractions(scores, kPairs, 1);
  return {[=] {
            CHECK(cudaMemsetAsync(counts, 0, kExperts * sizeof(int)));
            choose_experts<<<kPairs / kThreads, kThreads>>>(experts, scores);
            if (in_global) {
              ranks_in_global<<<kPairs / kThreads, kThreads>>>(ranks, counts, experts);
            } else {
              ranks_in_block<<<kPairs / kShare, kThreads>>>(ranks, counts, experts);
            }
            starts_of_experts<<<1, 32>>>(starts, counts);
            places_of_pairs<<<kPairs / kThreads, kThreads>>>(places, ranks, experts, starts);
          },
          [=] { return device_sum(places, kPairs); }, 1000};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
