// A profiler of the target's own, as torch.profiler is one: a library that is linked with CUPTI and loaded
// when it is wanted. It must see each kernel, with and without coalescope. It begins and ends in the same
// calls as torch.profiler, which stays subscribed and whose clock is not CUPTI's.

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cupti.h>

namespace {

std::atomic<long> kernels{0};
CUpti_SubscriberHandle subscriber = nullptr;

void CUPTIAPI requested(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *size = 1 << 16;
  *buffer = static_cast<std::uint8_t*>(std::calloc(1, *size));
  *most_records = 0;
}

void CUPTIAPI completed(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                        std::size_t valid_bytes) {
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid_bytes, &record) == CUPTI_SUCCESS)
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) ++kernels;
  std::free(buffer);
}

std::uint64_t CUPTIAPI ticks() {
  static std::atomic<std::uint64_t> last{1'000'000};
  return ++last;
}

void CUPTIAPI called(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

}  // namespace

extern "C" {

void profiler_start() {
  if (subscriber == nullptr)
    std::printf("subscribed: %d\n", static_cast<int>(cuptiSubscribe(&subscriber, &called, nullptr)));
  cuptiActivityRegisterTimestampCallback(&ticks);
  std::printf("registered: %d\n", static_cast<int>(cuptiActivityRegisterCallbacks(&requested, &completed)));
  std::printf("enabled: %d\n", static_cast<int>(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)));
}

void profiler_stop() {
  cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  std::printf("the profiler saw %ld kernels\n", kernels.load());
}
}
