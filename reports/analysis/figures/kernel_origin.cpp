// In this order:
//   1. the file that holds the code, where it is a library that holds none but its own
//   2. the name, since a library's kernel keeps it wherever it was linked into; in a framework's file its
//      copies of template libraries are the framework's
//   3. that file again: a framework's other kernels, and those of a package of Python
//   4. who loaded code that no file holds: a library that makes its kernels while the program runs
//   5. the source file of its lines

#include "reports/analysis/figures/kernel_origin.h"

#include <algorithm>
#include <array>

#include "reports/analysis/figures/declaration.h"
#include "reports/analysis/figures/owner_rules.h"
#include "reports/analysis/figures/users_functor.h"

namespace coalescope::analysis {
namespace {

constexpr std::size_t kMostClassified = 16384;  // names come from the target; what decides stands in front

// A name taken apart once, so that each row of the table is a handful of comparisons.
struct NameParts {
  std::string_view declaration;
  std::string function;   // without return type and parameters
  std::string scope;      // "at::native::"; empty outside of named namespaces
  std::string own;        // "copy<3>"
  std::string_view bare;  // "copy"
  bool is_plain = false;
};

NameParts name_parts(std::string_view mangled, std::string_view demangled) {
  NameParts parts;
  parts.declaration = demangled.substr(0, kMostClassified);
  parts.function = qualified_function(parts.declaration);
  parts.is_plain = mangled == demangled && demangled.find('(') == std::string_view::npos;
  const Texts path = split_outside_brackets(parts.function, "::");
  for (std::size_t i = 0; i + 1 < path.size(); ++i)
    if (!is_nameless(path[i])) parts.scope.append(path[i]).append("::");
  parts.own = path.back();
  parts.bare = std::string_view(parts.own).substr(0, parts.own.find('<'));
  return parts;
}

// "128x64" somewhere: libraries write the size of a tile into their names.
bool has_tile(std::string_view name) {
  for (std::size_t i = 1; i + 1 < name.size(); ++i)
    if (name[i] == 'x' && is_digit(name[i - 1]) && is_digit(name[i + 1])) return true;
  return false;
}

// "loop_fusion", "loop_fusion_12" and "loop_fusion.12" for "_fusion", not "loop_fusion_kernel".
bool ends_in_number(std::string_view name, std::string_view text) {
  std::string_view rest = name.substr(name.rfind(text) + text.size());
  if (rest.empty()) return true;
  const bool is_marked = rest.front() == '_' || rest.front() == '.';
  rest.remove_prefix(1);
  return is_marked && !rest.empty() && std::ranges::all_of(rest, is_digit);
}

bool pattern_fits(const NamePattern& pattern, const NameParts& parts) {
  const auto contains = [](std::string_view text, std::string_view part) {
    return part.empty() || text.find(part) != std::string_view::npos;
  };
  if (pattern.scope.empty() && pattern.inside.empty() ? !parts.scope.empty()
                                                      : !parts.scope.starts_with(pattern.scope))
    return false;
  if (!contains(parts.scope, pattern.inside) || !parts.own.starts_with(pattern.begins)) return false;
  if (pattern.is_plain && !parts.is_plain) return false;
  if (!contains(parts.bare, pattern.holds) || !contains(parts.declaration, pattern.declares)) return false;
  if (pattern.is_tiled && !has_tile(parts.bare)) return false;
  return !pattern.ends_in_number || ends_in_number(parts.bare, pattern.holds);
}

// Older Triton wrote what it knew of the arguments behind the name of the function: "add_kernel_0d1d2d3".
bool has_triton_suffix(const NameParts& parts) {
  const std::size_t at = parts.bare.rfind('_');
  if (!parts.is_plain || at == std::string_view::npos) return false;
  const std::string_view suffix = parts.bare.substr(at + 1);
  return suffix.starts_with("0d1") &&
         std::ranges::all_of(suffix, [](char c) { return is_digit(c) || c == 'd' || c == 'e' || c == 'c'; });
}

// nullptr: the file is none of a known library.
const ModuleRule* module_rule(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const auto rules = module_rules();
  const auto found = std::ranges::find_if(
      rules, [name](const ModuleRule& rule) { return name.starts_with(rule.file_begins); });
  return found == rules.end() ? nullptr : &*found;
}

KernelOrigin of_library(std::string_view owner) {
  return {Origin::library, std::string(owner), {}};
}

KernelOrigin from_files(const OriginHints& hints) {
  if (const ModuleRule* holder = module_rule(hints.module_file)) return of_library(holder->owner);
  if (const std::string_view package = python_package(hints.module_file); !package.empty())
    return of_library(package);
  // A framework loads the user's code, too.
  if (const ModuleRule* loader = module_rule(hints.loader_file); loader != nullptr && !loader->is_framework)
    return of_library(loader->owner);
  const std::string_view source = hints.source_file;
  if (is_generated(source)) return {Origin::generated, "torch.compile", {}};
  if (const std::string_view package = python_package(source); !package.empty()) return of_library(package);
  // Python is compiled for the GPU by Triton, or by Numba, whose names say so.
  if (source.ends_with(".py")) return {Origin::generated, "Triton", {}};
  return {};
}

}  // namespace

bool is_generated(std::string_view path) {
  return path.find("/torchinductor_") != std::string_view::npos;
}

std::string_view python_package(std::string_view path) {
  static constexpr std::array<std::string_view, 2> kFolders{"/site-packages/", "/dist-packages/"};
  for (const std::string_view folder : kFolders)
    if (const std::size_t at = path.rfind(folder); at != std::string_view::npos) {
      const std::string_view rest = path.substr(at + folder.size());
      return rest.substr(0, rest.find('/'));
    }
  return {};
}

KernelOrigin kernel_origin(std::string_view mangled, std::string_view demangled, const OriginHints& hints) {
  const ModuleRule* const holder = module_rule(hints.module_file);
  if (holder != nullptr && !holder->is_framework) return of_library(holder->owner);
  const NameParts parts = name_parts(mangled, demangled);
  for (const OwnerRule& rule : owner_rules()) {
    if (!pattern_fits(rule.pattern, parts)) continue;
    if (holder != nullptr && rule.takes != Takes::kNothing) return of_library(holder->owner);
    std::string functor = rule.takes != Takes::kNothing ? users_functor(parts.function) : std::string();
    if (rule.takes == Takes::kWork && !functor.empty()) return {Origin::user, {}, std::move(functor)};
    return {rule.origin, std::string(rule.owner), std::move(functor)};
  }
  if (has_triton_suffix(parts)) return {Origin::generated, "Triton", {}};
  return from_files(hints);
}

}  // namespace coalescope::analysis
