#include "core/model/call_site.h"

#include <algorithm>

namespace coalescope::model {
namespace {

constexpr std::array<std::string_view, 6> kRuntimeLibraries{"libcuda.so",         "libcudart.so",
                                                            "libcupti.so",        "libcoalescope_inject.so",
                                                            "libcudadebugger.so", "libnvidia-"};

// nvcc makes such a function for each kernel: it passes the parameters to the runtime.
constexpr std::string_view kDeviceStub = "__device_stub__";

// Without the length in front of it; a name that is not mangled stays as it is.
std::string_view outermost_name(std::string_view symbol) {
  if (!symbol.starts_with("_Z")) return symbol;
  const auto letters = symbol.find_first_not_of("0123456789", symbol.starts_with("_ZL") ? 3 : 2);
  return letters == std::string_view::npos ? symbol : symbol.substr(letters);
}

}  // namespace

// The header's templates have mangled names: _ZL10cudaMallocIfE9cudaErrorPPT_m.
bool is_runtime_function(std::string_view symbol) {
  const std::string_view name = outermost_name(symbol);
  if (name.starts_with("cuda") || name.starts_with(kDeviceStub)) return true;
  return name == symbol && (name.starts_with("__cuda") || name.starts_with("libcudart_static_"));
}

bool is_startup_function(std::string_view symbol) {
  return symbol == "_start" || symbol.starts_with("__libc_start_");
}

// _Z24__device_stub__Z4movePfiPfi holds the kernel's mangled name behind the prefix, without its first
// character.
bool is_launched_by_stub(std::string_view kernel, std::string_view stub) {
  const std::string_view name = outermost_name(stub);
  return kernel.size() > 1 && name.starts_with(kDeviceStub) &&
         name.substr(kDeviceStub.size()).starts_with(kernel.substr(1));
}

bool is_runtime_library(std::string_view path) {
  const auto name = path.substr(path.rfind('/') + 1);
  return std::any_of(kRuntimeLibraries.begin(), kRuntimeLibraries.end(),
                     [name](std::string_view library) { return name.starts_with(library); });
}

}  // namespace coalescope::model
