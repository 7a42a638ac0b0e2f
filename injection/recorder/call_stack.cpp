#include "injection/recorder/call_stack.h"

#include <algorithm>
#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/auxv.h>
#include <unistd.h>
#include <unwind.h>

namespace coalescope::recorder {
namespace {

constexpr std::array<std::string_view, 6> kRuntimeLibraries{"libcuda.so",         "libcudart.so",
                                                            "libcupti.so",        "libcoalescope_inject.so",
                                                            "libcudadebugger.so", "libnvidia-"};

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

bool is_runtime_library(std::string_view path) {
  const auto name = path.substr(path.rfind('/') + 1);
  return std::any_of(kRuntimeLibraries.begin(), kRuntimeLibraries.end(),
                     [name](std::string_view library) { return name.starts_with(library); });
}

const CallSites::Frame& CallSites::frame(std::uint64_t address) {
  if (const auto found = frames_.find(address); found != frames_.end()) return found->second;
  Frame frame;
  Dl_info info{};
  // Of the call itself: the instruction after it may belong to the next function.
  if (::dladdr(reinterpret_cast<const void*>(address - 1), &info) != 0 && info.dli_fname != nullptr) {
    frame.module = path_of(info);
    frame.offset = static_cast<std::int64_t>(address - reinterpret_cast<std::uint64_t>(info.dli_fbase));
    if (info.dli_sname != nullptr) frame.symbol = info.dli_sname;
    frame.runtime = is_runtime_library(frame.module);
  }
  return frames_.emplace(address, std::move(frame)).first->second;
}

std::optional<model::CallSite> CallSites::locate(const CallStack& stack) {
  std::optional<model::CallSite> site;
  for (std::size_t i = 0; i < stack.count; ++i) {
    const Frame& at = frame(stack.frames[i]);
    if (at.module.empty() || (!site && at.runtime)) continue;
    if (!site) {
      site.emplace();
      site->process_id = model::ProcessId{1};
      site->module = at.module;
      site->module_offset = at.offset;
      site->symbol = at.symbol;
      continue;
    }
    std::string& text = site->callers ? site->callers->append("\n") : site->callers.emplace();
    text += fmt::format("{}+{:#x} {}", at.module, at.offset, at.symbol.value_or("?"));
  }
  return site;
}

}  // namespace coalescope::recorder
