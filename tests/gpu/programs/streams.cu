// 64 streams, each with its own data, launch in turn from one thread; half of them do not wait for the
// default stream, which launches too.
#include "work.cuh"

int main() {
  constexpr int kStreams = 64;
  std::vector<Work> works(kStreams);
  std::vector<cudaStream_t> streams(kStreams);
  for (int n = 0; n < kStreams; ++n)
    CHECK(cudaStreamCreateWithFlags(&streams[n], n % 2 == 0 ? cudaStreamDefault : cudaStreamNonBlocking));
  Work on_default;
  for (int i = 0; i < 20; ++i) {
    for (int n = 0; n < kStreams; ++n) works[n].launch(streams[n]);
    on_default.launch(nullptr);
  }
  CHECK(cudaDeviceSynchronize());
  int right = on_default.right() ? 1 : 0;
  for (Work& work : works) right += work.right() ? 1 : 0;
  std::printf("%d of 65 right\n", right);
  return 0;
}
