#include "core/model/call_site.h"

#include <algorithm>

namespace coalescope::model {
namespace {

constexpr std::array<std::string_view, 6> kRuntimeLibraries{"libcuda.so",         "libcudart.so",
                                                            "libcupti.so",        "libcoalescope_inject.so",
                                                            "libcudadebugger.so", "libnvidia-"};

}  // namespace

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

}  // namespace coalescope::model
