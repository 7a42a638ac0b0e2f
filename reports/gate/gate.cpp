// The order: violations; those that are suppressed; coverage; the outcome, and the sentence that says it.

#include "reports/gate/gate.h"

#include <algorithm>
#include <fmt/format.h>
#include <regex>
#include <set>

#include "core/base/units.h"
#include "reports/analysis/judge/findings.h"
#include "reports/analysis/view/shown.h"
#include "reports/comparison/compare.h"
#include "reports/gate/violations.h"

namespace coalescope::gate {
namespace {

using analysis::counted;
using analysis::Report;
using comparison::Comparison;

// The policy's reader has tried each expression.
bool matches(const Suppression& suppression, const Violation& violation) {
  if (suppression.rule && *suppression.rule != violation.rule) return false;
  if (suppression.kernel &&
      !std::regex_search(violation.subject, std::regex(*suppression.kernel, std::regex::extended)))
    return false;
  return !suppression.call_site ||
         violation.call_site.value_or("").find(*suppression.call_site) != std::string::npos;
}

void suppress(Result& result, const Policy& policy, std::string_view today) {
  for (const Suppression& suppression : policy.suppressions) {
    const bool ended = today > suppression.until;
    std::int64_t matched = 0;
    for (Violation& violation : result.violations) {
      if (violation.suppressed || !matches(suppression, violation)) continue;
      ++matched;
      if (!ended) violation.suppressed = fmt::format("until {}: {}", suppression.until, suppression.reason);
    }
    if (ended && matched > 0)
      result.notes.push_back(fmt::format(
          "the suppression in line {} ended on {}, and {} again ({}): repair what it allowed, or give it "
          "another day",
          suppression.line, suppression.until, matched == 1 ? "one violation counts" : "its violations count",
          suppression.reason));
    if (!ended && matched == 0)
      result.notes.push_back(
          fmt::format("the suppression in line {} matches nothing any more: remove it", suppression.line));
  }
}

// Times are advice.
void note_times(Result& result, const Comparison& comparison) {
  for (const auto& number : comparison.run.numbers)
    if (number.key == "gpu_ns" && number.judgement == comparison::Judgement::worse)
      result.notes.push_back(fmt::format("the GPU time rose from {} to {}, which decides nothing",
                                         comparison::value_text(number, number.before),
                                         comparison::value_text(number, number.after)));
}

void take_coverage(Result& result, const Report& report, const Comparison* comparison) {
  result.coverage = comparison ? comparison->coverage : comparison::measured_share(report);
  if (!result.coverage && !report.kernels.empty()) result.coverage = 0;  // none has a time
}

void take_passed(Result& result, const Report& report) {
  std::set<std::string> bad;
  for (const Violation& violation : result.violations) bad.insert(violation.subject);
  for (const auto& family : report.kernel_families)
    if (family.share.value_or(0) >= analysis::kLeastShareOfRun && !bad.contains(family.name))
      result.passed.push_back(family.name);
}

std::int64_t count_of(const Result& result, Severity severity) {
  return std::ranges::count_if(result.violations, [&](const Violation& violation) {
    return !violation.suppressed && violation.severity == severity;
  });
}

void take_outcome(Result& result, const Report& report, const Comparison* comparison, const Policy& policy) {
  const std::int64_t errors = count_of(result, Severity::error), warnings = count_of(result, Severity::warn);
  const std::int64_t suppressed = std::ssize(result.violations) - errors - warnings;
  const bool no_work = report.kernels.empty() && report.transfers.empty();
  std::string rest;
  if (warnings > 0) rest += ", " + counted(warnings, "warning", "warnings");
  if (suppressed > 0) rest += fmt::format(", {} suppressed", suppressed);
  if ((comparison && !comparison->not_comparable.empty()) || no_work) {
    result.outcome = Outcome::not_comparable;
    result.verdict = no_work ? "Not judged: the capture holds no work on a GPU." : comparison->verdict;
  } else if (errors > 0) {
    result.outcome = Outcome::failed;
    result.verdict = "Failed: " + counted(errors, "error", "errors") + rest + ".";
  } else if (result.coverage && *result.coverage < policy.min_coverage) {
    result.outcome = Outcome::little_coverage;
    result.verdict = fmt::format(
        "Not judged: only kernels of {} of the GPU time were {}, and {} is the least: record with --budget "
        "none, or for longer.",
        base::format_share(*result.coverage), comparison ? "measured both times" : "measured",
        base::format_share(policy.min_coverage));
  } else {
    result.outcome = Outcome::passed;
    result.verdict = "Passed: no error" + rest + ".";
  }
}

std::string place_of(const Violation& violation) {
  if (violation.file && violation.line) return fmt::format("{}:{}", *violation.file, *violation.line);
  return violation.call_site.value_or("");
}

}  // namespace

Result judge(const Report& report, const Comparison* comparison, const Policy& policy,
             std::string_view today) {
  Result result;
  result.capture_path = report.capture_path;
  if (comparison) result.baseline_path = comparison->before.path;
  const bool comparable = !comparison || comparison->not_comparable.empty();
  if (comparable) result.violations = violations_of(report, comparison, policy);
  suppress(result, policy, today);
  std::ranges::stable_sort(result.violations, {}, [](const Violation& violation) {
    return std::pair(violation.suppressed.has_value(), violation.severity);
  });
  if (comparison) {
    result.notes.insert(result.notes.end(), comparison->notes.begin(), comparison->notes.end());
    note_times(result, *comparison);
  }
  take_coverage(result, report, comparison);
  take_passed(result, report);
  take_outcome(result, report, comparison, policy);
  return result;
}

std::vector<comparison::Table> tables_of(const Result& result) {
  comparison::Table violations{"Violations",
                               "violations",
                               "",
                               {{"Severity"},
                                {"Rule"},
                                {"What"},
                                {"Kernel, transfers or memory", false, true},
                                {"Why", false, false, true}},
                               {}};
  comparison::Table suppressed = violations;
  suppressed.heading = "Suppressed";
  for (const Violation& violation : result.violations) {
    auto& table = violation.suppressed ? suppressed : violations;
    const std::string place = place_of(violation);
    const std::string why = violation.suppressed ? *violation.suppressed : violation.message;
    table.rows.push_back({violation.suppressed ? "allowed" : std::string(name_of(violation.severity)),
                          violation.rule, violation.title, violation.subject,
                          place.empty() ? why : place + ": " + why});
  }
  std::vector<comparison::Table> tables{std::move(violations), std::move(suppressed)};
  std::erase_if(tables, [](const comparison::Table& table) { return table.rows.empty(); });
  return tables;
}

}  // namespace coalescope::gate
