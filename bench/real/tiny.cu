// Tiny launches from four threads, each on a stream of its own. Clean.
#include <thread>

#include "steady.cuh"

namespace {

constexpr int kThreads = 4;

__global__ void add_one(int* counts) {
  ++counts[blockIdx.x * blockDim.x + threadIdx.x];
}

void launch(int* counts, long launches) {
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (long i = 0; i < launches; ++i) add_one<<<4, 128, 0, stream>>>(counts);
  CHECK(cudaStreamSynchronize(stream));
}

}  // namespace

int main(int argc, char** argv) {
  const long launches = count_from(argc, argv, 20'000);
  std::vector<int*> counts;
  for (int i = 0; i < kThreads; ++i) counts.push_back(on_device(std::vector<int>(512, 0)));
  steady(2, [&] {
    std::vector<std::thread> threads;
    for (int* each : counts) threads.emplace_back(launch, each, launches / 2 / kThreads);
    for (std::thread& each : threads) each.join();
  });
  for (const int* each : counts) print_sum("launches", each, 512);
  return 0;
}
