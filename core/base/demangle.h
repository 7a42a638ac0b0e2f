#pragma once
// Kernel names for people: captures keep the mangled name, which is exact, and readers turn it into this.

#include <string>
#include <string_view>

namespace coalescope::base {

// The full declaration: "void ns::copy<3>(float*, float const*)". A name that is not mangled (extern "C")
// comes back as it is.
[[nodiscard]] std::string demangle(const std::string& name);

// The function alone, without return type and parameters: "ns::copy<3>".
[[nodiscard]] std::string without_signature(std::string_view declaration);

// Both steps: what tables show and what kernels are told apart by.
[[nodiscard]] std::string kernel_label(const std::string& mangled_name);

}  // namespace coalescope::base
