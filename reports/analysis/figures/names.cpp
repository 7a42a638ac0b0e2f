// A declaration is a path of components joined by "::"; each component may carry template arguments and
// parameters. A framework passes its functors as lambdas, whose type is written as a path through the
// function that holds them; wrappers nest several of these. The innermost such function is the name that
// people know, and what it is compiled for is said by its own arguments or the lambda's.
//
// The first of these that fits is taken: everything without its scopes; without numbers; without built-in
// types beside what tells more; the words that tell most.

#include "reports/analysis/figures/names.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "core/base/demangle.h"
#include "reports/analysis/figures/declaration.h"
#include "reports/analysis/figures/digest.h"
#include "reports/analysis/figures/users_functor.h"

namespace coalescope::analysis {
namespace {

constexpr int kDeepestName = 24;              // names come from the target and may be hostile
constexpr std::size_t kLongestParsed = 8192;  // as may be their lengths
constexpr std::size_t kLongestOwnName = 34;   // where arguments need the room
constexpr std::size_t kShortenedOwnName = 28;
// PyTorch's functions of this name only hand on the functor that they are given.
constexpr std::string_view kWrapper = "gpu_kernel";

enum class NameDetail : std::uint8_t { kAll, kNoNumbersOutside, kTellingOutside, kTelling };

// Numbers, built-in types and the standard library's: they tell nothing about which kernel it is.
bool is_plain(std::string_view argument) {
  static constexpr std::array<std::string_view, 16> kPlain{
      "bool",   "char", "signed", "unsigned", "short", "int",    "long",  "float",
      "double", "void", "true",   "false",    "std::", "__half", "__nv_", "cuda::std::"};
  if (argument.empty()) return true;
  if (std::string_view("0123456789-(").find(argument.front()) != std::string_view::npos)
    return !argument.starts_with("(anonymous");
  if (argument.starts_with("__nv_dl_wrapper_t<")) return false;
  return std::ranges::any_of(kPlain, [&](std::string_view plain) { return argument.starts_with(plain); });
}

// CUB's choice for an architecture, "cub::DeviceReducePolicy<...>::Policy600", and what it always is given.
bool is_tuning(std::string_view argument) {
  const std::string_view last = argument.substr(argument.rfind(':') + 1);
  if (last == "identity_decomposer_t" || last == "VSMemHelper") return true;
  const bool is_policy = last.starts_with("Policy") || last.starts_with("policy_");
  return last.size() < argument.size() && is_policy &&
         last.find_first_of("0123456789") != std::string_view::npos;
}

bool holds_lambda(std::string_view text) {
  return text.find("{lambda") != std::string_view::npos;
}

bool is_number(std::string_view argument) {
  return is_plain(argument) &&
         (argument.empty() || argument == "true" || argument == "false" ||
          argument.starts_with("std::array<") ||
          std::string_view("0123456789-(").find(argument.front()) != std::string_view::npos);
}

std::string join(const std::vector<std::string>& parts) {
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string short_type(std::string_view type, NameDetail detail, int depth);

// Which arguments stay, when not all do.
bool is_dropped(std::string_view argument, NameDetail detail, bool is_outside) {
  if (detail == NameDetail::kTelling || (is_outside && detail == NameDetail::kTellingOutside))
    return is_plain(argument);
  return is_outside && detail == NameDetail::kNoNumbersOutside && is_number(argument);
}

std::string short_arguments(const Texts& arguments, NameDetail detail, bool is_outside, int depth) {
  const auto stays = [&](std::string_view argument) {
    return !is_tuning(argument) && !is_dropped(argument, detail, is_outside);
  };
  const bool some_stay = std::ranges::any_of(arguments, stays);
  std::vector<std::string> kept;
  for (const auto argument : arguments) {
    if (is_tuning(argument) || (some_stay && !stays(argument))) continue;
    std::string text = short_type(argument, detail, depth + 1);
    const bool is_repeated = std::ranges::find(kept, text) != kept.end();
    if (is_repeated && some_stay && detail == NameDetail::kTelling) continue;
    kept.push_back(std::move(text));
  }
  return join(kept);
}

// "(float)" of "{lambda(float)#1}"; nothing for a lambda that takes nothing.
std::string lambda_types(std::string_view lambda, NameDetail detail, int depth) {
  const std::size_t open = lambda.find('(');
  const std::size_t close = lambda.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close <= open + 1) return {};
  const Texts types = split_outside_brackets(lambda.substr(open + 1, close - open - 1), ",");
  return "(" + short_arguments(types, detail, false, depth) + ")";
}

std::string short_type(std::string_view type, NameDetail detail, int depth) {
  if (depth > kDeepestName) return "...";
  if (type.starts_with("void ")) type.remove_prefix(5);
  Texts path = split_outside_brackets(type, "::");
  const bool is_closure = path.back().starts_with("{lambda");
  const std::string_view innermost = path.back();
  while (path.size() > 1 && (path.back().starts_with("{lambda") || path.back().starts_with("operator")))
    path.pop_back();
  const Component last = parse_component(path.back());
  const auto wrapped = std::ranges::find_if(last.arguments, holds_lambda);
  if (wrapped != last.arguments.end()) return short_type(*wrapped, detail, depth + 1);
  if (is_closure && last.name.starts_with(kWrapper) && !last.arguments.empty() &&
      !is_plain(last.arguments.front()))
    return short_type(last.arguments.front(), detail, depth + 1);
  if (!last.arguments.empty())
    return std::string(last.name) + "<" + short_arguments(last.arguments, detail, false, depth) + ">";
  return std::string(last.name) + (is_closure ? lambda_types(innermost, detail, depth) : "");
}

// A kernel that libraries launch everything with: its argument is the kernel's name.
bool is_launcher(std::string_view name) {
  return name == "_kernel_agent" || name == "device_kernel" || name == "static_kernel" || name == "Kernel2" ||
         name == "Kernel" || name.starts_with("cuda_parallel_launch_");
}

// "gemvx::kernel": a name that only its scope makes one.
std::string own_name(const Texts& path, std::string_view name) {
  const bool is_bare = name == "kernel" || name == "Kernel" || name == "run";
  if (!is_bare || path.size() < 2 || is_nameless(path[path.size() - 2])) return std::string(name);
  return std::string(parse_component(path[path.size() - 2]).name) + "::" + std::string(name);
}

std::string digested(const std::string& name, const std::string& function, const Component& kernel) {
  std::string arguments;
  for (const auto argument : kernel.arguments)
    if (!is_tuning(argument)) arguments.append(argument).append(", ");
  std::string shown = name;
  const std::size_t wanted = digest(arguments, kLongestShortName).size();
  if (name.size() > kLongestOwnName && name.size() + wanted + 2 > kLongestShortName)
    shown = beginning(name, kShortenedOwnName);
  if (is_launcher(kernel.name)) {
    const std::string words = digest(arguments, kLongestShortName);
    if (!words.empty()) shown = words.substr(0, words.find(", "));
    if (const std::size_t at = arguments.find(shown); at != std::string::npos)
      arguments.erase(at, shown.size());  // so that it is not said twice
  }
  const std::string functor = users_functor(function);
  const std::string words = digest(functor + ", " + arguments, kLongestShortName - shown.size() - 2);
  return words.empty() ? shortened_word(name, kLongestShortName) : shown + "<" + words + ">";
}

}  // namespace

std::string short_kernel_name(std::string_view declaration) {
  const std::string label = qualified_function(declaration.substr(0, kLongestParsed));
  const Texts path = split_outside_brackets(label, "::");
  const Component kernel = parse_component(path.back());
  if (kernel.name.empty()) return shortened_word(label, kLongestShortName);
  // Numba's tags are hashes of what the demangled parameters say.
  const std::string name = own_name(path, kernel.name.substr(0, kernel.name.find("[abi:")));
  if (kernel.arguments.empty()) return shortened_word(name, kLongestShortName);
  for (const NameDetail detail :
       {NameDetail::kAll, NameDetail::kNoNumbersOutside, NameDetail::kTellingOutside, NameDetail::kTelling}) {
    std::string shown = name + "<" + short_arguments(kernel.arguments, detail, true, 0) + ">";
    if (shown.size() <= kLongestShortName) return shown;
    // Beside nothing that tells more, the sizes among the numbers tell kernels apart.
    if (std::ranges::all_of(kernel.arguments, [](auto text) { return is_plain(text) || is_tuning(text); }))
      break;
  }
  if (is_launcher(kernel.name) && kernel.arguments.size() == 1 &&
      kernel.arguments[0].find('<') == std::string_view::npos)
    return shortened_word(short_type(kernel.arguments[0], NameDetail::kAll, 0), kLongestShortName);
  return digested(name, label, kernel);
}

std::string short_function_name(std::string_view declaration) {
  // What compilers made of a function: "run(int) [clone .isra.0]".
  declaration = declaration.substr(0, declaration.find(" [clone "));
  constexpr std::string_view kUnnamed = "(anonymous namespace)::", kCall = "operator()";
  // nvcc gives unnamed namespaces this name, which debug information repeats.
  constexpr std::string_view kNamedByNvcc = "_GLOBAL__N_";
  std::string name;
  int depth = 0;
  while (!declaration.empty()) {
    if (depth == 0 && (declaration.starts_with(kUnnamed) || declaration.starts_with(kCall))) {
      declaration.remove_prefix(declaration.starts_with(kUnnamed) ? kUnnamed.size() : kCall.size());
      continue;
    }
    const auto unnamed_ends =
        declaration.starts_with(kNamedByNvcc) ? declaration.find("::") : std::string_view::npos;
    if (depth == 0 && unnamed_ends != std::string_view::npos) {
      declaration.remove_prefix(unnamed_ends + 2);
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
