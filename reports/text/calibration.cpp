// Family by family: what the closed forms said, the counts that differ, and the figures. Counts that are
// exact are told by their number alone: there are thousands.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/base/units.h"
#include "core/base/whole.h"
#include "core/profile/spreads.h"
#include "reports/analysis/figures/families.h"
#include "reports/analysis/view/shown.h"
#include "reports/text/cells.h"
#include "reports/text/table.h"
#include "reports/text/tables.h"

namespace coalescope::text {
namespace {

using model::Calibration;
using model::Verdict;
using Lines = std::vector<std::string>;
using Rows = std::span<const Calibration>;

std::string number(const std::optional<double>& value, const std::string& unit) {
  if (!value) return "";
  if (unit == "GB/s") return base::format_bandwidth(*value * 1e9);
  if (unit == "ns") return base::format_ns(base::whole(*value));
  if (unit == "bytes") return base::format_bytes(*value);
  const bool whole = *value == std::floor(*value) && std::abs(*value) < 9e15;
  return whole ? base::format_count(base::whole(*value)) : fmt::format("{:.4g}", *value);
}

// Counts are compared to the last digit.
std::string count(const std::optional<double>& value) {
  return value ? fmt::format("{:.15g}", *value) : std::string();
}

std::string half_spread(const Calibration& row, const profile::Spreads& spreads) {
  const auto spread = spreads.of(row);
  if (!spread || !row.measured || *row.measured <= 0) return "";
  return fmt::format("+- {:.1f} %", 50 * *spread / *row.measured);
}

std::string quantity(const Calibration& row) {
  const std::string words = analysis::quantity_words(row.quantity);
  return clean(row.unit == "1e9/s" ? words + ", 1e9/s" : words);
}

TableRow figure_row(const Calibration& row, const profile::Spreads& spreads) {
  return {clean(row.case_id), quantity(row), number(row.expected, row.unit), number(row.measured, row.unit),
          half_spread(row, spreads)};
}

Lines figures(Rows rows, std::size_t width) {
  std::vector<TableRow> shown;
  const profile::Spreads spreads(rows);
  for (const Calibration& row : rows)
    if (row.verdict == Verdict::measured && row.measured && !profile::is_spread(row))
      shown.push_back(figure_row(row, spreads));
  if (shown.empty()) return {};
  return table_lines(
      {{"case", Align::words}, {"quantity", Align::words}, {"expected"}, {"measured"}, {"spread"}}, shown,
      width, 4);
}

Lines exceptions(Rows rows, std::size_t width) {
  std::vector<TableRow> shown;
  for (const Calibration& row : rows)
    if (row.verdict == Verdict::fail || row.verdict == Verdict::skipped)
      shown.push_back({std::string(name_of(row.verdict)), clean(row.case_id), clean(row.quantity),
                       count(row.expected), count(row.measured), clean(row.note.value_or(""))});
  if (shown.empty()) return {};
  return table_lines({{"verdict", Align::words},
                      {"case", Align::words},
                      {"quantity", Align::words},
                      {"expected"},
                      {"measured"},
                      {"note", Align::words}},
                     shown, width, 4);
}

}  // namespace

Lines calibration_overview(const analysis::Report& report, std::size_t width) {
  const std::vector<Calibration> rows = analysis::by_family(report.calibration);
  std::vector<TableRow> shown;
  std::int64_t others = 0;
  for (const Rows family : analysis::families_of(rows)) {
    const auto exact = analysis::verdict_count(family, Verdict::pass);
    const auto failed = analysis::verdict_count(family, Verdict::fail);
    if (exact + failed == 0) {
      ++others;
      continue;
    }
    shown.push_back({"  " + clean(analysis::family_title(family.front().family)),
                     fmt::format("{} of {}", base::format_count(exact), base::format_count(exact + failed)),
                     failed > 0 ? base::format_count(failed) + " failed" : ""});
  }
  Lines lines = table_lines({{"Reference kernels", Align::words}, {"counts exact"}, {"", Align::words}},
                            shown, width, 0);
  if (others > 0)
    lines.push_back(fmt::format("  and {} of figures that have no exact answer",
                                analysis::counted(others, "family", "families")));
  return lines;
}

Lines calibration(const analysis::Report& report, std::size_t width) {
  const std::vector<Calibration> rows = analysis::by_family(report.calibration);
  Lines lines;
  for (const Rows family : analysis::families_of(rows)) {
    lines.push_back(fmt::format("  {}: {}", clean(analysis::family_title(family.front().family)),
                                analysis::outcome(family)));
    for (const Lines& part : {exceptions(family, width), figures(family, width)})
      lines.insert(lines.end(), part.begin(), part.end());
  }
  return lines;
}

}  // namespace coalescope::text
