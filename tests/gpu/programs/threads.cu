// Eight host threads launch at once, each on its own stream.
#include <thread>

#include "work.cuh"

int main() {
  std::vector<std::thread> threads;
  std::vector<int> right(8);
  for (int n = 0; n < 8; ++n)
    threads.emplace_back([&right, n] {
      Work work;
      cudaStream_t stream;
      CHECK(cudaStreamCreate(&stream));
      for (int i = 0; i < 200; ++i) work.launch(stream);
      CHECK(cudaStreamSynchronize(stream));
      right[n] = work.right() ? 1 : 0;
    });
  for (auto& thread : threads) thread.join();
  std::printf("%d of 8 right\n", std::accumulate(right.begin(), right.end(), 0));
  return 0;
}
