#include "reports/analysis/notices.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>

#include "core/base/units.h"
#include "reports/analysis/unmeasured.h"

namespace coalescope::analysis {
namespace {

using model::Phase;

// Nothing of the GPU is in the capture: the reason stands in the diagnostics, or there is none.
std::string nothing_recorded(const Report& report) {
  if (report.processes.empty()) return "The program made no CUDA calls: there is nothing to report.";
  return "The program initialised CUDA and then launched no kernel and copied nothing.";
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

// One sentence for all kernels that lack a phase, by share of the kernels' time.
std::string missing_phase(Phase phase, const Report& report) {
  std::int64_t kernels = 0, ns = 0;
  std::map<std::string, std::int64_t> reasons;  // text of the reason, with the time that it concerns
  for (const auto& row : report.kernels)
    for (const auto& gap : row.unmeasured) {
      if (gap.phase != phase || gap.reason == model::CoverageReason::measured) continue;
      ++kernels;
      ns += row.gpu_ns.value_or(0);
      reasons[std::string(name_of(gap.reason))] += row.gpu_ns.value_or(1);
      break;
    }
  if (kernels == 0) return {};
  const auto worst = std::ranges::max_element(reasons, {}, [](const auto& entry) { return entry.second; });
  const std::string share =
      report.totals.kernel_ns > 0
          ? fmt::format(
                ", {} of the kernels' time",
                base::format_share(static_cast<double>(ns) / static_cast<double>(report.totals.kernel_ns)))
          : "";
  return fmt::format("No {} for {} of {} kernels ({}{}).", subject_of(phase), kernels, report.kernels.size(),
                     worst->first, share);
}

}  // namespace

std::vector<std::string> notices_of(const Report& report) {
  std::vector<std::string> notices;
  for (const auto& diagnostic : report.diagnostics) {
    if (diagnostic.severity == model::Severity::info) continue;
    notices.push_back(diagnostic.count > 1 ? fmt::format("{} ({} times)", diagnostic.text, diagnostic.count)
                                           : diagnostic.text);
  }
  if (report.kernels.empty() && report.transfers.empty()) notices.push_back(nothing_recorded(report));
  if (!report.capture.clean) notices.push_back(how_it_ended(report));
  for (const auto phase : {Phase::bytes, Phase::lines, Phase::traffic, Phase::misses, Phase::trace})
    if (auto sentence = missing_phase(phase, report); !sentence.empty())
      notices.push_back(std::move(sentence));
  return notices;
}

}  // namespace coalescope::analysis
