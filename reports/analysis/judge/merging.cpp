#include "reports/analysis/judge/merging.h"

#include <algorithm>

#include "core/base/whole.h"

namespace coalescope::analysis {
namespace {

template <class Item>
void add_new(std::vector<Item>& list, const std::vector<Item>& more) {
  for (const Item& item : more)
    if (std::ranges::find(list, item) == list.end()) list.push_back(item);
}

// All rows of `other` are among those of `finding`: loads and stores of one kernel.
bool has_rows_of(const Finding& finding, const Finding& other) {
  return std::ranges::all_of(other.subjects, [&](const SubjectRef& row) {
    return std::ranges::find(finding.subjects, row) != finding.subjects.end();
  });
}

}  // namespace

void merge_into(Finding& finding, Finding&& other) {
  // Loads and stores of one kernel take the same time. Copies of one class, and operations in a row, that
  // other calls make do not.
  const bool other_calls = !finding.kernel_id;
  if (other_calls || !has_rows_of(finding, other)) base::add_known(finding.subject_ns, other.subject_ns);
  base::add_known(finding.lost_ns, other.lost_ns);
  base::add_to(finding.fewer_launches, other.fewer_launches);
  if (other.lost_share) finding.lost_share = finding.lost_share.value_or(0) + *other.lost_share;
  // Each part was priced by itself, and a kernel cannot lose more than it takes.
  if (finding.kernel_id && finding.lost_ns && finding.subject_ns && *finding.lost_ns > *finding.subject_ns) {
    if (finding.lost_share)
      *finding.lost_share *= static_cast<double>(*finding.subject_ns) / static_cast<double>(*finding.lost_ns);
    finding.lost_ns = finding.subject_ns;
  }
  add_new(finding.kernel_ids, other.kernel_ids);
  add_new(finding.subjects, other.subjects);
  if (finding.file) return;
  finding.file = std::move(other.file);
  finding.line = other.line;
}

}  // namespace coalescope::analysis
