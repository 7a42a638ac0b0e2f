#include "injection/recorder/name_filter.h"

#include <array>

namespace coalescope::recorder {
namespace {

// Kernels of communication libraries run together with their peers; run one by one they never end.
constexpr std::array<std::string_view, 2> kWaitForPeers{"nccl", "nvshmem"};

}  // namespace

void NameFilter::Free::operator()(regex_t* expression) const {
  regfree(expression);
  delete expression;
}

base::Result<NameFilter> NameFilter::compile(const std::string& pattern) {
  NameFilter filter;
  if (pattern.empty()) return filter;
  auto expression = std::make_unique<regex_t>();
  if (const int code = regcomp(expression.get(), pattern.c_str(), REG_EXTENDED | REG_NOSUB); code != 0) {
    std::array<char, 128> text{};
    regerror(code, expression.get(), text.data(), text.size());
    return base::failure(base::ErrorCode::usage,
                         "'" + pattern + "' is not a regular expression: " + text.data());
  }
  filter.expression_.reset(expression.release());
  return filter;
}

bool NameFilter::skips(std::string_view kernel_name) const {
  for (const auto part : kWaitForPeers) {
    if (kernel_name.find(part) != std::string_view::npos) return true;
  }
  return expression_ && regexec(expression_.get(), std::string(kernel_name).c_str(), 0, nullptr, 0) == 0;
}

}  // namespace coalescope::recorder
