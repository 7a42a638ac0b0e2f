// Decodes 67 million numbers, which are stored as differences in tiles of 4096.
// At fault: a thread's 16 numbers are contiguous in shared memory, so that the lanes of a warp share two
// banks. The pattern is that of the exchanges of NVIDIA/cccl, cub/block/block_exchange.cuh, which pad such
// places.
#include "../case.cuh"

namespace {

constexpr int kThreads = 256, kTile = 4096, kTiles = 16384;
constexpr std::size_t kCount = static_cast<std::size_t>(kTile) * kTiles;

__device__ int as_it_is(int at) {
  return at;
}
__device__ int padded(int at) {
  return at + at / 32;
}

// What the threads before this one have added up.
__device__ int sum_before(int own) {
  __shared__ int of_warps[kThreads / 32];
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  int sum = own;
  for (int offset = 1; offset < 32; offset *= 2) {
    const int other = __shfl_up_sync(0xffffffffU, sum, offset);
    if (lane >= offset) sum += other;
  }
  if (lane == 31) of_warps[warp] = sum;
  __syncthreads();
  int before = sum - own;
  for (int other = 0; other < warp; ++other) before += of_warps[other];
  return before;
}

__global__ void decode_plain(int* numbers, const int* differences, int own_count) {
  __shared__ int tile[kTile];
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * kTile;
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < kTile; i += kThreads) tile[as_it_is(i)] = differences[first + i];
  __syncthreads();
  int own = 0;
  for (int i = 0; i < own_count; ++i) own += tile[as_it_is(thread * own_count + i)];  // fault
  int number = sum_before(own);
  for (int i = 0; i < own_count; ++i) {
    number += tile[as_it_is(thread * own_count + i)];  // fault
    tile[as_it_is(thread * own_count + i)] = number;   // fault
  }
  __syncthreads();
  for (int i = thread; i < kTile; i += kThreads) numbers[first + i] = tile[as_it_is(i)];
}

__global__ void decode_padded(int* numbers, const int* differences, int own_count) {
  __shared__ int tile[kTile + kTile / 32];
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * kTile;
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < kTile; i += kThreads) tile[padded(i)] = differences[first + i];
  __syncthreads();
  int own = 0;
  for (int i = 0; i < own_count; ++i) own += tile[padded(thread * own_count + i)];
  int number = sum_before(own);
  for (int i = 0; i < own_count; ++i) {
    number += tile[padded(thread * own_count + i)];
    tile[padded(thread * own_count + i)] = number;
  }
  __syncthreads();
  for (int i = thread; i < kTile; i += kThreads) numbers[first + i] = tile[padded(i)];
}

Case make(bool plain) {
  auto* differences = device_array<int>(kCount);
  auto* numbers = device_array<int>(kCount);
  fill_below(differences, kCount, 16, 1);
  return {[=] {
            auto* kernel = plain ? decode_plain : decode_padded;
            kernel<<<kTiles, kThreads>>>(numbers, differences, kTile / kThreads);
          },
          [=] { return device_sum(numbers, std::size_t{1} << 22); }, 1600};
}

}  // namespace

int main(int argc, char** argv) {
  return run_case(
      argc, argv, [] { return make(true); }, [] { return make(false); });
}
