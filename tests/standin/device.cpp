#include "tests/standin/device.h"

#include <cstring>
#include <dlfcn.h>

namespace standin {

Device& device() {
  static Device& the_device = *new Device;
  return the_device;
}

void keep(const void* object) {
  const std::lock_guard lock(device().mutex);
  device().kept.push_back(object);
}

std::uint32_t next_id() {
  static std::atomic<std::uint32_t> last{100};
  return ++last;
}

std::uint32_t stream_id(CUctx_st* context, CUstream_st* stream, bool per_thread) {
  if (stream != nullptr) return stream->id;
  if (!per_thread) return context->uid * 10 + 7;  // CUPTI gives a context's default stream an id, too
  thread_local const std::uint32_t own = next_id();
  return own;
}

void spoil_stream_captures() {
  auto& gpu = device();
  const std::lock_guard lock(gpu.mutex);
  for (auto* stream : gpu.streams)
    if (stream->recording != nullptr) stream->spoiled = true;
}

bool is_recorder(const void* return_address) {
  Dl_info info{};
  return dladdr(return_address, &info) != 0 && info.dli_fname != nullptr &&
         std::strstr(info.dli_fname, "libcoalescope_inject") != nullptr;
}

}  // namespace standin
