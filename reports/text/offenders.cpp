#include "reports/text/offenders.h"

#include <algorithm>
#include <cctype>
#include <tuple>
#include <unordered_map>

#include "reports/analysis/view.h"

namespace coalescope::text {
namespace {

template <class Number>
void add(std::optional<Number>& sum, const std::optional<Number>& part) {
  if (part) sum = sum.value_or(Number{}) + *part;
}

}  // namespace

std::vector<Offender> offenders_of(const analysis::Report& report) {
  const auto kernels = analysis::kernels_by_id(report);
  std::vector<Offender> offenders;
  std::unordered_map<const analysis::KernelRow*, std::size_t> place;
  for (const auto& finding : report.findings) {
    const auto found = finding.kernel_id ? kernels.find(*finding.kernel_id) : kernels.end();
    const auto* kernel = found == kernels.end() ? nullptr : found->second;
    const auto [entry, added] =
        kernel ? place.emplace(kernel, offenders.size()) : std::pair(place.end(), true);
    if (added) offenders.push_back({kernel, {}, std::nullopt, std::nullopt});
    auto& offender = added ? offenders.back() : offenders[entry->second];
    offender.findings.push_back(&finding);
    add(offender.lost_ns, finding.lost_ns);
    add(offender.lost_share, finding.lost_share);
  }
  if (report.sorted_by) return offenders;  // as the findings are
  std::ranges::stable_sort(offenders, std::greater{}, [](const Offender& offender) {
    return std::tuple(offender.lost_ns.has_value(), offender.lost_ns.value_or(0),
                      offender.findings.front()->subject_ns.value_or(0));
  });
  return offenders;
}

std::string titles_of(const Offender& offender) {
  std::string text, rule;
  for (const auto* finding : offender.findings) {
    std::string title = finding->title;
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
