#include "tool/explain.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/log.h"
#include "reports/manual/pages.h"
#include "reports/text/manual_page.h"
#include "tool/exit_status.h"
#include "tool/output.h"
#include "tool/rules.h"

namespace coalescope::tool {

namespace {

using base::Result;

constexpr int kLeastWidth = 40, kMostWidth = 100;

Result<void> explain(const std::string& word) {
  const auto rule = rule_named(word);
  if (!rule) return base::relay(rule);
  const auto* page = manual::page_of(*rule);
  if (page == nullptr)
    return base::failure(base::ErrorCode::not_found, fmt::format("rule '{}' has no page", *rule));
  const auto options = text_options_for(stdout);
  const auto width = static_cast<std::size_t>(std::clamp(options.width, kLeastWidth, kMostWidth));
  const auto lines = text::manual_page_lines(page->text, {options.colour}, width);
  return write_all(stdout, fmt::format("{}\n", fmt::join(lines, "\n")), "to stdout");
}

}  // namespace

int run(const ExplainOptions& options) {
  const auto explained = explain(options.rule);
  if (!explained) base::log_error(explained.error());
  return explained ? kDone : kUsage;
}

}  // namespace coalescope::tool
