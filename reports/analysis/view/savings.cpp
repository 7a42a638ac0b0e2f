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
    return std::tuple(about_rule(*each).comes_first, each->least_lost_ns.value_or(*each->lost_ns),
                      *each->lost_ns);
  });
  return findings;
}

// A row, and of copies the call as well: the judge gives those of a class that need not be made to one
// finding, and the others to another.
using TimeOf = std::tuple<SubjectKind, std::int64_t, std::int64_t>;

// What a finding would shorten.
std::vector<TimeOf> times_of(const Finding& finding) {
  constexpr std::int64_t kAnyCall = 0;
  std::vector<TimeOf> times;
  for (const auto id : finding.kernel_ids) times.emplace_back(SubjectKind::kernel, id, kAnyCall);
  if (finding.kernel_id) times.emplace_back(SubjectKind::kernel, *finding.kernel_id, kAnyCall);
  if (times.empty())
    for (const SubjectRef& subject : finding.subjects)
      times.emplace_back(
          subject.kind, subject.row,
          subject.kind == SubjectKind::transfers ? finding.call_site_id.value_or(kAnyCall) : kAnyCall);
  return times;
}

}  // namespace

Savings savings_of(const Report& report) {
  Savings savings;
  std::set<TimeOf> counted_once;
  for (const Finding* finding : priced(report)) {
    const auto times = times_of(*finding);
    if (std::ranges::any_of(times, [&](const auto& each) { return counted_once.contains(each); })) continue;
    counted_once.insert(times.begin(), times.end());
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
