#pragma once
// What modules' code (ELF files) tells without CUPTI: which functions it holds, and whether lines.

#include <cstddef>
#include <map>
#include <set>
#include <string>

#include "injection/cupti/module_code.h"

namespace coalescope::cupti {

// Each cubin is read once: those of a framework have thousands of sections, and are asked for many functions.
class CubinSections {
 public:
  // Whether the code holds the function, by its mangled name.
  [[nodiscard]] bool holds_function(Cubin cubin, const std::string& name);
  // The function's machine code; empty where the module has no such function.
  [[nodiscard]] static Cubin function_code(Cubin cubin, const std::string& name);
  // Where its parameters lie (core/machine_code/parameters.h); empty as function_code().
  [[nodiscard]] static Cubin function_info(Cubin cubin, const std::string& name);
  [[nodiscard]] bool can_be_read(Cubin cubin) { return !of(cubin).empty(); }
  // Whether any of its instructions may have a source line.
  [[nodiscard]] bool holds_lines(Cubin cubin);

 private:
  using Names = std::set<std::string, std::less<>>;
  const Names& of(Cubin cubin);

  std::map<const std::byte*, Names> read_;  // by where the code lies
};

}  // namespace coalescope::cupti
