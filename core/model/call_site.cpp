#include "core/model/call_site.h"

#include <algorithm>
#include <charconv>
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

// _ZN3lib27__wrapper__device_stub_kernIfEEvRPT_ begins as the kernel _ZN3lib4kernIfEEvPT_.
bool begins_as_template(std::string_view kernel, std::string_view stub) {
  const auto name = stub.find(kStubOfTemplate);
  if (name == std::string_view::npos || name == 0) return false;
  const auto before = stub.find_last_not_of(kDigits, name - 1) + 1;
  std::size_t name_bytes = 0;
  (void)std::from_chars(stub.data() + before, stub.data() + name, name_bytes);
  if (name_bytes <= kStubOfTemplate.size()) return false;
  const auto bytes = name_bytes - kStubOfTemplate.size();
  return kernel.starts_with(std::string(stub.substr(0, before)) + std::to_string(bytes) +
                            std::string(stub.substr(name + kStubOfTemplate.size(), bytes)));
}

}  // namespace

// The header's templates have mangled names: _ZL10cudaMallocIfE9cudaErrorPPT_m.
bool is_runtime_function(std::string_view symbol) {
  const std::string_view name = outermost_name(symbol);
  if (name.starts_with("cuda") || name.starts_with("__cuda") || name.starts_with(kDeviceStub)) return true;
  return symbol.starts_with("libcudart_static_") ||
         (symbol.starts_with("_Z") && symbol.find(kStubOfTemplate) != std::string_view::npos);
}

bool is_startup_function(std::string_view symbol) {
  return symbol == "_start" || symbol.starts_with("__libc_start_");
}

// _Z24__device_stub__Z4movePfiPfi holds the kernel's mangled name behind the prefix, without its first
// character.
bool is_launched_by_stub(std::string_view kernel, std::string_view stub) {
  if (kernel.size() <= 1) return false;
  const std::string of_kernel = without_linkage(kernel), of_stub = without_linkage(stub);
  const std::string_view name = outermost_name(of_stub);
  return begins_as_template(of_kernel, of_stub) ||
         (name.starts_with(kDeviceStub) &&
          name.substr(kDeviceStub.size()).starts_with(std::string_view(of_kernel).substr(1)));
}

bool is_runtime_library(std::string_view path) {
  const auto name = path.substr(path.rfind('/') + 1);
  return std::any_of(kRuntimeLibraries.begin(), kRuntimeLibraries.end(),
                     [name](std::string_view library) { return name.starts_with(library); });
}

}  // namespace coalescope::model
