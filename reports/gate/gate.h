#pragma once
// Whether a capture passes. What is counted decides: sectors, requests, bytes, degrees, and the findings that
// rest on them. Times are told, and decide nothing unless the policy limits them.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/analysis/report.h"
#include "reports/comparison/comparison.h"
#include "reports/comparison/tables.h"
#include "reports/gate/policy.h"

namespace coalescope::gate {

enum class Outcome { passed, failed, not_comparable, little_coverage };
inline constexpr std::array kOutcomeNames{model::EnumName{Outcome::passed, "passed"},
                                          model::EnumName{Outcome::failed, "failed"},
                                          model::EnumName{Outcome::not_comparable, "not_comparable"},
                                          model::EnumName{Outcome::little_coverage, "little_coverage"}};
constexpr std::string_view name_of(Outcome value) {
  return model::name_in(kOutcomeNames, value);
}

struct Violation {
  std::string rule;  // "G01", "regression"
  std::string title;
  Severity severity = Severity::error;
  std::string subject;  // a kernel, transfers, memory, or the run
  std::string message;
  std::optional<std::string> call_site;
  std::optional<std::string> file;
  std::optional<std::int64_t> line;
  std::optional<std::string> suppressed;  // the reason, and until when
  std::optional<std::size_t> finding;     // its place in Report::findings
};

struct Result {
  std::string capture_path;
  std::optional<std::string> baseline_path;
  Outcome outcome = Outcome::passed;
  std::string verdict;                // the one sentence
  std::vector<Violation> violations;  // errors first, those that are suppressed last
  std::vector<std::string> notes;     // what a reader must know: suppressions that ended, times, the baseline
  std::vector<std::string> passed;    // kernels that were judged, and have no violation
  std::optional<double> coverage;     // of the kernels' GPU time
};

// `comparison` is that of a baseline with the report; nullptr: there is none, and findings are judged by
// themselves. `today` is "2026-01-31".
[[nodiscard]] Result judge(const analysis::Report& report, const comparison::Comparison* comparison,
                           const Policy& policy, std::string_view today);

// Violations as tables of words.
[[nodiscard]] std::vector<comparison::Table> tables_of(const Result& result);

}  // namespace coalescope::gate
