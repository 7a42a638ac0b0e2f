#pragma once
// From what rules say of subjects to findings: those that are worth a reader's time, each with its level, and
// why rules could not judge.

#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "reports/analysis/judge/findings.h"
#include "reports/analysis/rules/rule.h"

namespace coalescope::analysis {

// What a finding says of its subject, whatever the rule.
struct SubjectInfo {
  std::string name;
  std::optional<std::int64_t> gpu_ns;
  std::vector<SubjectRef> rows;  // one at least
  bool closed = false;           // nobody can follow advice about it: what is not judged of it is not missed
  bool in_run = true;            // false: the run's GPU time is without it, and no share of it means anything
  std::optional<std::int64_t> call_site_id = {};  // where only what this call makes is judged
};

class FindingsBuilder {
 public:
  FindingsBuilder(double run_ns, const Thresholds& thresholds) : run_ns_(run_ns), thresholds_(thresholds) {}

  // `rules`: Rule<Subject>s. Whether one of them has a finding.
  template <class Rules, class Subject>
  bool apply(const Rules& rules, const Subject& view, const SubjectInfo& subject,
             std::span<const LineRow* const> lines = {}) {
    const std::size_t before = judgement_.findings.size();
    for (const auto* rule : rules) {
      Assessment assessment = rule->assess(view);
      if (assessment.cost.lost_ns.value_or(0) > 0) assessment.cost.basis += view.machine.chip_remark;
      add(rule->about, std::move(assessment), subject, {rule->blame, lines});
    }
    return judgement_.findings.size() > before;
  }

  // Kernels of which a finding so far says why they read again from DRAM (KernelRow::id).
  [[nodiscard]] const std::set<std::int64_t>& explained_rereads() const { return explained_rereads_; }

  // Everything that was found, most time lost first; what is one fault in several places is one finding.
  [[nodiscard]] Judgement finish(const Report& report);

 private:
  struct Blame {
    std::optional<double> (*part_of)(const LineRow&) = nullptr;
    std::span<const LineRow* const> lines;
  };

  void add(const RuleAbout& about, Assessment&& assessment, const SubjectInfo& subject, const Blame& blame);
  [[nodiscard]] bool is_unknown_beside_others(const Finding& finding, const SubjectInfo& subject) const;
  void add_finding(const RuleAbout& about, Assessment&& assessment, const SubjectInfo& subject,
                   const Blame& blame);
  void note_unjudged(const RuleAbout& about, const std::string& why, const SubjectInfo& subject);
  static void name_line(Finding& finding, const Blame& blame);
  void rank();
  void raise_what_comes_first();
  // Its level, and whether it stands aside. `busy_share`: of the GPU.
  void weigh(Finding& finding, const Report& report, double busy_share) const;

  double run_ns_;
  Thresholds thresholds_;
  Judgement judgement_;
  std::map<std::pair<const RuleAbout*, std::string>, NotJudged> unjudged_;
  std::set<std::int64_t> explained_rereads_;
};

}  // namespace coalescope::analysis
