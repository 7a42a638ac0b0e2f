#include "injection/recorder/call_stack.h"

#include <algorithm>
#include <dlfcn.h>
#include <sys/auxv.h>
#include <unistd.h>
#include <unwind.h>
#include <utility>

#include "core/model/call_site.h"
#include "injection/recorder/build_id.h"

namespace coalescope::recorder {
namespace {

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* argument) {
  auto& stack = *static_cast<CallStack*>(argument);
  const auto address = static_cast<std::uint64_t>(_Unwind_GetIP(context));
  if (address == 0 || stack.count == CallStack::kMostFrames) return _URC_END_OF_STACK;
  stack.frames[stack.count++] = address;
  return _URC_NO_REASON;
}

bool is_program(const void* base) {
  Dl_info info{};
  const auto* entry = reinterpret_cast<const void*>(::getauxval(AT_ENTRY));
  return ::dladdr(entry, &info) != 0 && info.dli_fbase == base;
}

std::string path_of(const Dl_info& info) {
  std::array<char, 4096> path{};
  // The program itself goes by the name that it was called by, and may have changed its folder since.
  if (is_program(info.dli_fbase)) {
    const auto length = ::readlink("/proc/self/exe", path.data(), path.size());
    if (length > 0) return {path.data(), static_cast<std::size_t>(length)};
  }
  return ::realpath(info.dli_fname, path.data()) != nullptr ? path.data() : info.dli_fname;
}

}  // namespace

__attribute__((noinline)) CallStack take_call_stack() {
  CallStack stack;
  _Unwind_Backtrace(&add_frame, &stack);
  if (stack.count > 0) {
    std::copy(stack.frames.begin() + 1, stack.frames.end(), stack.frames.begin());
    stack.frames[--stack.count] = 0;
  }
  return stack;
}

std::string file_at(std::uint64_t address) {
  Dl_info info{};
  const bool found =
      ::dladdr(reinterpret_cast<const void*>(address), &info) != 0 && info.dli_fname != nullptr;
  return found ? path_of(info) : std::string();
}

const NativeFrame& FrameFinder::frame(std::uint64_t address) {
  if (const auto found = frames_.find(address); found != frames_.end()) return found->second;
  NativeFrame frame;
  Dl_info info{};
  // Of the call itself: the instruction after it may belong to the next function.
  if (::dladdr(reinterpret_cast<const void*>(address - 1), &info) != 0 && info.dli_fname != nullptr) {
    frame.module = path_of(info);
    frame.offset = static_cast<std::int64_t>(address - reinterpret_cast<std::uint64_t>(info.dli_fbase));
    if (info.dli_sname != nullptr) frame.symbol = info.dli_sname;
    frame.build_id = build_id_at(address - 1);
  }
  return frames_.emplace(address, std::move(frame)).first->second;
}

std::vector<NativeFrame> FrameFinder::locate(const CallStack& stack) {
  std::vector<NativeFrame> frames;
  for (std::size_t i = 0; i < stack.count; ++i) {
    const NativeFrame& at = frame(stack.frames[i]);
    if (at.module.empty() || (frames.empty() && model::is_runtime_library(at.module))) continue;
    frames.push_back(at);
  }
  return frames;
}

}  // namespace coalescope::recorder
