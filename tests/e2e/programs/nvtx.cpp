// Uses NVTX, and CUDA never: what NVTX answers is printed, a million ranges are pushed, and a child forks
// while another thread is inside of NVTX.
#include <atomic>
#include <cstdio>
#include <nvtx3/nvToolsExt.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

int main() {
  const int depth = nvtxRangePushA("outer");
  const int inner = nvtxRangePushW(L"größer");
  std::printf("levels differ by %d\n", inner - depth);
  nvtxRangePop();
  nvtxDomainHandle_t domain = nvtxDomainCreateA("library");
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attributes.message.registered = nvtxDomainRegisterStringA(domain, "registered");
  nvtxDomainRangePushEx(domain, &attributes);
  nvtxDomainRangePop(domain);
  nvtxRangeEnd(nvtxRangeStartA("anywhere"));
  // What libraries mark for themselves is left out: of these XLA asks for a null pointer, CUB does not.
  const nvtxDomainHandle_t xla = nvtxDomainCreateA("TSL"), cub = nvtxDomainCreateA("CCCL");
  nvtxDomainRangePushEx(cub, &attributes);
  nvtxDomainRangePop(cub);
  std::printf("domains of XLA and CUB: %d, %d\n", xla != nullptr, cub != nullptr);

  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop) {
      nvtxRangePushA("busy");
      nvtxRangePop();
    }
  });
  int failed = 0;
  for (int i = 0; i < 50; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      nvtxRangePushA("child");
      nvtxRangePop();
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    failed += status != 0;
  }
  stop = true;
  other.join();
  for (int i = 0; i < 1'000'000; ++i) {
    nvtxRangePushA("loop");
    nvtxRangePop();
  }
  nvtxRangePop();
  std::printf("%d children failed\n", failed);
}
