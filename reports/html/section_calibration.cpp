// Known kernels against their answers, family by family: whether the counters can be believed on this GPU.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/base/units.h"
#include "core/base/whole.h"
#include "core/profile/spreads.h"
#include "reports/analysis/figures/families.h"
#include "reports/html/curves.h"
#include "reports/html/data_table.h"
#include "reports/html/sections.h"
#include "reports/html/values.h"
#include "reports/html/words.h"

namespace coalescope::html {
namespace {

using analysis::family_title;
using analysis::outcome;
using analysis::quantity_words;
using analysis::verdict_count;
using model::Calibration;
using model::Verdict;

// A row, and the row that says how far its repetitions lie apart.
struct Shown {
  Calibration row;
  std::optional<double> spread;
};

std::string number(double value, const std::string& unit) {
  if (unit == "GB/s") return base::format_bandwidth(value * 1e9);
  if (unit == "ns") return base::format_ns(base::whole(value));
  const bool whole = value == std::floor(value) && std::abs(value) < 9e15;
  const std::string digits = whole ? base::format_count(base::whole(value)) : fmt::format("{:.3g}", value);
  return unit.empty() ? digits : digits + " " + unit;
}

DataCell value(const Calibration& row, std::optional<double> shown, std::string_view words_if_none) {
  if (!shown)
    return {std::string(words_if_none), "", row.note.value_or("the capture does not say why"), std::nullopt};
  return {number(*shown, row.unit), "", fmt::format("{:.10g} {}", *shown, row.unit), *shown};
}

DataCell expected(const Shown& shown) {
  if (shown.row.verdict == Verdict::measured && !shown.row.expected)
    return {"no closed form", "", "a measured figure: it has no exact answer", std::nullopt};
  return value(shown.row, shown.row.expected, "no closed form");
}

DataCell measured(const Shown& shown) {
  DataCell cell = value(shown.row, shown.row.measured, "not measured");
  if (!shown.row.measured || !shown.spread || *shown.row.measured <= 0) return cell;
  cell.note = fmt::format("\u00b1 {:.2g} %", 50 * *shown.spread / *shown.row.measured);
  cell.exact += fmt::format("; interquartile range {:.4g} {}", *shown.spread, shown.row.unit);
  return cell;
}

DataTable family_table(const std::string& id, const std::string& title, std::span<const Calibration> rows) {
  DataTable table{
      .id = "calibration-" + id,
      .rows_are = "rows",
      .headings = {
          {"", "Case", "The kernel and its parameter.", Look::code},
          {"", "Quantity", "What was counted or timed.", Look::text},
          {"", "Expected", "What the access pattern must give on any GPU; for times, a model's prediction."},
          {"", "Measured", "What this GPU gave; below it, ± half the interquartile range."},
          {"", "Verdict", "Counts must be equal to the last digit.", Look::text}}};
  const profile::Spreads spreads(rows);
  for (const Calibration& each : rows) {
    if (profile::is_spread(each)) continue;
    const Shown shown{each, spreads.of(each)};
    ++table.rows_in_all;
    if (table.rows.size() == kRowsKept) continue;
    table.rows.emplace_back().cells = {{each.case_id, "", "", each.abscissa},
                                       {quantity_words(each.quantity), "", each.quantity, std::nullopt},
                                       expected(shown),
                                       measured(shown),
                                       {fmt::format("{} {}", mark(each.verdict), name_of(each.verdict)),
                                        each.note.value_or(""), "", static_cast<double>(each.verdict)}};
  }
  table.caption = title + ", " + counted(static_cast<std::int64_t>(table.rows_in_all), "row", "rows");
  return table;
}

// One wrong count makes the family wrong; figures without an answer say nothing against it.
Verdict worst_of(std::span<const Calibration> rows) {
  for (const Verdict verdict : {Verdict::fail, Verdict::skipped, Verdict::pass})
    if (verdict_count(rows, verdict) > 0) return verdict;
  return Verdict::measured;
}

// "Bandwidth over stride in words", and how to read it.
Html picture(const Picture& shown) {
  const bool has_model =
      std::ranges::any_of(shown.points, [](const PicturePoint& point) { return point.expected.has_value(); });
  const std::string title = shown.x.empty() ? shown.title : fmt::format("{} over {}", shown.title, shown.x);
  std::string words = shown.x.empty() ? "One bar per case; the table lists every figure."
                                      : "One point per case; the table lists every figure.";
  if (has_model) words += shown.x.empty() ? " A dash: what is expected." : " Dashed lines: what is expected.";
  return chart(shown.id, title, words);
}

Html family_part(const std::string& id, std::span<const Calibration> rows) {
  const std::string title = family_title(id);
  const Verdict worst = worst_of(rows);
  Html content = element("h3", title);
  content << element("span", {{"class", fmt::format("verdict-{}", name_of(worst))}},
                     fmt::format("{} {}", mark(worst), outcome(rows)));
  content = element("summary", content);
  for (const Picture& shown : pictures_of(id, rows)) content << picture(shown);
  content << data_table(family_table(id, title, rows));
  // A family with a wrong count shows it at once.
  return verdict_count(rows, Verdict::fail) > 0
             ? element("details", {{"class", "family"}, {"open", ""}}, content)
             : element("details", {{"class", "family"}}, content);
}

}  // namespace

Html calibration_section(const analysis::Report& report) {
  if (report.calibration.empty()) return {};
  const std::vector<Calibration> rows = analysis::by_family(report.calibration);
  Html content = paragraph(
      "Kernels whose answer can be computed by hand, run on this GPU. Counts must equal the closed form "
      "exactly: where they do, the other numbers of this page can be trusted. Curves have no exact answer; "
      "they show what this GPU does. They were timed without the recorder: medians, after runs to warm up.");
  for (const auto family : analysis::families_of(rows)) content << family_part(family.front().family, family);
  return section("calibration", "Calibration", content);
}

}  // namespace coalescope::html
