#include "reports/analysis/view/summary.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <optional>

#include "core/base/units.h"
#include "core/base/whole.h"
#include "reports/analysis/judge/findings.h"
#include "reports/analysis/rows/unmeasured.h"
#include "reports/analysis/view/shown.h"

namespace coalescope::analysis {
namespace {

// "with 0.2 % of the kernels' time"; those without a time ran too seldom to be timed.
std::string time_unjudged(const Report& report) {
  std::optional<std::int64_t> gpu_ns;
  for (const KernelRow& row : report.kernels)
    if (row.bytes_samples.measured == 0 && row.lines_samples.measured == 0)
      base::add_known(gpu_ns, row.gpu_ns);
  if (!gpu_ns) return "whose time is unknown";
  const double share =
      static_cast<double>(*gpu_ns) / static_cast<double>(std::max<std::int64_t>(1, report.totals.kernel_ns));
  return fmt::format("with {} of the kernels' time", base::format_share(share));
}

}  // namespace

std::string command_text(const Report& report) {
  std::string line;
  for (const std::string& word : report.command) {
    const bool plain = !word.empty() && word.find_first_of(" \t\n'\"\\$`*?;&|<>()") == std::string::npos;
    line += (line.empty() ? "" : " ") + (plain ? word : "'" + word + "'");
  }
  return line;
}

std::int64_t unjudged_kernels(const Report& report) {
  return std::ranges::count_if(report.kernels, [](const KernelRow& row) {
    return row.bytes_samples.measured == 0 && row.lines_samples.measured == 0;
  });
}

std::string findings_aside(const Report& report) {
  const auto& hidden = report.hidden.by_default;
  const auto small = std::ssize(report.findings) - std::ssize(ranked_findings(report));
  std::vector<std::string> parts;
  const auto add = [&](std::int64_t count, std::string_view where) {
    if (count == 0) return;
    parts.push_back((parts.empty() ? counted(count, "finding", "findings") : base::format_count(count)) +
                    std::string(where));
  };
  add(hidden.library, " inside library kernels");
  add(hidden.tool, " inside kernels of autotuners and other tools");
  add(small, small == 1 ? " that is small" : " that are small");
  if (hidden.note > 0) parts.push_back(counted(hidden.note, "note", "notes"));
  if (parts.empty()) return {};
  if (!report.calibration.empty())
    return fmt::format(
        "{} about reference kernels, which are inefficient on purpose, {} hidden; coalescope report FILE "
        "--all "
        "shows {}.",
        counted(hidden.findings(), "finding", "findings"), hidden.findings() == 1 ? "is" : "are",
        hidden.findings() == 1 ? "it" : "them");
  const std::string last = std::move(parts.back());
  parts.pop_back();
  const bool one = hidden.findings() + small == 1;
  return fmt::format("{}{}{} {} hidden; coalescope report FILE --all shows {}.", fmt::join(parts, ", "),
                     parts.empty() ? "" : " and ", last, one ? "is" : "are", one ? "it" : "them");
}

std::string nothing_found(const Report& report) {
  if (std::ssize(report.hidden.findings) > report.hidden.by_default.findings())
    return "None of the findings is of the part that is shown.";
  if (report.kernels.empty() && report.transfers.empty())
    return "The program ran no kernel and moved no memory to or from a GPU, so there is nothing to judge.";
  const std::int64_t unjudged = unjudged_kernels(report);
  if (unjudged > 0 && unjudged == std::ssize(report.kernels))
    return "Nothing could be judged, which does not mean that all is well: no access of any kernel was "
           "counted.";
  std::string text = "No rule found anything worth repairing in what was measured.";
  if (const std::string aside = findings_aside(report); !aside.empty()) text += " " + aside;
  if (unjudged > 0)
    text += fmt::format(" {} {} could not be judged.", counted(unjudged, "kernel group", "kernel groups"),
                        time_unjudged(report));
  return text;
}

std::string and_more(std::string_view first, std::int64_t in_all) {
  return in_all == 1 ? std::string(first) : fmt::format("{} and {} more", first, in_all - 1);
}

std::vector<Gap> gaps_of(const Report& report) {
  std::vector<Gap> gaps;
  std::map<std::string, std::size_t> at;
  for (const auto& kernel : report.kernels)
    for (const auto& missing : kernel.unmeasured) {
      // However many launches each of them had.
      const std::string text = missing.reason == model::CoverageReason::too_few_launches
                                   ? unmeasured_text(missing.phase, missing.reason, std::nullopt)
                                   : missing.text;
      const auto [place, is_new] = at.try_emplace(text, gaps.size());
      if (is_new) gaps.push_back({text, {}, {}});
      Gap& gap = gaps[place->second];
      gap.phases.insert(missing.phase);
      if (gap.kernels.empty() || gap.kernels.back() != &kernel) gap.kernels.push_back(&kernel);
    }
  return gaps;
}

}  // namespace coalescope::analysis
