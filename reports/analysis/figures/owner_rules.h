#pragma once
// The table that finds the owner of a kernel. The first row that fits decides, so an exception stands above
// its rule.

#include <cstdint>
#include <span>
#include <string_view>

#include "reports/analysis/figures/kernel_origin.h"

namespace coalescope::analysis {

// All texts that are not empty must fit. A pattern that names neither scope nor inside is about functions
// outside of any named namespace only.
struct NamePattern {
  std::string_view scope;       // the namespaces begin with
  std::string_view inside;      // the namespaces contain
  std::string_view begins;      // the function's own name, with its template arguments, begins with
  std::string_view holds;       // the function's own name, without them, contains
  std::string_view declares;    // arguments or parameters contain
  bool is_tiled = false;        // the name contains the size of a tile, "128x64"
  bool is_plain = false;        // the name is not mangled: compilers of Python make such names
  bool ends_in_number = false;  // behind what it holds, the name ends or has a number only, "_12"
};

// What a library's template does with the program's own types.
enum class Takes : std::uint8_t {
  kNothing,
  kFunctors,  // calls the functor that it is given
  kWork,      // hands its threads over to the functor, whose author is the kernel's
};

struct OwnerRule {
  Origin origin = Origin::library;
  std::string_view owner;
  NamePattern pattern;
  Takes takes = Takes::kNothing;
};

[[nodiscard]] std::span<const OwnerRule> owner_rules();

// The file that holds the kernel's code, by its name.
struct ModuleRule {
  std::string_view file_begins;
  std::string_view owner;
  bool is_framework = false;  // holds other libraries' kernels, too, and loads the user's
};
[[nodiscard]] std::span<const ModuleRule> module_rules();

}  // namespace coalescope::analysis
