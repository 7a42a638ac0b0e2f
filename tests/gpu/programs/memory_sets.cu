// Two threads set memory without a pause while a third one launches 40 kernels in turn: what CUPTI crashes at
// where records of kernels are switched on or off meanwhile.
#include <atomic>
#include <thread>
#include <utility>

#include "work.cuh"

namespace {

constexpr int kKernels = 40, kRounds = 40, kWords = 1 << 18;

template <int Number>
__global__ void add_number(int* words) {
  words[blockIdx.x * blockDim.x + threadIdx.x] += Number;
}

template <int... Numbers>
void launch_all(int* words, std::integer_sequence<int, Numbers...>) {
  (add_number<Numbers><<<kWords / 256, 256>>>(words), ...);
}

void set_until(const std::atomic<bool>& stop) {
  constexpr std::size_t kBytes = 1 << 20;
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  char* memory;
  CHECK(cudaMalloc(&memory, kBytes));
  while (!stop) {
    CHECK(cudaMemsetAsync(memory, 1, kBytes, stream));
    CHECK(cudaMemsetAsync(memory, 2, kBytes / 32, stream));
  }
  CHECK(cudaStreamSynchronize(stream));
}

}  // namespace

int main() {
  std::atomic<bool> stop{false};
  std::vector<std::thread> setters;
  for (int i = 0; i < 2; ++i) setters.emplace_back([&stop] { set_until(stop); });
  int* words;
  CHECK(cudaMalloc(&words, kWords * sizeof(int)));
  CHECK(cudaMemset(words, 0, kWords * sizeof(int)));
  for (int round = 0; round < kRounds; ++round) {
    launch_all(words, std::make_integer_sequence<int, kKernels>());
    CHECK(cudaDeviceSynchronize());
  }
  stop = true;
  for (auto& setter : setters) setter.join();
  std::vector<int> result(kWords);
  CHECK(cudaMemcpy(result.data(), words, kWords * sizeof(int), cudaMemcpyDeviceToHost));
  const int expected = kRounds * kKernels * (kKernels - 1) / 2;
  for (const int word : result)
    if (word != expected) return std::puts("wrong"), 1;
  std::puts("right");
  return 0;
}
