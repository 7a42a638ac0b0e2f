// A declaration is a path of components joined by "::"; each component may carry template arguments and
// parameters. A framework passes its functors as lambdas, whose type is written as a path through the
// function that holds them; wrappers nest several of these. The innermost such function is the name that
// people know.

#include "reports/analysis/figures/names.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/base/demangle.h"
#include "reports/analysis/figures/declaration.h"

namespace coalescope::analysis {
namespace {

constexpr std::size_t kLongestArguments = 40;  // characters between < and > that a table column can bear
constexpr std::size_t kLongestNested = 24;     // the same for an argument's own arguments
constexpr int kDeepest = 24;                   // names come from the target and may be hostile
constexpr std::string_view kLambda = "{lambda";
// PyTorch's functions of this name only hand on the functor that they are given.
constexpr std::string_view kWrapper = "gpu_kernel";

// Numbers, built-in types and the standard library's: they tell nothing about which kernel it is.
bool is_plain(std::string_view argument) {
  static constexpr std::array<std::string_view, 16> kPlain{
      "bool",   "char", "signed", "unsigned", "short", "int",    "long",  "float",
      "double", "void", "true",   "false",    "std::", "__half", "__nv_", "cuda::std::"};
  if (argument.empty()) return true;
  if (std::string_view("0123456789-(").find(argument.front()) != std::string_view::npos)
    return !argument.starts_with("(anonymous");
  return std::ranges::any_of(kPlain, [&](std::string_view plain) { return argument.starts_with(plain); });
}

bool holds_lambda(std::string_view text) {
  return text.find(kLambda) != std::string_view::npos;
}

std::string join(const std::vector<std::string>& parts) {
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string short_type(std::string_view type, int depth);

// All arguments where they fit, else those that tell something.
std::string short_arguments(const Texts& arguments, std::size_t longest, int depth) {
  std::vector<std::string> all, telling;
  for (const auto argument : arguments) {
    all.push_back(short_type(argument, depth + 1));
    if (!is_plain(argument)) telling.push_back(all.back());
  }
  if (join(all).size() <= longest || telling.empty()) return join(all);
  while (telling.size() > 1 && join(telling).size() > longest) telling.pop_back();
  return join(telling);
}

std::string short_type(std::string_view type, int depth) {
  if (depth > kDeepest) return "...";
  if (type.starts_with("void ")) type.remove_prefix(5);
  Texts path = split_outside_brackets(type, "::");
  const bool is_lambda = path.back().starts_with(kLambda);
  while (path.size() > 1 && (path.back().starts_with(kLambda) || path.back().starts_with("operator")))
    path.pop_back();
  const Component last = parse_component(path.back());
  const auto wrapped = std::ranges::find_if(last.arguments, holds_lambda);
  if (wrapped != last.arguments.end()) return short_type(*wrapped, depth + 1);
  if (is_lambda && last.name.starts_with(kWrapper) && !last.arguments.empty() &&
      !is_plain(last.arguments.front()))
    return short_type(last.arguments.front(), depth + 1);
  if (last.arguments.empty() || is_lambda) return std::string(last.name);
  const std::string arguments = short_arguments(last.arguments, kLongestNested, depth);
  return std::string(last.name) + (arguments.size() <= kLongestNested ? "<" + arguments + ">" : "");
}

}  // namespace

std::string short_kernel_name(std::string_view declaration) {
  std::string label = base::without_signature(declaration);
  const Texts path = split_outside_brackets(label, "::");
  const Component kernel = parse_component(path.back());
  if (kernel.name.empty()) return label;
  if (kernel.arguments.empty()) return std::string(kernel.name);
  return std::string(kernel.name) + "<" + short_arguments(kernel.arguments, kLongestArguments, 0) + ">";
}

std::string file_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace coalescope::analysis
