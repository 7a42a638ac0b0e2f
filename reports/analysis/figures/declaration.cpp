#include "reports/analysis/figures/declaration.h"

#include <algorithm>
#include <array>

#include "core/base/demangle.h"

namespace coalescope::analysis {
namespace {

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

Texts split_outside_brackets(std::string_view text, std::string_view separator) {
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

Component parse_component(std::string_view text) {
  const std::size_t open = text.find('<');
  const std::size_t parenthesis = text.find('(', 1);
  if (open == std::string_view::npos || parenthesis < open)
    return {text.substr(0, text.starts_with('(') ? std::string_view::npos : parenthesis), {}};
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '<') ++depth;
    if (text[i] == '>' && text[i - 1] != '-' && --depth == 0)
      return {text.substr(0, open), split_outside_brackets(text.substr(open + 1, i - open - 1), ",")};
  }
  return {text.substr(0, open), {}};
}

bool is_nameless(std::string_view component) {
  static constexpr std::array<std::string_view, 3> kNameless{"(anonymous namespace)", "<unnamed>",
                                                             "_GLOBAL__N_"};
  return std::ranges::any_of(kNameless, [&](std::string_view name) { return component.starts_with(name); });
}

bool is_lambda(std::string_view component) {
  static constexpr std::array<std::string_view, 4> kLambdas{"{lambda", "'lambda", "[lambda",
                                                            "__nv_dl_wrapper_t<"};
  return std::ranges::any_of(kLambdas, [&](std::string_view mark) { return component.starts_with(mark); });
}

std::string qualified_function(std::string_view declaration) {
  std::string label = base::without_signature(declaration);
  const Texts words = split_outside_brackets(label, " ");
  if (words.size() < 2 || !words.front().ends_with("::type")) return label;
  return label.substr(static_cast<std::size_t>(words[1].data() - label.data()));
}

}  // namespace coalescope::analysis
