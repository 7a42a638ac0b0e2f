#pragma once
// For the tests of rules: one rule and one subject through the whole judgement, with limits, prices and what
// is worth a reader's time.

#include <array>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "reports/analysis/judge/findings_builder.h"
#include "reports/analysis/rows/sample_rows_test.h"
#include "reports/analysis/rules/rule.h"

namespace coalescope::analysis::test {

inline SubjectInfo info_of(const KernelSubject& subject) {
  return {subject.row.name, subject.row.gpu_ns, {{SubjectKind::kernel, subject.row.id}}};
}
inline SubjectInfo info_of(const TransferSubject& subject) {
  return {"copies", subject.row.gpu_ns, {{SubjectKind::transfers, 1}}, false, !subject.row.through_host};
}
inline SubjectInfo info_of(const UploadSubject& subject) {
  return {"copies", subject.row.gpu_ns, {{SubjectKind::transfers, 1}}};
}
inline SubjectInfo info_of(const AllocationSubject& subject) {
  return {"pinned memory", subject.row.calls_ns, {{SubjectKind::allocated_again, 0}}};
}
inline SubjectInfo info_of(const ReadAgainSubject& subject) {
  std::int64_t ns = 0;
  for (const KernelRow* row : subject.kernels) ns += row->median_gpu_ns.value_or(0) * subject.row.times;
  return {"kernels", ns, {{SubjectKind::transfers, 1}}};
}
inline SubjectInfo info_of(const ReadByEachSubject& subject) {
  return {"kernel",
          subject.kernel.median_gpu_ns.value_or(0) * subject.row.launches,
          {{SubjectKind::transfers, 1}}};
}
inline SubjectInfo info_of(const HandedOnSubject& subject) {
  std::int64_t ns = 0;
  for (const KernelRow* row : subject.kernels) ns += row->median_gpu_ns.value_or(0);
  return {"kernels", ns * subject.row.times, {{SubjectKind::transfers, 1}}};
}
inline SubjectInfo info_of(const FillSubject& subject) {
  return {"memory sets", subject.row.gpu_ns, {{SubjectKind::transfers, 1}}};
}
inline SubjectInfo info_of(const ZeroedGradientsSubject& subject) {
  return {"gradients", subject.row.fill_ns + subject.row.add_ns, {{SubjectKind::transfers, 1}}};
}
inline SubjectInfo info_of(const TableGradientsSubject& subject) {
  return {"tables", subject.row.fill_ns + subject.row.optimiser_ns, {{SubjectKind::transfers, 1}}};
}
inline SubjectInfo info_of(const AutocastSubject& subject) {
  return {"conversions", subject.row.gpu_ns, {{SubjectKind::transfers, 1}}};
}
inline SubjectInfo info_of(const ArrayCopiesSubject& subject) {
  return {"copies of whole arrays", subject.row.gpu_ns, {{SubjectKind::transfers, 1}}};
}
inline SubjectInfo info_of(const TimelineSubject& subject) {
  return {"timeline", subject.row.busy_ns, {{SubjectKind::timeline, 0}}};
}
inline SubjectInfo info_of(const L2WindowSubject& subject) {
  return {"window", subject.row.gpu_ns, {{SubjectKind::l2_window, 0}}};
}
inline SubjectInfo info_of(const ManagedSubject&) {
  return {"allocation", std::nullopt, {{SubjectKind::allocation, 0}}};
}

// The subject is all of the run.
template <class Subject>
Judgement judgement_of(const Rule<Subject>& rule, const Subject& subject) {
  const SubjectInfo info = info_of(subject);
  Report report;
  FindingsBuilder builder(static_cast<double>(info.gpu_ns.value_or(0)), {});
  const std::array<const Rule<Subject>*, 1> rules{&rule};
  if constexpr (std::is_same_v<Subject, KernelSubject>) {
    report.kernels = {subject.row};
    builder.apply(std::span<const Rule<Subject>* const>(rules), subject, info, subject.lines);
  } else {
    builder.apply(std::span<const Rule<Subject>* const>(rules), subject, info);
  }
  return builder.finish(report);
}

// With evidence, figures, and advice that is this rule's.
template <class Subject>
bool finds(const Rule<Subject>& rule, const Subject& subject) {
  const Judgement judgement = judgement_of(rule, subject);
  if (judgement.findings.empty()) return false;
  const Finding& finding = judgement.findings[0];
  return !finding.evidence.empty() && !finding.facts.empty() && !finding.advice.empty() &&
         finding.advice_id.starts_with(std::string(rule.about.id) + ".");
}

// Nor is anything missing.
template <class Subject>
bool finds_nothing(const Rule<Subject>& rule, const Subject& subject) {
  const Judgement judgement = judgement_of(rule, subject);
  return judgement.findings.empty() && judgement.not_judged.empty();
}

// It says why, too.
template <class Subject>
bool cannot_judge(const Rule<Subject>& rule, const Subject& subject) {
  const Judgement judgement = judgement_of(rule, subject);
  return judgement.findings.empty() && !judgement.not_judged.empty() && !judgement.not_judged[0].why.empty();
}

// An empty one where there is none.
template <class Subject>
Finding finding_of(const Rule<Subject>& rule, const Subject& subject) {
  Judgement judgement = judgement_of(rule, subject);
  return judgement.findings.empty() ? Finding{} : std::move(judgement.findings[0]);
}

// A kernel with its lines, on a machine of which nothing is known unless one is given.
struct KernelCase {
  KernelRow row;
  std::vector<LineRow> lines;
  Machine machine;
  model::Device device;

  KernelCase(KernelRow kernel, std::vector<LineRow> its_lines = {}, Machine its_machine = {})
      : row(std::move(kernel)), lines(std::move(its_lines)), machine(std::move(its_machine)) {}
  KernelCase(KernelRow kernel, Machine its_machine)
      : row(std::move(kernel)), machine(std::move(its_machine)) {}

  [[nodiscard]] KernelSubject subject() const {
    line_pointers_.clear();
    for (const auto& line : lines) line_pointers_.push_back(&line);
    return {row, machine, line_pointers_, {}, &device};
  }

 private:
  mutable std::vector<const LineRow*> line_pointers_;
};

}  // namespace coalescope::analysis::test
