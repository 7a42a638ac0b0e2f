#include "reports/text/offenders.h"

#include <algorithm>
#include <cctype>
#include <tuple>
#include <unordered_map>

#include "reports/analysis/view/view.h"

namespace coalescope::text {
namespace {

template <class Number>
void add(std::optional<Number>& sum, const std::optional<Number>& part) {
  if (part) sum = sum.value_or(Number{}) + *part;
}

std::unordered_map<std::int64_t, const analysis::KernelFamily*> families_by_kernel(
    const analysis::Report& report) {
  std::unordered_map<std::int64_t, const analysis::KernelFamily*> families;
  for (const auto* rows : {&report.kernel_families, &report.hidden.kernel_families})
    for (const auto& family : *rows)
      for (const auto id : family.kernel_ids) families.emplace(id, &family);
  return families;
}

// Findings of several rules may count the same time, and a kernel cannot lose more than it takes.
void keep_within_its_time(Offender& offender) {
  if (!offender.family || !offender.family->gpu_ns || !offender.lost_ns) return;
  if (*offender.lost_ns <= *offender.family->gpu_ns) return;
  offender.lost_ns = offender.family->gpu_ns;
  if (offender.family->share) offender.lost_share = offender.family->share;
}

}  // namespace

std::vector<Offender> offenders_of(const analysis::Report& report) {
  const auto kernels = analysis::kernels_by_id(report);
  const auto families = families_by_kernel(report);
  std::vector<Offender> offenders;
  std::unordered_map<const analysis::KernelFamily*, std::size_t> place;
  for (const auto& finding : analysis::ranked_findings(report)) {
    const auto found = finding.kernel_id ? families.find(*finding.kernel_id) : families.end();
    const auto* family = found == families.end() ? nullptr : found->second;
    const auto [entry, added] =
        family ? place.emplace(family, offenders.size()) : std::pair(place.end(), true);
    if (added) offenders.push_back({.family = family});
    auto& offender = added ? offenders.back() : offenders[entry->second];
    offender.findings.push_back(&finding);
    add(offender.lost_ns, finding.lost_ns);
    add(offender.lost_share, finding.lost_share);
    if (!family) continue;
    for (const auto id : finding.kernel_ids)
      if (const auto row = kernels.find(id); row != kernels.end())
        offender.processes.insert(row->second->process_id);
  }
  for (Offender& offender : offenders) keep_within_its_time(offender);
  if (report.sorted_by) return offenders;  // as the findings are
  std::ranges::stable_sort(offenders, std::greater{}, [](const Offender& offender) {
    return std::tuple(offender.lost_ns.has_value(), offender.lost_ns.value_or(0),
                      offender.findings.front()->subject_ns.value_or(0));
  });
  return offenders;
}

std::string titles_of(std::span<const analysis::Finding* const> findings) {
  std::string text, rule;
  std::set<std::string_view> said;  // several shapes have the same
  for (const auto* finding : findings) {
    std::string title = finding->title;
    if (!said.insert(finding->title).second) continue;
    const bool same_rule = finding->rule == rule;
    if (same_rule && !title.empty())
      title.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(title.front())));
    rule = finding->rule;
    if (!text.empty()) text += ", ";
    if (!same_rule) text.append(rule).append(" ");
    text += title;
  }
  return text;
}

}  // namespace coalescope::text
