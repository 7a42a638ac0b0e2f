// The order: where the answer goes, before any work; both captures; the comparison; its status last.

#include "tool/diff.h"

#include "core/base/log.h"
#include "reports/comparison/compare.h"
#include "reports/html/comparison_page.h"
#include "reports/json/comparison.h"
#include "reports/markdown/comparison.h"
#include "reports/text/comparison.h"
#include "tool/compared.h"
#include "tool/exit_status.h"
#include "tool/output.h"
#include "tool/output_file.h"

namespace coalescope::tool {
namespace {

using comparison::Comparison;
using comparison::Judgement;

std::string rendered(const DiffOptions& options, const Comparison& comparison) {
  if (options.html) return html::to_html(comparison);
  if (options.json) return json::to_json(comparison, kJsonIndent) + "\n";
  if (options.markdown) return markdown::to_markdown(comparison);
  text::TextOptions text = options.output ? text::TextOptions{} : text_options_for(stdout);
  text.verbose = options.verbose;
  return text::to_text(comparison, text);
}

int status_of(const DiffOptions& options, const Comparison& comparison) {
  if (!comparison.not_comparable.empty()) {
    for (const auto& reason : comparison.not_comparable) base::log_error("not comparable: {}", reason);
    return kNotComparable;
  }
  if (!options.fail_on) return kDone;
  const bool different = comparison.judgement != Judgement::same;
  return (*options.fail_on == "different" ? different : comparison.is_worse) ? kFailed : kDone;
}

int compare_captures(const DiffOptions& options) {
  const auto file = report_file(options.html ? options.html : options.output, options.force);
  if (!file) {
    base::log_error(file.error());
    return kUsage;
  }
  const auto before = report_of(options.before, options.ownership);
  const auto after = before ? report_of(options.after, options.ownership) : before;
  if (!after) {
    base::log_error(after.error());
    return kUnreadable;
  }
  const Comparison comparison = comparison::compare(*before, *after);
  if (const auto shown = put(*file, rendered(options, comparison)); !shown) {
    base::log_error(shown.error());
    return kUsage;
  }
  return status_of(options, comparison);
}

}  // namespace

int run(const DiffOptions& options) {
  return within_memory([&] { return compare_captures(options); });
}

const std::vector<std::string>& fail_choices() {
  static const std::vector<std::string> kChoices{"worse", "different"};
  return kChoices;
}

}  // namespace coalescope::tool
