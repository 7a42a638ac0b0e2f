// A declaration is a path of components joined by "::"; each component may carry template arguments and
// parameters. A framework passes its functors as lambdas, whose type is written as a path through the
// function that holds them; wrappers nest several of these. The innermost such function is the name that
// people know.

#include "reports/analysis/figures/names.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/base/demangle.h"

namespace coalescope::analysis {
namespace {

using Texts = std::vector<std::string_view>;

constexpr std::size_t kLongestArguments = 40;  // characters between < and > that a table column can bear
constexpr std::size_t kLongestNested = 24;     // the same for an argument's own arguments
constexpr int kDeepest = 24;                   // names come from the target and may be hostile
constexpr std::string_view kLambda = "{lambda";
// PyTorch's functions of this name only hand on the functor that they are given.
constexpr std::string_view kWrapper = "gpu_kernel";

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// Splits where no bracket is open. "->" and a closing bracket too many do not count.
Texts split(std::string_view text, std::string_view separator) {
  Texts parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (depth == 0 && text.substr(i).starts_with(separator)) {
      parts.push_back(trimmed(text.substr(begin, i - begin)));
      begin = i + separator.size();
      i = begin - 1;
    } else if (c == '<' || c == '(' || c == '{' || c == '[') {
      ++depth;
    } else if ((c == '>' && (i == 0 || text[i - 1] != '-')) || c == ')' || c == '}' || c == ']') {
      depth = std::max(0, depth - 1);
    }
  }
  parts.push_back(trimmed(text.substr(begin)));
  return parts;
}

struct Component {
  std::string_view name;
  Texts arguments;
};

// "copy<3, float>(int*)" is copy with 3 and float.
Component parse_component(std::string_view text) {
  const std::size_t open = text.find('<');
  const std::size_t parenthesis = text.find('(', 1);
  if (open == std::string_view::npos || parenthesis < open)
    return {text.substr(0, text.starts_with('(') ? std::string_view::npos : parenthesis), {}};
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '<') ++depth;
    if (text[i] == '>' && text[i - 1] != '-' && --depth == 0)
      return {text.substr(0, open), split(text.substr(open + 1, i - open - 1), ",")};
  }
  return {text.substr(0, open), {}};
}

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
  Texts path = split(type, "::");
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
  const Texts path = split(label, "::");
  const Component kernel = parse_component(path.back());
  if (kernel.name.empty()) return label;
  if (kernel.arguments.empty()) return std::string(kernel.name);
  return std::string(kernel.name) + "<" + short_arguments(kernel.arguments, kLongestArguments, 0) + ">";
}

std::string short_function_name(std::string_view declaration) {
  constexpr std::string_view kUnnamed = "(anonymous namespace)::", kCall = "operator()";
  std::string name;
  int depth = 0;
  while (!declaration.empty()) {
    if (depth == 0 && (declaration.starts_with(kUnnamed) || declaration.starts_with(kCall))) {
      declaration.remove_prefix(declaration.starts_with(kUnnamed) ? kUnnamed.size() : kCall.size());
      continue;
    }
    const char c = declaration.front();
    declaration.remove_prefix(1);
    if (c == '(' || c == '<') ++depth;
    if (depth == 0) name += c;
    if ((c == ')' || c == '>') && depth > 0) --depth;
  }
  for (const std::string_view end : {" const", "::"})
    if (name.ends_with(end)) name.resize(name.size() - end.size());
  return name.substr(name.rfind(' ') + 1);  // without what it returns
}

std::string file_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace coalescope::analysis
