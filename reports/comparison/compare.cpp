// The order: who is compared, kernels, transfers and memory, findings, which look at both; the verdict last.

#include "reports/comparison/compare.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "core/base/units.h"
#include "reports/analysis/figures/names.h"
#include "reports/analysis/view/summary.h"
#include "reports/analysis/view/view.h"
#include "reports/comparison/findings.h"
#include "reports/comparison/kernels.h"
#include "reports/comparison/transfers.h"
#include "reports/comparison/verdict.h"

namespace coalescope::comparison {
namespace {

using analysis::Report;

std::string gpus_of(const Report& report) {
  std::set<std::string> names;
  for (const auto& device : report.devices) names.insert(device.properties.name);
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string program_of(const Report& report) {
  return report.command.empty() ? "" : analysis::file_name(report.command.front());
}

Side side_of(const Report& report) {
  return {report.capture_path,         analysis::command_text(report), gpus_of(report),
          report.capture.tool_version, report.capture.started_unix_ns, measured_share(report)};
}

// Of the kernels after the change; nothing to compare is nothing missed.
std::optional<double> coverage_of(const Comparison& comparison, const Report& after) {
  double compared = 0, all = 0;
  const auto rows = analysis::kernels_by_id(after);
  for (const auto& change : comparison.kernels) {
    if (!change.after_family) continue;
    const auto& family = after.kernel_families[*change.after_family];
    if (rows.at(family.kernel_ids.front())->origin == analysis::Origin::tool) continue;
    const double ns = static_cast<double>(family.gpu_ns.value_or(0));
    all += ns;
    // Equal code in equal shapes: what was counted before holds after.
    if (change.shapes_compared > 0 || change.equal_code.value_or(false)) compared += ns;
  }
  return all > 0 ? std::optional(compared / all) : std::nullopt;
}

void note_what_differs(Comparison& comparison, const Report& before, const Report& after) {
  const Side &one = comparison.before, &other = comparison.after;
  if (one.gpus != other.gpus && !one.gpus.empty() && !other.gpus.empty())
    comparison.not_comparable.push_back(
        fmt::format("'{}' was recorded on {}, and '{}' on {}: record both on one kind of GPU", one.path,
                    one.gpus, other.path, other.gpus));
  if (before.kernels.empty() && before.transfers.empty())
    comparison.not_comparable.push_back(fmt::format("'{}' holds no work on a GPU", one.path));
  if (after.kernels.empty() && after.transfers.empty())
    comparison.not_comparable.push_back(fmt::format("'{}' holds no work on a GPU", other.path));
  const bool common = std::ranges::any_of(comparison.kernels, [](const KernelChange& change) {
    return change.before_family && change.after_family && change.match != Match::renamed;
  });
  if (!common && program_of(before) != program_of(after) && !before.kernels.empty() && !after.kernels.empty())
    comparison.not_comparable.push_back(
        fmt::format("no kernel of '{}' is in '{}': they are of different programs", one.path, other.path));
  if (one.command != other.command)
    comparison.notes.push_back(
        fmt::format("the commands differ: '{}' before, '{}' after", one.command, other.command));
  if (one.tool_version != other.tool_version)
    comparison.notes.push_back(
        fmt::format("recorded by different versions of coalescope: {} before, {} after", one.tool_version,
                    other.tool_version));
  for (const auto* report : {&before, &after})
    if (!report->capture.clean)
      comparison.notes.push_back(
          fmt::format("'{}' is incomplete: {}", report->capture_path,
                      report->notices.empty() ? "its end was not seen" : report->notices.front().text));
}

}  // namespace

std::optional<double> measured_share(const Report& report) {
  double measured = 0, all = 0;
  const auto rows = analysis::kernels_by_id(report);
  for (const auto& family : report.kernel_families) {
    bool any = false, tool = false;
    for (const std::int64_t id : family.kernel_ids) {
      any = any || rows.at(id)->load.sectors;
      tool = rows.at(id)->origin == analysis::Origin::tool;
    }
    const double ns = tool ? 0 : static_cast<double>(family.gpu_ns.value_or(0));
    all += ns;
    if (any) measured += ns;
  }
  return all > 0 ? std::optional(measured / all) : std::nullopt;
}

Comparison compare(const Report& before, const Report& after) {
  Comparison comparison;
  comparison.before = side_of(before);
  comparison.after = side_of(after);
  comparison.kernels = compare_kernels(before, after);
  comparison.transfers = compare_transfers(before, after);
  comparison.memory = compare_memory(before, after);
  comparison.run = compare_run(before, after);
  comparison.findings = compare_findings(before, after, comparison);
  comparison.aside_findings = compare_aside_findings(before, after, comparison);
  comparison.coverage = coverage_of(comparison, after);
  note_what_differs(comparison, before, after);
  take_verdict(comparison);
  return comparison;
}

}  // namespace coalescope::comparison
