#include "core/model/call_site.h"

#include <algorithm>
#include <string>

namespace coalescope::model {
namespace {

constexpr std::array<std::string_view, 6> kRuntimeLibraries{"libcuda.so",         "libcudart.so",
                                                            "libcupti.so",        "libcoalescope_inject.so",
                                                            "libcudadebugger.so", "libnvidia-"};

// nvcc makes such a function for each kernel: it passes the parameters to the runtime. That of a template has
// another one before it, unless the host's code is optimised.
constexpr std::string_view kDeviceStub = "__device_stub__";
constexpr std::string_view kStubOfTemplate = "__wrapper__device_stub_";
constexpr std::string_view kDigits = "0123456789";

// Without the length in front of it; a name that is not mangled stays as it is.
std::string_view outermost_name(std::string_view symbol) {
  if (!symbol.starts_with("_Z")) return symbol;
  const auto letters = symbol.find_first_not_of(kDigits, symbol.starts_with("_ZL") ? 3 : 2);
  return letters == std::string_view::npos ? symbol : symbol.substr(letters);
}

// Without the marks of functions that other files do not see: on the host kernels are such functions in some
// places, and their stubs are named as on the GPU.
std::string without_linkage(std::string_view symbol) {
  std::string text;
  for (std::size_t i = 0; i < symbol.size(); ++i) {
    const bool marks = i + 1 < symbol.size() && symbol[i] == 'L' &&
                       kDigits.find(symbol.substr(i + 1, 1)) != std::string_view::npos;
    if (!marks) text += symbol[i];
  }
  return text;
}

}  // namespace

// The header's templates have mangled names: _ZL10cudaMallocIfE9cudaErrorPPT_m.
bool is_runtime_function(std::string_view symbol) {
  const std::string_view name = outermost_name(symbol);
  if (name.starts_with("cuda") || name.starts_with("__cuda") || name.starts_with(kDeviceStub)) return true;
  return symbol.starts_with("libcudart_static_") || symbol.find(kStubOfTemplate) != std::string_view::npos;
}

bool is_startup_function(std::string_view symbol) {
  return symbol == "_start" || symbol.starts_with("__libc_start_");
}

std::string kernel_of_stub(std::string_view stub) {
  const std::string_view name = outermost_name(stub);
  if (name.starts_with(kDeviceStub)) return "_" + std::string(name.substr(kDeviceStub.size()));
  const auto prefix = stub.find(kStubOfTemplate);
  if (prefix == std::string_view::npos || stub.starts_with("_Z")) return {};
  return std::string(stub.substr(0, prefix)) + std::string(stub.substr(prefix + kStubOfTemplate.size()));
}

bool is_launched_by_stub(std::string_view kernel, std::string_view stub) {
  const std::string launched = kernel_of_stub(stub);
  return kernel.starts_with("_Z") && without_linkage(launched).starts_with(without_linkage(kernel));
}

bool is_runtime_library(std::string_view path) {
  const auto name = path.substr(path.rfind('/') + 1);
  return std::any_of(kRuntimeLibraries.begin(), kRuntimeLibraries.end(),
                     [name](std::string_view library) { return name.starts_with(library); });
}

}  // namespace coalescope::model
