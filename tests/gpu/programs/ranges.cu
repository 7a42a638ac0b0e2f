// NVTX ranges around launches, nested, in a domain, across threads, and one that begins before CUDA does; and
// calls that wait, some of them for a kernel that takes 2 ms.
#include <nvtx3/nvToolsExt.h>
#include <thread>

#include "work.cuh"

__global__ void wait_long(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

int main() {
  nvtxRangePushA("whole");
  Work work;
  nvtxDomainHandle_t domain = nvtxDomainCreateA("library");
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attributes.message.registered = nvtxDomainRegisterStringA(domain, "call");
  for (int step = 0; step < 10; ++step) {
    nvtxRangePushA("step");
    nvtxDomainRangePushEx(domain, &attributes);
    for (int i = 0; i < 4; ++i) work.launch(nullptr);
    nvtxDomainRangePop(domain);
    CHECK(cudaDeviceSynchronize());
    nvtxRangePop();
  }
  const nvtxRangeId_t across = nvtxRangeStartA("across");
  std::thread([across] { nvtxRangeEnd(across); }).join();
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreate(&stream));
  for (int i = 0; i < 20; ++i) {
    wait_long<<<1, 1, 0, stream>>>(4'000'000);
    CHECK(cudaStreamSynchronize(stream));
  }
  for (int i = 0; i < 1000; ++i) CHECK(cudaStreamSynchronize(stream));  // of nothing
  nvtxRangePop();
  std::printf("%s\n", work.right() ? "right" : "wrong");
  return 0;
}
