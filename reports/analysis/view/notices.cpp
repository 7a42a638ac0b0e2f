#include "reports/analysis/view/notices.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/base/units.h"
#include "core/base/whole.h"
#include "reports/analysis/rows/kernel_families.h"
#include "reports/analysis/rows/kernel_rows.h"
#include "reports/analysis/rows/unmeasured.h"

namespace coalescope::analysis {
namespace {

using model::CoverageReason;
using model::Phase;

bool recorded_nothing(const Report& report) {
  return report.kernels.empty() && report.transfers.empty();
}

std::string nothing_recorded(const Report& report) {
  if (report.processes.empty()) return "The program made no CUDA calls: there is nothing to report.";
  if (report.devices.empty())
    return "The program asked for CUDA but used no GPU: there may be none that it can see. 'nvidia-smi' "
           "lists "
           "them, and CUDA_VISIBLE_DEVICES may hide them.";
  return "The program initialised CUDA, and then launched no kernel and copied nothing.";
}

// A kernel that moves its data by TMA would look as if it moved hardly any.
std::optional<std::string> uncounted_copies(const Report& report) {
  const auto kernels = std::ranges::count_if(report.program.async_copies, [](const AsyncCopyRow& row) {
    return row.tma_instructions.value_or(0) > 0;
  });
  if (kernels == 0) return std::nullopt;
  return fmt::format(
      "{} of {} kernels move data by TMA, whose bytes nothing counts: their degree and sectors are of their "
      "other accesses only.",
      kernels, report.kernels.size());
}

std::string how_it_ended(const Report& report) {
  if (report.capture.exit_signal)
    return fmt::format(
        "The recording was cut off: signal {} ended the program; what had been written by then "
        "is shown.",
        *report.capture.exit_signal);
  return "The recording was cut off: the end of the program was not seen; what had been written by then is "
         "shown.";
}

// The kernels that lack a phase for one reason.
struct Gap {
  std::vector<Phase> phases;
  CoverageReason reason = CoverageReason::measured;
  std::set<ShapeKey> kernels;  // in whichever process
  std::int64_t gpu_ns = 0;
};

std::vector<Gap> gaps_of(const Report& report) {
  std::map<std::pair<Phase, CoverageReason>, Gap> by_reason;
  for (const auto& row : report.kernels)
    for (const auto& missing : row.unmeasured) {
      // Measured and contradictory: the kernel's own row says so.
      const auto samples = samples_of(missing.phase);
      if (samples && (row.*samples).measured > 0) continue;
      // Another shape stands for this size: nothing is missing.
      if (missing.reason == CoverageReason::size_measured) continue;
      auto& gap = by_reason[{missing.phase, missing.reason}];
      gap.kernels.insert(shape_key(row));
      base::add_to(gap.gpu_ns, row.gpu_ns.value_or(0));
    }
  // Phases that the same kernels lack for the same reason are one sentence.
  std::vector<Gap> gaps;
  for (auto& [key, gap] : by_reason) {
    const auto same = std::ranges::find_if(gaps, [&found = gap, reason = key.second](const Gap& other) {
      return other.reason == reason && other.kernels == found.kernels && other.gpu_ns == found.gpu_ns;
    });
    if (same != gaps.end()) {
      same->phases.push_back(key.first);
      continue;
    }
    gap.phases = {key.first};
    gap.reason = key.second;
    gaps.push_back(std::move(gap));
  }
  std::ranges::stable_sort(gaps, std::greater{},
                           [](const Gap& gap) { return std::pair(gap.gpu_ns, gap.kernels.size()); });
  return gaps;
}

// "Not measured for 12 of 40 kernels (3.1 % of kernel time): source lines, L2 hits (too few launches to
// sample)."
std::string sentence(const Gap& gap, const Report& report) {
  std::string subjects;
  for (const Phase phase : gap.phases)
    subjects += (subjects.empty() ? "" : ", ") + std::string(subject_of(phase));
  const double all = static_cast<double>(report.totals.kernel_ns);
  const std::string share =
      all > 0 ? fmt::format(" ({} of kernel time)", base::format_share(static_cast<double>(gap.gpu_ns) / all))
              : "";
  const bool apart = report.totals.shapes > report.totals.kernel_families;
  return fmt::format("Not measured for {} of {} {}{}: {} ({}).", gap.kernels.size(), report.totals.shapes,
                     apart ? "kernel shapes" : "kernels", share, subjects, cause_of(gap.reason));
}

}  // namespace

std::vector<std::string> notices_of(const Report& report) {
  std::vector<std::string> notices;
  const bool said =
      std::ranges::find(report.diagnostics, "no_cuda", &model::Diagnostic::code) != report.diagnostics.end();
  if (recorded_nothing(report) && !said) notices.push_back(nothing_recorded(report));
  for (const auto& diagnostic : report.diagnostics) {
    // Remarks explain an empty capture; beside measurements they belong to the long report.
    const bool remark = diagnostic.severity == model::Severity::info && diagnostic.code != "sampled";
    if (remark && !recorded_nothing(report)) continue;
    notices.push_back(diagnostic.count > 1 ? fmt::format("{} ({} times)", diagnostic.text, diagnostic.count)
                                           : diagnostic.text);
  }
  if (!report.capture.clean) notices.push_back(how_it_ended(report));
  if (report.groups_only_later > 0)
    notices.push_back(fmt::format(
        "{} kernels ran only when the program was run again, and are not shown: the program does not do the "
        "same each time.",
        report.groups_only_later));
  if (report.program.windows_left_out > 0)
    notices.push_back(
        fmt::format("The program set so many L2 windows that differ that {} of them were not judged.",
                    base::format_count(report.program.windows_left_out)));
  if (auto copies = uncounted_copies(report)) notices.push_back(std::move(*copies));
  for (const auto& gap : gaps_of(report)) notices.push_back(sentence(gap, report));
  return notices;
}

}  // namespace coalescope::analysis
