#pragma once
// Kernel names short enough for a table column and still recognisable to whoever launched them.

#include <cstddef>
#include <string>
#include <string_view>

namespace coalescope::analysis {

inline constexpr std::size_t kLongestShortName = 60;

// From a demangled declaration, at most that many bytes. Namespaces, parameters and helper types go; what
// makes a framework's generic kernel the one it is stays: the functor and its types, then numbers.
// "void at::native::elementwise_kernel<128, 4, ...direct_copy_kernel_cuda(...)...>(int, ...)" becomes
// "elementwise_kernel<128, 4, direct_copy_kernel_cuda(float)>".
[[nodiscard]] std::string short_kernel_name(std::string_view declaration);

// Of a demangled function of the host: without parameters, template arguments and unnamed namespaces.
// "(anonymous namespace)::Solver::step(int)::{lambda(float)#1}::operator()(float) const" becomes
// "Solver::step::{lambda#1}".
[[nodiscard]] std::string short_function_name(std::string_view declaration);

// The last part of a path.
[[nodiscard]] std::string file_name(const std::string& path);

}  // namespace coalescope::analysis
