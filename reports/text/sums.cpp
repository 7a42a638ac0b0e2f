#include "reports/text/sums.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/text/cells.h"
#include "reports/text/table.h"

namespace coalescope::text {
namespace {

using analysis::SumBy;

std::string time_or_none(std::int64_t ns) {
  return ns == 0 ? "" : base::format_ns(ns);
}

std::string heading_of(const analysis::Report& report, SumBy by) {
  switch (by) {
    case SumBy::call_site:
      return "call site";
    case SumBy::module:
      return analysis::has_torch_modules(report) ? "module" : "file, program or library";
    case SumBy::kernel:
      return "kernel";
    case SumBy::range:
      return "range";
  }
  return {};
}

// What the shares are of, where not all of the GPU's time was the program's own.
std::string of_tools(const analysis::Report& report, SumBy by) {
  const analysis::Totals& totals = report.totals;
  const std::string tools = base::format_ns(totals.tool_ns), run = base::format_ns(analysis::run_ns(totals));
  if (by == SumBy::range)
    return fmt::format(
        "Shares are of {}, the GPU time without autotuners and other tools. These took {} more, which is "
        "among "
        "the times of the ranges that were open meanwhile.",
        run, tools);
  return fmt::format("Shares are of {}. Kernels of autotuners and other tools took {} more.", run, tools);
}

std::string why_empty(SumBy by) {
  if (by == SumBy::range) return "The program named no ranges.";
  if (by == SumBy::kernel) return "No kernel was launched.";
  return "The capture has no call sites: it was recorded with --stacks none, or by an older coalescope.";
}

}  // namespace

std::vector<std::string> sum_lines(const analysis::Report& report, SumBy by, std::size_t width,
                                   std::size_t most) {
  const auto rows = analysis::sums(report, by);
  if (rows.empty()) return {why_empty(by)};
  const auto gpu_ns = analysis::run_ns(report.totals);
  const bool nested = rows.front().exclusive_ns.has_value();
  std::vector<TableColumn> columns{{heading_of(report, by), Align::words}, {"GPU time"}, {"share"}};
  if (nested) columns.insert(columns.end(), {{"by itself"}, {"waits"}});
  columns.push_back({"lost"});
  std::vector<TableRow> table;
  for (const auto& row : rows) {
    if (table.size() == most) break;
    TableRow cells{
        clean(row.name), base::format_ns(row.inclusive_ns),
        gpu_ns > 0 ? base::format_share(static_cast<double>(row.inclusive_ns) / static_cast<double>(gpu_ns))
                   : ""};
    if (nested) cells.insert(cells.end(), {time_or_none(*row.exclusive_ns), time_or_none(row.wait_ns)});
    cells.push_back(time_or_none(row.lost_ns));
    table.push_back(std::move(cells));
  }
  auto lines = table_lines(columns, table, width, 0);
  if (rows.size() > most) lines.push_back(fmt::format("and {} more", rows.size() - most));
  if (report.totals.tool_ns > 0) append_wrapped(lines, of_tools(report, by), width, "", 0);
  return lines;
}

}  // namespace coalescope::text
