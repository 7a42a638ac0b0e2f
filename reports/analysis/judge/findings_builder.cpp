// The order: findings as rules make them, the costliest first; what their readers can do about each, which
// decides what is one; shapes and parts of one kernel; the calls behind them; kernels and copies of one call;
// levels, because these are of the sums; what the repair of another finding ends, if that one is shown.

#include "reports/analysis/judge/findings_builder.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "core/base/whole.h"
#include "reports/analysis/figures/access_shape.h"
#include "reports/analysis/figures/kernel_origin.h"
#include "reports/analysis/figures/second_half.h"
#include "reports/analysis/judge/behind_copies.h"
#include "reports/analysis/judge/call_advice.h"
#include "reports/analysis/judge/call_blame.h"
#include "reports/analysis/judge/host_limit.h"
#include "reports/analysis/judge/merge_calls.h"
#include "reports/analysis/judge/merge_shapes.h"
#include "reports/analysis/judge/price_range.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

std::optional<double> share(std::optional<std::int64_t> part, double whole) {
  if (!part || whole <= 0) return std::nullopt;
  return static_cast<double>(*part) / whole;
}

struct Shares {
  std::optional<double> lost_of_run, lost_of_subject, subject_of_run;
};

// What is lost beyond the subject's own time, as gaps beside small copies are, is no GPU time.
Shares shares_of(const Finding& finding, double run) {
  const auto of_gpu = finding.lost_ns && finding.subject_ns
                          ? std::optional(std::min(*finding.lost_ns, *finding.subject_ns))
                          : finding.lost_ns;
  return {share(of_gpu, run), share(finding.lost_ns, static_cast<double>(finding.subject_ns.value_or(0))),
          share(finding.subject_ns, run)};
}

bool worth_finding(const Finding& finding, const Shares& shares, const Thresholds& thresholds) {
  if (!finding.lost_ns || finding.level == Level::note)
    return !shares.subject_of_run || *shares.subject_of_run >= kLeastSubjectShare;
  if (!shares.lost_of_run && !shares.lost_of_subject) return true;
  return shares.lost_of_run.value_or(0) >= thresholds.share_of_run ||
         shares.lost_of_subject.value_or(0) >= thresholds.share_of_subject;
}

// The part of what is saved that is sure; 1: it has no range.
double sure_part(const Finding& finding) {
  if (!finding.least_lost_ns || finding.lost_ns.value_or(0) <= 0) return 1;
  return static_cast<double>(*finding.least_lost_ns) / static_cast<double>(*finding.lost_ns);
}

// All that it can cost is too little: the time that is lost, or, where that is not known, all of its
// subject's. Or it may cost next to nothing: predictions are off by some percent of their subject's time.
bool is_small(const Finding& finding, const Shares& shares, const Thresholds& thresholds) {
  const auto most = finding.lost_ns ? finding.lost_share : shares.subject_of_run;
  const double least_share = std::min(kLeastShareOfRun, thresholds.share_of_run);
  const double least = about_rule(finding).rebuilds ? kSevereShareOfRun : least_share;
  return (most && (*most < least || *most * sure_part(finding) < least_share)) ||
         (shares.lost_of_subject && *shares.lost_of_subject < thresholds.share_of_subject);
}

bool is_small_wait(const Finding& finding, const Report& report) {
  return is_of_waits(finding) && report.totals.wall_ns.value_or(0) > 0 &&
         saved_share(finding, report).value_or(0) * sure_part(finding) < kLeastShareOfRun;
}

// Of the GPU, in the second half of the recording; 1: not known.
double busy_share(const Report& report) {
  const auto half = second_half(report);
  return half ? std::min(1.0, half->kernels_share + half->copies_share - half->at_once_share) : 1;
}

// Where the GPU mostly idles, a few per cent of its time are less of the program's.
bool is_small_beside_idling(const Finding& finding, double busy_share) {
  const double of_gpu = finding.lost_share.value_or(1);
  return !is_of_waits(finding) && of_gpu < kSevereShareOfRun &&
         of_gpu * sure_part(finding) * busy_share < kLeastShareOfRun;
}

}  // namespace

void FindingsBuilder::add(const RuleAbout& about, Assessment&& assessment, const SubjectInfo& subject,
                          const Blame& blame) {
  if (!assessment.measure.value) {
    if (!subject.closed) note_unjudged(about, assessment.measure.why_not, subject);
  } else if (assessment.measure.reaches(about.limit)) {
    add_finding(about, std::move(assessment), subject, blame);
  }
}

// Others were timed and this kernel was not: it ran a few times, at the start mostly, and what it could cost
// is unknown.
bool FindingsBuilder::is_unknown_beside_others(const Finding& finding, const SubjectInfo& subject) const {
  return finding.kernel_id && !finding.lost_ns && !subject.gpu_ns && run_ns_ > 0;
}

