#include "reports/comparison/findings.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

#include "reports/analysis/figures/names.h"
#include "reports/analysis/judge/findings.h"
#include "reports/comparison/change.h"
#include "reports/comparison/match.h"
#include "reports/comparison/transfers.h"

namespace coalescope::comparison {
namespace {

using analysis::Finding;
using analysis::Report;
using analysis::SubjectKind;

// A cost that is predicted may move so much without a reason that a reader would see.
constexpr double kLostNoise = 0.1;
// L2 windows and managed memory have no counts that are compared: what costs this share of the run is more
// than a finding that hovers about the limit.
constexpr double kLeastLostShare = 0.02;

// What a finding is about, the same in both captures.
struct Subject {
  SubjectKind kind = SubjectKind::kernel;
  std::string name;  // of what is neither a kernel nor transfers
  const KernelChange* kernel = nullptr;
  const RowChange* transfers = nullptr;
};

using Key = std::tuple<std::string, std::string, std::string>;

class FindingComparer {
 public:
  FindingComparer(const Report& before, const Report& after, const Comparison& so_far, bool aside)
      : before_(before), after_(after), so_far_(so_far), aside_(aside) {
    for (const KernelChange& change : so_far.kernels) {
      note_family(before, change.before_family, change, before_kernels_);
      note_family(after, change.after_family, change, after_kernels_);
    }
  }

  [[nodiscard]] std::vector<FindingChange> changes() const;

 private:
  using Kernels = std::map<std::int64_t, const KernelChange*>;  // by KernelRow::id
  struct One {
    std::size_t place;
    const Finding* finding;
    Subject subject;
  };

  static void note_family(const Report& report, std::optional<std::size_t> family, const KernelChange& change,
                          Kernels& kernels) {
    if (!family) return;
    for (const std::int64_t id : report.kernel_families[*family].kernel_ids) kernels[id] = &change;
  }
  [[nodiscard]] Subject subject_of(const Report& report, const Kernels& kernels,
                                   const Finding& finding) const;
  [[nodiscard]] std::map<Key, std::vector<One>> by_key(const Report& report, const Kernels& kernels) const;
  void add(std::vector<FindingChange>& changes, const One* before, const One* after) const;

