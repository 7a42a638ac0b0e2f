#include "injection/recorder/call_stack.h"

#include <algorithm>
#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>
#include <unwind.h>

namespace coalescope::recorder {
namespace {

constexpr std::array<std::string_view, 6> kRuntimeLibraries{"libcuda.so",         "libcudart.so",
                                                            "libcupti.so",        "libcoalescope_inject.so",
                                                            "libcudadebugger.so", "libnvidia-"};
// Frames above the first one of the program that are worth a person's time.
constexpr std::size_t kMostCallers = 6;

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* argument) {
  auto& stack = *static_cast<CallStack*>(argument);
  const auto address = static_cast<std::uint64_t>(_Unwind_GetIP(context));
  if (address == 0 || stack.count == CallStack::kMostFrames) return _URC_END_OF_STACK;
  stack.frames[stack.count++] = address;
  return _URC_NO_REASON;
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

bool is_runtime_function(std::string_view symbol) {
  if (symbol.starts_with("cuda") || symbol.starts_with("__cuda") || symbol.starts_with("libcudart_static_"))
    return true;
  // The header's templates over it: _ZL10cudaMallocIfE9cudaErrorPPT_m.
  if (!symbol.starts_with("_Z")) return false;
  symbol.remove_prefix(symbol.starts_with("_ZL") ? 3 : 2);
  const auto letters = symbol.find_first_not_of("0123456789");
  return letters != std::string_view::npos && letters > 0 && symbol.substr(letters).starts_with("cuda");
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
  const std::uint64_t call = address - 1;
  if (::dladdr(reinterpret_cast<const void*>(call), &info) != 0 && info.dli_fname != nullptr) {
    const auto base = reinterpret_cast<std::uint64_t>(info.dli_fbase);
    // The program itself goes by the name that it was called by.
    std::array<char, 4096> path{};
    frame.module = ::realpath(info.dli_fname, path.data()) != nullptr ? path.data() : info.dli_fname;
    if (::access(frame.module.c_str(), R_OK) != 0) {
      const auto length = ::readlink("/proc/self/exe", path.data(), path.size() - 1);
      if (length > 0) frame.module.assign(path.data(), static_cast<std::size_t>(length));
    }
    frame.offset = static_cast<std::int64_t>(address - base);
    frame.runtime = is_runtime_library(frame.module);
    if (!frame.runtime) {
      if (info.dli_sname != nullptr)
        frame.symbol = info.dli_sname;
      else
        frame.symbol = find_function_(frame.module, call - base);
      frame.runtime = frame.symbol && is_runtime_function(*frame.symbol);
    }
  }
  return frames_.emplace(address, std::move(frame)).first->second;
}

std::optional<model::CallSite> CallSites::resolve(const CallStack& stack) {
  std::optional<model::CallSite> site;
  std::size_t callers = 0;
  // Between frames of the runtime lie frames of it without a name. One with a name that is not the runtime's
  // is the program's, whatever it is called by.
  std::size_t first = 0;
  for (std::size_t i = 0; i < stack.count; ++i) {
    const Frame& at = frame(stack.frames[i]);
    if (at.runtime)
      first = i + 1;
    else if (at.symbol)
      break;
  }
  for (std::size_t i = first; i < stack.count && callers <= kMostCallers; ++i) {
    const Frame& at = frame(stack.frames[i]);
    if (at.module.empty()) continue;
    if (!site) {
      site.emplace();
      site->process_id = model::ProcessId{1};
      site->module = at.module;
      site->module_offset = at.offset;
      site->symbol = at.symbol;
      continue;
    }
    ++callers;
    std::string& text = site->callers ? site->callers->append("\n") : site->callers.emplace();
    text += fmt::format("{}+{:#x} {}", at.module, at.offset, at.symbol.value_or("?"));
  }
  return site;
}

}  // namespace coalescope::recorder