void FindingsBuilder::add_finding(const RuleAbout& about, Assessment&& assessment, const SubjectInfo& subject,
                                  const Blame& blame) {
  Cost& cost = assessment.cost;
  if (!cost.lost_ns && !assessment.measure.reaches(about.unpriced_limit)) return;
  Finding finding;
  finding.rule = about.id;
  finding.title = about.title;
  finding.subject = subject.name;
  finding.subject_ns = cost.of_ns ? cost.of_ns : subject.gpu_ns;
  finding.subjects = subject.rows;
  finding.call_site_id = subject.call_site_id;
  for (const SubjectRef& row : subject.rows)
    if (row.kind == SubjectKind::kernel) finding.kernel_ids.push_back(row.row);
  if (finding.kernel_ids.size() == 1) finding.kernel_id = finding.kernel_ids.front();
  finding.lost_ns = cost.lost_ns;
  finding.fewer_launches = cost.fewer_launches;
  finding.basis = std::move(cost.basis);
  const Shares shares = subject.in_run ? shares_of(finding, run_ns_) : Shares{};
  finding.lost_share = shares.lost_of_run;
  finding.part = about.part;
  // Its level and what stands aside are known when all parts of a fault are together.
  finding.level = (about.note && finding.lost_ns.value_or(0) == 0) ||
                          is_unknown_beside_others(finding, subject) || cost.may_be_nothing
                      ? Level::note
                      : Level::warning;
  if (!worth_finding(finding, shares, thresholds_)) return;
  finding.evidence = std::move(assessment.evidence.text);
  finding.facts = std::move(assessment.evidence.facts);
  finding.advice = std::move(assessment.advice.text);
  finding.advice_id = std::move(assessment.advice.id);
  finding.repair = assessment.advice.repair;
  finding.advice_parameters = std::move(assessment.advice.parameters);
  if (blame.part_of != nullptr) name_line(finding, blame);
  explained_rereads_.insert(assessment.explained_rereads.begin(), assessment.explained_rereads.end());
  judgement_.findings.push_back(std::move(finding));
}

// The line that is to blame for most; of equals the first, which has most surplus sectors. No line is better
// than one in a library's header, nor is a line that is to blame for less, or one that torch.compile wrote.
void FindingsBuilder::name_line(Finding& finding, const Blame& blame) {
  const LineRow* worst = nullptr;
  double most = -1, most_inlined = -1;
  for (const LineRow* line : blame.lines) {
    const double part = blame.part_of(*line).value_or(-1);
    double& most_so_far = in_toolkit(*line) ? most_inlined : most;
    if (part <= most_so_far) continue;
    most_so_far = part;
    if (!in_toolkit(*line)) worst = line;
  }
  if (worst == nullptr || most < most_inlined || is_generated(worst->file.value_or(""))) return;
  finding.file = worst->file;
  finding.line = worst->line;
}

void FindingsBuilder::note_unjudged(const RuleAbout& about, const std::string& why,
                                    const SubjectInfo& subject) {
  auto& row = unjudged_[{&about, why}];
  if (row.subjects == 0) {
    row.rule = about.id;
    row.title = about.title;
    row.why = why;
    row.subject = subject.name;  // subjects come with most GPU time first
  }
  ++row.subjects;
  base::add_known(row.gpu_ns, subject.gpu_ns);
}

void FindingsBuilder::rank() {
  std::ranges::stable_sort(judgement_.findings, std::greater{}, [](const Finding& finding) {
    // What is sure to be saved goes first; the ends of the ranges are known at last.
    const auto sure_ns = finding.least_lost_ns ? finding.least_lost_ns : finding.lost_ns;
    return std::tuple(finding.lost_ns.has_value(), sure_ns.value_or(0), finding.lost_ns.value_or(0),
                      finding.subject_ns.value_or(0));
  });
}

// To the place of the first finding about the same kernel (RuleAbout::comes_first).
void FindingsBuilder::raise_what_comes_first() {
  auto& findings = judgement_.findings;
  std::map<std::int64_t, std::size_t> first_of_kernel;
  std::vector<std::tuple<std::size_t, bool, std::size_t>> order;  // place, not raised, place before
  for (std::size_t at = 0; at < findings.size(); ++at) {
    const Finding& finding = findings[at];
    const auto first = finding.kernel_id ? first_of_kernel.emplace(*finding.kernel_id, at).first->second : at;
    const bool raised = about_rule(finding).comes_first;
    order.emplace_back(raised ? first : at, !raised, at);
  }
  std::ranges::sort(order);
  std::vector<Finding> ordered;
  for (const auto& [place, stays, at] : order) ordered.push_back(std::move(findings[at]));
  findings = std::move(ordered);
}

void FindingsBuilder::weigh(Finding& finding, const Report& report, double busy_share) const {
  if (finding.level != Level::note)
    finding.level =
        saved_share(finding, report).value_or(0) >= kSevereShareOfRun ? Level::severe : Level::warning;
  if (finding.aside) return;
  if (!report.calibration.empty())  // what the reference kernels do badly they do on purpose
    finding.aside = Aside::tool;
  else if (finding.level == Level::note)
    finding.aside = Aside::note;
  else if (is_small(finding, shares_of(finding, run_ns_), thresholds_) || is_small_wait(finding, report) ||
           is_small_beside_idling(finding, busy_share))
    finding.aside = Aside::small;
}

Judgement FindingsBuilder::finish(const Report& report) {
  auto& findings = judgement_.findings;
  discount_behind_copies(findings, report);
  rank();
  advise_calls(findings, report);
  merge_shapes(findings, report);
  name_calls(findings, report);
  advise_copies(findings, report);
  advise_operations(findings, report);
  rank();
  merge_calls(findings, report);
  merge_gradients(findings);
  merge_operands(findings, report);
  limit_to_host(findings, report);
  const double busy = busy_share(report);
  for (Finding& finding : findings) {
    take_range(finding);
    weigh(finding, report, busy);
  }
  merge_consequences(findings);
  rank();
  raise_what_comes_first();
  const auto catalogue = rule_catalogue();
  for (const RuleAbout* about : catalogue) {
    std::vector<NotJudged> of_rule;
    for (auto& [key, row] : unjudged_)
      if (key.first == about) of_rule.push_back(std::move(row));
    std::ranges::stable_sort(of_rule, std::greater{},
                             [](const NotJudged& row) { return row.gpu_ns.value_or(0); });
    for (auto& row : of_rule) judgement_.not_judged.push_back(std::move(row));
  }
  return std::move(judgement_);
}

}  // namespace coalescope::analysis
