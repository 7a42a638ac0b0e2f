#include "reports/analysis/view/savings.h"

#include <algorithm>
#include <functional>
#include <set>
#include <tuple>
#include <utility>

#include "core/base/whole.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

std::vector<const Finding*> priced(const Report& report) {
  std::vector<const Finding*> findings;
  for (const auto* rows : {&report.findings, &report.hidden.findings})
    for (const Finding& finding : *rows)
      if (finding.lost_ns.value_or(0) > 0 && finding.level != Level::note && !finding.aside)
        findings.push_back(&finding);
  // As the judge ranks them, whatever order the reader chose.
  std::ranges::stable_sort(findings, std::greater{}, [](const Finding* each) {
    const RuleAbout* about = about_rule(each->rule, each->title);
    return std::tuple(about != nullptr && about->comes_first, each->least_lost_ns.value_or(*each->lost_ns),
                      *each->lost_ns);
  });
  return findings;
}

using Subjects = std::vector<std::pair<SubjectKind, std::int64_t>>;

// The rows whose time two findings might both claim. No two findings are about the same copies: the judge
// gives those of one class that need not be made to one rule, and the rest to the others.
Subjects subjects_of(const Finding& finding) {
  Subjects subjects;
  for (const auto id : finding.kernel_ids) subjects.emplace_back(SubjectKind::kernel, id);
  if (finding.kernel_id) subjects.emplace_back(SubjectKind::kernel, *finding.kernel_id);
  if (subjects.empty())
    for (const SubjectRef& subject : finding.subjects)
      if (subject.kind != SubjectKind::transfers) subjects.emplace_back(subject.kind, subject.row);
  return subjects;
}

}  // namespace

Savings savings_of(const Report& report) {
  Savings savings;
  std::set<std::pair<SubjectKind, std::int64_t>> counted_once;
  for (const Finding* finding : priced(report)) {
    const Subjects subjects = subjects_of(*finding);
    if (std::ranges::any_of(subjects, [&](const auto& each) { return counted_once.contains(each); }))
      continue;
    counted_once.insert(subjects.begin(), subjects.end());
    const bool waits = is_of_waits(*finding);
    (waits ? savings.waits : savings.repairs).push_back(finding);
    const std::int64_t saved_ns =
        std::min(*finding->lost_ns, finding->subject_ns.value_or(*finding->lost_ns));
    base::add_to(waits ? savings.wait_ns : savings.gpu_ns, waits ? *finding->lost_ns : saved_ns);
  }
  savings.gpu_ns = std::min(savings.gpu_ns, run_ns(report.totals));
  for (auto* findings : {&savings.repairs, &savings.waits})
    std::ranges::stable_sort(*findings, std::greater{}, [](const Finding* each) { return *each->lost_ns; });
  return savings;
}

std::unordered_set<const Finding*> counted_findings(const Report& report) {
  const Savings savings = savings_of(report);
  std::unordered_set<const Finding*> counted(savings.repairs.begin(), savings.repairs.end());
  counted.insert(savings.waits.begin(), savings.waits.end());
  return counted;
}

}  // namespace coalescope::analysis
