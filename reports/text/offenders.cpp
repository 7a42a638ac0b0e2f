#include "reports/text/offenders.h"

#include <cctype>
#include <unordered_map>
#include <unordered_set>

#include "reports/analysis/view/savings.h"
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

using Counted = std::unordered_set<const analysis::Finding*>;

void add_loss(Offender& offender, const analysis::Finding& finding) {
  add(offender.lost_ns, finding.lost_ns);
  if (!analysis::is_of_waits(finding)) add(offender.lost_share, finding.lost_share);
}

// Where none of its findings counts, another offender's counts the same launches: it loses what its first
// says.
void add_losses(Offender& offender, const Counted& counted) {
  for (const auto* finding : offender.findings)
    if (counted.contains(finding)) add_loss(offender, *finding);
  if (!offender.lost_ns) add_loss(offender, *offender.findings.front());
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
    if (!family) continue;
    for (const auto id : finding.kernel_ids)
      if (const auto row = kernels.find(id); row != kernels.end())
        offender.processes.insert(row->second->process_id);
  }
  const Counted counted = analysis::counted_findings(report);
  for (Offender& offender : offenders) add_losses(offender, counted);
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