  const Report &before_, &after_;
  const Comparison& so_far_;
  bool aside_;  // those that stand aside on both sides, and no others
  Kernels before_kernels_, after_kernels_;
};

Subject FindingComparer::subject_of(const Report& report, const Kernels& kernels,
                                    const Finding& finding) const {
  Subject subject;
  subject.kind = finding.subjects.empty() ? SubjectKind::kernel : finding.subjects.front().kind;
  if (finding.kernel_id)
    if (const auto found = kernels.find(*finding.kernel_id); found != kernels.end()) {
      subject.kernel = found->second;
      return subject;
    }
  subject.name = finding.subject;
  if (subject.kind != SubjectKind::transfers) return subject;
  const auto row =
      std::ranges::find(report.transfers, finding.subjects.front().row, &analysis::TransferRow::id);
  if (row == report.transfers.end()) return subject;
  subject.name = class_of(*row);
  const auto found = std::ranges::find(so_far_.transfers, subject.name, &RowChange::name);
  if (found != so_far_.transfers.end()) subject.transfers = &*found;
  return subject;
}

std::map<Key, std::vector<FindingComparer::One>> FindingComparer::by_key(const Report& report,
                                                                         const Kernels& kernels) const {
  std::map<Key, std::vector<One>> keys;
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    const Finding& finding = report.findings[i];
    const Subject subject = subject_of(report, kernels, finding);
    const std::string name =
        subject.kernel ? fmt::format("kernel {}", subject.kernel - so_far_.kernels.data()) : subject.name;
    keys[{finding.rule, std::string(finding.part), name}].push_back({i, &finding, subject});
  }
  return keys;
}

// Whether what is counted of the subject is another than before.
Judgement counted(const Subject& subject) {
  if (subject.kernel) return subject.kernel->judgement;
  return subject.transfers ? subject.transfers->judgement : Judgement::same;
}

bool decides(const Subject& subject, const Finding& finding) {
  if (subject.kernel) return subject.kernel->decides && subject.kernel->judgement != Judgement::same;
  if (subject.transfers) return subject.transfers->judgement != Judgement::same;
  const bool has_counts = subject.kind == SubjectKind::l2_window || subject.kind == SubjectKind::allocation;
  return has_counts && finding.lost_share.value_or(0) >= kLeastLostShare;
}

std::string why_of(const Subject& subject, bool decides) {
  const KernelChange* kernel = subject.kernel;
  if (kernel && kernel->match == Match::only_before) return "the kernel is gone";
  if (kernel && kernel->match == Match::only_after) return "the kernel is new";
  if (decides) return "its counts changed";
  if (kernel && !kernel->not_compared.empty()) return kernel->not_compared;
  if (kernel && kernel->judgement == Judgement::same)
    return "the kernel's counts are the same: its predicted cost is near the limit of what is reported";
  if (subject.kind == SubjectKind::transfers && counted(subject) == Judgement::same)
    return "the transfers are the same: their predicted cost is near the limit of what is reported";
  return "it rests on times, which differ from one recording to the next";
}

// How much less GPU time the subject takes, for as many launches or bytes as before.
void take_gain(FindingChange& change, const Subject& subject) {
  const std::vector<Number>* numbers = subject.kernel      ? &subject.kernel->numbers
                                       : subject.transfers ? &subject.transfers->numbers
                                                           : nullptr;
  const auto time =
      numbers ? std::ranges::find(*numbers, "gpu_ns", &Number::key) : std::vector<Number>::const_iterator();
  if (!numbers || time == numbers->end() || !time->before || !time->after) {
    change.why += "; what it gained was not measured: it has no GPU time of its own in both captures";
    return;
  }
  change.gained_ns = static_cast<std::int64_t>(*time->before - *time->after);
  if (time->judgement == Judgement::same) change.why += "; the time that it gained is within the noise";
}

FindingState state_of(const Subject& subject, const Finding& before, const Finding& after) {
  const Judgement counts = counted(subject);
  if (counts == Judgement::same || !before.lost_ns || !after.lost_ns) return FindingState::same;
  switch (judge(static_cast<double>(*before.lost_ns), static_cast<double>(*after.lost_ns), kLostNoise)) {
    case Judgement::worse:
      return FindingState::worse;
    case Judgement::better:
      return FindingState::better;
    case Judgement::same:
    case Judgement::changed:
      break;
  }
  return FindingState::same;
}

void FindingComparer::add(std::vector<FindingChange>& changes, const One* before, const One* after) const {
  const One& shown = after ? *after : *before;
  const bool is_aside = (!before || before->finding->aside) && (!after || after->finding->aside);
  if (is_aside != aside_) return;
  FindingChange change;
  change.rule = shown.finding->rule;
  change.title = shown.finding->title;
  change.subject = shown.finding->subject;
  change.call_site = shown.finding->call_site;
  change.file = shown.finding->file;
  change.line = shown.finding->line;
  if (before) change.before = before->place, change.before_lost_ns = before->finding->lost_ns;
  if (after) change.after = after->place, change.after_lost_ns = after->finding->lost_ns;
  change.state = !after    ? FindingState::vanished
                 : !before ? FindingState::appeared
                           : state_of(after->subject, *before->finding, *after->finding);
  if (change.state != FindingState::same) {
    change.decides = (aside_ || !shown.finding->aside) && decides(shown.subject, *shown.finding);
    change.why = why_of(shown.subject, change.decides);
  }
  if (change.state == FindingState::vanished || change.state == FindingState::better)
    take_gain(change, before->subject);
  changes.push_back(std::move(change));
}

std::vector<FindingChange> FindingComparer::changes() const {
  std::vector<FindingChange> changes;
  auto after = by_key(after_, after_kernels_);
  for (const auto& [key, ones] : by_key(before_, before_kernels_)) {
    auto& others = after[key];
    // Findings of several lines: the ones at the same line first, the others in their order.
    for (const One& one : ones) {
      auto other = std::ranges::find_if(others, [&](const One& each) {
        return each.finding->file == one.finding->file && each.finding->line == one.finding->line;
      });
      if (other == others.end()) other = others.begin();
      add(changes, &one, other == others.end() ? nullptr : &*other);
      if (other != others.end()) others.erase(other);
    }
  }
  for (const auto& [key, ones] : after)
    for (const One& one : ones) add(changes, nullptr, &one);
  const auto order = [](const FindingChange& change) {
    return std::tuple(!change.decides, change.state == FindingState::same,
                      -std::max(change.before_lost_ns, change.after_lost_ns).value_or(0));
  };
  std::ranges::stable_sort(changes, {}, order);
  return changes;
}

}  // namespace

std::vector<FindingChange> compare_findings(const Report& before, const Report& after,
                                            const Comparison& so_far) {
  return FindingComparer(before, after, so_far, false).changes();
}

std::vector<FindingChange> compare_aside_findings(const Report& before, const Report& after,
                                                  const Comparison& so_far) {
  return FindingComparer(before, after, so_far, true).changes();
}

}  // namespace coalescope::comparison
