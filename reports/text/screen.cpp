// From top to bottom: the header; the worst offenders, as many as fit; where the
// kernels' time went, as far as room is left; transfers; how to see more. The parts that are always shown are
// laid out first, the ranking gets the rest.

#include "reports/text/screen.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <span>

#include "core/base/units.h"
#include "reports/analysis/view/shown.h"
#include "reports/analysis/view/summary.h"
#include "reports/analysis/view/view.h"
#include "reports/text/cells.h"
#include "reports/text/header.h"
#include "reports/text/kernel_columns.h"
#include "reports/text/ranking.h"
#include "reports/text/tables.h"
#include "reports/text/transfers.h"

namespace coalescope::text {
namespace {

using analysis::kNone;
using analysis::kNotMeasured;
using analysis::Report;
using Lines = std::vector<std::string>;

constexpr std::size_t kLeastKernelRows = 3, kMostKernelRows = 8;

// Processes differ in the worst one's time by this much before it is worth a word.
constexpr double kLeastImbalance = 0.05;

bool shares_its_name(const Report& report, const analysis::KernelFamily& family) {
  return std::ranges::count(report.kernel_families, family.name, &analysis::KernelFamily::name) > 1;
}

// ", blocks of 256", " x1,080", ", 3 shapes", ", imbalance 12 %".
Lines after_name(const Report& report, const analysis::KernelFamily& family) {
  Lines after;
  if (shares_its_name(report, family))
    after.push_back(fmt::format(", blocks of {}", family.block[0] * family.block[1] * family.block[2]));
  if (family.launches > 1) after.push_back(" x" + base::format_count(family.launches));
  if (family.shapes > 1) after.push_back(fmt::format(", {} shapes", family.shapes));
  if (family.variants > 0) after.push_back(fmt::format(", {} variants", family.variants));
  std::size_t processes = 0;
  for (const auto& each : report.kernel_families) processes = std::max(processes, each.processes.size());
  if (family.processes.size() < processes)
    after.push_back(fmt::format(", {} of {} processes", family.processes.size(), processes));
  if (family.mixed) after.emplace_back(", mixed");
  if (family.imbalance.value_or(0) >= kLeastImbalance)
    after.push_back(", imbalance " + base::format_share(*family.imbalance));
  return after;
}

Lines kernel_section(const Report& report, Style style, std::size_t rows, std::size_t width) {
  const std::string title = "Kernels " + analysis::order_words(report, "by GPU time");
  Lines lines{style.heading(kernel_heading_above(title, width)),
              style.heading(kernel_heading("   name x launches", "GPU time", width))};
  for (std::size_t i = 0; i < std::min(rows, report.kernel_families.size()); ++i) {
    const auto& family = report.kernel_families[i];
    const std::string name = name_before(std::string(kRankIndent, ' ') + name_of_family(family),
                                         after_name(report, family), width);
    lines.push_back(kernel_line(name, time_cell(family.gpu_ns), share_or_blank(family.share), family, width));
  }
  return lines;
}

// What the words mean that stand in cells instead of a number: "n/m: not measured (--verbose says why)."
std::string legend_of(std::span<const std::string> tables) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kWords{
      {{kNotMeasured, "not measured (--verbose says why)"},
       {kNone, "no such accesses"},
       {analysis::kByTma, "moved by the tensor memory accelerator, which no counter counts"}}};
  std::string text;
  for (const auto& [word, meaning] : kWords) {
    const std::string cell = fmt::format(" {} ", word);
    if (std::ranges::any_of(tables,
                            [&](const std::string& line) { return (line + " ").find(cell) != line.npos; }))
      text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", word, meaning);
  }
  return text.empty() ? text : text + ".";
}

}  // namespace

Lines screen_lines(const Report& report, Style style, std::size_t width, std::size_t height) {
  // Findings go before what the reader should know of the counts: --verbose has all of that.
  Lines lines = header_lines(report, style, width, analysis::ranked_findings(report).size() > 1 ? 1 : 2);
  const Lines transfers = transfer_section(report, style, width);
  const std::string more = "More: --section findings, --verbose, or --html FILE (page with source, charts).";
  if (!report.calibration.empty()) {
    lines.emplace_back();
    append(lines, calibration_overview(report, width));
    lines.insert(lines.end(),
                 {"", "More: --section calibration, --verbose, or --html FILE (page with charts)."});
    return lines;
  }
  if (report.kernels.empty() && report.transfers.empty()) return lines;
  const std::size_t header = lines.size();

  // Blank lines between the sections, the legend and the last line are part of what is always shown.
  const std::size_t fixed = lines.size() + (transfers.empty() ? 0 : transfers.size() + 1) + 4;
  std::size_t room = height > fixed ? height - fixed : 0;
  // Without findings the verdict on top says why, unless the reader asked for a part.
  const bool part = std::ssize(report.hidden.findings) > report.hidden.by_default.findings();
  const bool any = !analysis::ranked_findings(report).empty();
  if (!any && part) {
    lines.emplace_back();
    append_wrapped(lines, analysis::nothing_found(report), width, "", 0);
    room -= std::min<std::size_t>(room, 2);
  } else if (any) {
    lines.emplace_back();
    Lines aside;
    if (const std::string text = analysis::findings_aside(report); !text.empty())
      append_wrapped(aside, text, width, "", kRankIndent);
    const std::size_t kept = kLeastKernelRows + 3 + aside.size();
    const Lines worst = ranking(report, style, room, kept, width);
    append(lines, worst);
    room -= std::min(room, worst.size());
  }
  if (!report.kernels.empty() && room >= kLeastKernelRows + 3) {
    lines.emplace_back();
    append(lines, kernel_section(report, style, std::min(room - 3, kMostKernelRows), width));
  }
  if (!transfers.empty()) {
    lines.emplace_back();
    append(lines, transfers);
  }
  lines.emplace_back();
  if (const std::string legend = legend_of(std::span(lines).subspan(header)); !legend.empty())
    lines.push_back(legend);
  lines.push_back(more);
  return lines;
}

}  // namespace coalescope::text
