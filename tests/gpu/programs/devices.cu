// The first two devices take turns, and one copies from the other.
#include <optional>

#include "work.cuh"

int main() {
  int count = 0;
  CHECK(cudaGetDeviceCount(&count));
  if (count < 2) {
    std::puts("this machine has one GPU");
    return 77;
  }
  std::optional<Work> works[2];
  for (int n = 0; n < 2; ++n) {
    CHECK(cudaSetDevice(n));
    works[n].emplace();
  }
  for (int i = 0; i < 40; ++i) {
    for (int n = 0; n < 2; ++n) {
      CHECK(cudaSetDevice(n));
      works[n]->launch(nullptr);
    }
  }
  for (int n = 0; n < 2; ++n) {
    CHECK(cudaSetDevice(n));
    CHECK(cudaDeviceSynchronize());
    std::printf("device %d: %s\n", n, works[n]->right() ? "right" : "WRONG");
  }
  CHECK(cudaMemcpyPeer(works[1]->out(), 1, works[0]->out(), 0, kThreads * sizeof(float)));
  std::printf("after the copy: %s\n", works[1]->right() ? "right" : "WRONG");
  return 0;
}
