#include "reports/gate/violations.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

#include "core/base/units.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/judge/findings.h"
#include "reports/analysis/view/view.h"
#include "reports/comparison/change.h"
#include "reports/comparison/transfers.h"
#include "reports/comparison/verdict.h"

namespace coalescope::gate {
namespace {

using analysis::Finding;
using analysis::KernelFamily;
using analysis::KernelRow;
using analysis::Report;
using comparison::Comparison;
using comparison::Judgement;
using comparison::Number;

Severity severity_of(const Policy& policy, std::string_view rule, Severity otherwise) {
  const auto found = policy.rules.find(rule);
  return found == policy.rules.end() ? otherwise : found->second;
}

// What stands aside is asked for by name, or not at all.
Severity usual_severity(const Finding& finding) {
  if (finding.aside || finding.level == analysis::Level::note) return Severity::off;
  return finding.level == analysis::Level::severe ? Severity::error : Severity::warn;
}

// With a baseline only what came or got worse since, with its counts.
std::set<std::size_t> old_findings(const Comparison* comparison) {
  std::set<std::size_t> old;
  if (!comparison) return old;
  using comparison::FindingState;
  for (const auto* findings : {&comparison->findings, &comparison->aside_findings})
    for (const auto& change : *findings)
      if (change.after && !(change.decides &&
                            (change.state == FindingState::appeared || change.state == FindingState::worse)))
        old.insert(*change.after);
  return old;
}

void add_findings(std::vector<Violation>& violations, const Report& report, const Comparison* comparison,
                  const Policy& policy) {
  const auto old = old_findings(comparison);
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    const Finding& finding = report.findings[i];
    const Severity severity = severity_of(policy, finding.rule, usual_severity(finding));
    if (severity == Severity::off || old.contains(i)) continue;
    Violation violation{finding.rule, finding.title, severity, finding.subject,
                        finding.evidence + ". " + finding.advice};
    violation.call_site = finding.call_site;
    violation.file = finding.call_file ? finding.call_file : finding.file;
    violation.line = finding.call_file ? finding.call_line : finding.line;
    violation.finding = i;
    violations.push_back(std::move(violation));
  }
}

// The one that got worse by the largest share; nullptr: none by more than the policy allows.
const Number* worst_of(const std::vector<Number>& numbers, const Policy& policy) {
  const auto share = [](const Number& number) {
    return std::fabs(comparison::relative(number).value_or(HUGE_VAL));
  };
  const Number* worst = nullptr;
  for (const Number& number : numbers)
    if (!number.advice && number.judgement == Judgement::worse && share(number) > policy.max_regression &&
        (!worst || share(number) > share(*worst)))
      worst = &number;
  return worst;
}

std::string regression_text(const Number& number) {
  return fmt::format("{} {}, from {} to {}", number.label, comparison::relative_text(number),
                     comparison::value_text(number, number.before),
                     comparison::value_text(number, number.after));
}

void add_regressions(std::vector<Violation>& violations, const Comparison& comparison, const Policy& policy) {
  const Severity severity = severity_of(policy, kRegression, Severity::error);
  if (severity == Severity::off) return;
  const auto add = [&](const std::string& subject, const Number& number) -> Violation& {
    return violations.emplace_back(
        Violation{std::string(kRegression), "Regression", severity, subject, regression_text(number)});
  };
  for (const auto& change : comparison.kernels) {
    const Number* worst =
        change.decides && change.judgement == Judgement::worse ? worst_of(change.numbers, policy) : nullptr;
    if (!worst) continue;
    Violation& violation = add(change.name, *worst);
    violation.call_site = change.call_site;
    if (change.equal_code.value_or(false))
      violation.message += "; its code is the same, so its data or its launches differ";
  }
  for (const auto* rows : {&comparison.transfers, &comparison.memory})
    for (const auto& row : *rows)
      if (const Number* worst = worst_of(row.numbers, policy))
        add(rows == &comparison.memory ? "memory: " + row.name : comparison::transfers_subject(row), *worst);
}

struct Moved {
  double data_bytes = 0, sectors = 0;
};

// Of all shapes that were measured.
Moved moved_by(const std::vector<const KernelRow*>& rows, const analysis::Access KernelRow::*access) {
  Moved moved;
  for (const KernelRow* row : rows) {
    const analysis::Access& each = row->*access;
    if (!each.data_bytes || !each.sectors) continue;
    moved.data_bytes += static_cast<double>(row->launches) * analysis::real(each.data_bytes);
    moved.sectors += static_cast<double>(row->launches) * analysis::real(each.sectors);
  }
  return moved;
}

// Of the author's own kernels: nobody can change those of a library.
void add_degrees(std::vector<Violation>& violations, const Report& report, const Policy& policy) {
  const Severity severity = severity_of(policy, kDegree, Severity::error);
  if (!policy.min_degree || severity == Severity::off) return;
  const auto kernels = analysis::kernels_by_id(report);
  for (const KernelFamily& family : report.kernel_families) {
    std::vector<const KernelRow*> rows;
    for (const std::int64_t id : family.kernel_ids) rows.push_back(kernels.at(id));
    const analysis::Origin origin = rows.front()->origin;
    if (origin == analysis::Origin::library || origin == analysis::Origin::tool ||
        family.share.value_or(0) < analysis::kLeastShareOfRun)
      continue;
    for (const auto& [access, word] :
         {std::pair{&KernelRow::load, "loads"}, std::pair{&KernelRow::store, "stores"}}) {
      const Moved moved = moved_by(rows, access);
      if (moved.sectors <= 0) continue;
      const double degree = moved.data_bytes / (static_cast<double>(analysis::kSectorBytes) * moved.sectors);
      if (degree >= *policy.min_degree) continue;
      Violation& violation = violations.emplace_back(
          Violation{std::string(kDegree), "Degree of coalescing", severity, family.name,
                    fmt::format("the degree of coalescing of its {} is {}, below {}", word,
                                base::format_share(degree), base::format_share(*policy.min_degree))});
      violation.call_site = rows.front()->call_site;
      violation.file = rows.front()->worst_file;
      violation.line = rows.front()->worst_line;
    }
  }
}

void add_lost_time(std::vector<Violation>& violations, const Report& report, const Policy& policy) {
  const Severity severity = severity_of(policy, kLostTime, Severity::error);
  if (!policy.max_lost_time || severity == Severity::off) return;
  std::int64_t lost_ns = 0;
  for (const Finding& finding : report.findings)
    if (!finding.aside && severity_of(policy, finding.rule, Severity::warn) != Severity::off)
      lost_ns += finding.lost_ns.value_or(0);
  const auto run_ns = static_cast<double>(analysis::run_ns(report.totals));
  const double share = run_ns > 0 ? static_cast<double>(lost_ns) / run_ns : 0;
  const LostTime& most = *policy.max_lost_time;
  const bool over = (most.share && share > *most.share) || (most.ns && lost_ns > *most.ns);
  if (!over) return;
  violations.push_back(
      {std::string(kLostTime), "Lost time", severity, "run",
       fmt::format("its findings are predicted to cost {}, {} of the GPU time; {} are allowed",
                   base::format_ns(lost_ns), base::format_share(share),
                   most.ns ? base::format_ns(*most.ns) : base::format_share(*most.share))});
}

}  // namespace

std::vector<Violation> violations_of(const Report& report, const Comparison* comparison,
                                     const Policy& policy) {
  std::vector<Violation> violations;
  if (comparison) add_regressions(violations, *comparison, policy);
  add_findings(violations, report, comparison, policy);
  add_degrees(violations, report, policy);
  add_lost_time(violations, report, policy);
  return violations;
}

}  // namespace coalescope::gate
