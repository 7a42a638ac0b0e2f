#include "core/base/demangle.h"

#include <cstdlib>
#include <cxxabi.h>
#include <memory>

namespace coalescope::base {

std::string demangle(const std::string& name) {
  // __cxa_demangle also reads type codes: it would make "float" of a kernel that is called "f".
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? std::string(text.get()) : name;
}

// Read from the end: template arguments before the parameter list may hold parentheses of their own (lambdas,
// casts, "(anonymous namespace)"), but the last closing one always ends the parameters.
std::string without_signature(std::string_view declaration) {
  constexpr std::string_view kKernelReturnType = "void ";
  if (declaration.starts_with(kKernelReturnType)) declaration.remove_prefix(kKernelReturnType.size());
  if (!declaration.ends_with(')')) return std::string(declaration);
  int depth = 0;
  for (std::size_t i = declaration.size(); i-- > 0;) {
    if (declaration[i] == ')') ++depth;
    if (declaration[i] == '(' && --depth == 0) return std::string(declaration.substr(0, i));
  }
  return std::string(declaration);
}

std::string kernel_label(const std::string& mangled_name) {
  const std::string declaration = demangle(mangled_name);
  return declaration == mangled_name ? mangled_name : without_signature(declaration);
}

}  // namespace coalescope::base
