#include "core/base/name_filter.h"

#include <array>

#include "core/base/demangle.h"

namespace coalescope::base {

void NameFilter::Free::operator()(regex_t* expression) const {
  regfree(expression);
  delete expression;
}

Result<NameFilter> NameFilter::compile(const std::string& pattern) {
  NameFilter filter;
  if (pattern.empty()) return filter;
  auto expression = std::make_unique<regex_t>();
  if (const int code = regcomp(expression.get(), pattern.c_str(), REG_EXTENDED | REG_NOSUB); code != 0) {
    std::array<char, 128> text{};
    regerror(code, expression.get(), text.data(), text.size());
    return failure(ErrorCode::usage, "'" + pattern + "' is not a regular expression: " + text.data());
  }
  filter.expression_.reset(expression.release());
  return filter;
}

bool NameFilter::matches(std::string_view kernel_name) const {
  if (!expression_) return false;
  const auto matched = [&](const std::string& name) {
    return regexec(expression_.get(), name.c_str(), 0, nullptr, 0) == 0;
  };
  return matched(std::string(kernel_name)) || matched(kernel_label(std::string(kernel_name)));
}

}  // namespace coalescope::base
