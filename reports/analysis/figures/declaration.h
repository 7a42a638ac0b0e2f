#pragma once
// The parts of a demangled kernel name: what short names and the question whose kernel it is both read.

#include <string>
#include <string_view>
#include <vector>

namespace coalescope::analysis {

// Without the locale that std::isdigit asks.
[[nodiscard]] constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

using Texts = std::vector<std::string_view>;

// Splits where no bracket is open. "->" and a closing bracket too many do not count.
[[nodiscard]] Texts split_outside_brackets(std::string_view text, std::string_view separator);

// "copy<3, float>(int*)" is copy with 3 and float.
struct Component {
  std::string_view name;
  Texts arguments;
};
[[nodiscard]] Component parse_component(std::string_view text);

// "(anonymous namespace)" and its like: a scope without a name, which nvcc also writes with the file's.
[[nodiscard]] bool is_nameless(std::string_view component);

// A lambda as demanglers write it ("{lambda(int)#1}", "'lambda'(int)", "[lambda(int) (instance 1)]"), or the
// wrapper that nvcc puts around one that is passed to a kernel.
[[nodiscard]] bool is_lambda(std::string_view component);

// "void ns::copy<3>(float*)" is ns::copy<3>. Kernels return void, but a template may spell that as a type
// of its own: "std::enable_if<true, void>::type copy<3>(float*)". Other words stay: names may be any text.
[[nodiscard]] std::string qualified_function(std::string_view declaration);

}  // namespace coalescope::analysis
