// Known kernels against their answers, family by family: whether the counters can be believed on this GPU.
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/html/families.h"
#include "reports/html/sections.h"
#include "reports/html/values.h"
#include "reports/html/words.h"

namespace coalescope::html {
namespace {

using model::Calibration;
using model::Verdict;

std::string number(double value, const std::string& unit) {
  const bool whole = value == std::floor(value) && std::abs(value) < 9e15;
  const std::string digits =
      whole ? base::format_count(static_cast<std::int64_t>(value)) : base::format_ratio(value);
  return unit.empty() ? digits : digits + " " + unit;
}

Cell value(const Calibration& row, std::optional<double> shown, std::string_view words_if_none) {
  if (!shown) return missing(words_if_none, "", row.note.value_or("the capture does not say why"));
  return {number(*shown, row.unit), fmt::format("{:.10g} {}", *shown, row.unit), *shown};
}

Cell case_name(const Calibration& row) {
  return {element("code", row.case_id), row.case_id, row.abscissa};
}
// "global_load_sectors" as words.
std::string quantity_words(std::string key) {
  if (key == "bandwidth_gb_s") return "Bandwidth";
  std::ranges::replace(key, '_', ' ');
  return key;
}

Cell quantity(const Calibration& row) {
  return {quantity_words(row.quantity), row.quantity, std::nullopt};
}
Cell expected(const Calibration& row) {
  return row.verdict == Verdict::measured
             ? missing("no closed form", "", "a measured figure: it has no exact answer")
             : value(row, row.expected, "no closed form");
}
Cell measured(const Calibration& row) {
  return value(row, row.measured, "not measured");
}

Cell verdict(const Calibration& row) {
  const std::string name(words(row.verdict));
  Html shown = element("span", {{"class", "verdict-" + name}}, fmt::format("{} {}", mark(row.verdict), name));
  if (row.note) shown << element("small", *row.note);
  return {shown, "", static_cast<double>(row.verdict)};
}

constexpr std::array<Column<Calibration>, 5> kColumns{{
    {"", "Case", "The kernel and its parameter.", Align::text, case_name},
    {"", "Quantity", "What was counted or timed.", Align::text, quantity},
    {"", "Expected", "The closed form: what the access pattern must give on any GPU.", Align::number,
     expected},
    {"", "Measured", "What this GPU's counters gave.", Align::number, measured},
    {"", "Verdict", "Counts must be equal to the last digit.", Align::text, verdict},
}};

// The quantity of the family's curve; empty if it has none.
std::string curve_quantity(std::span<const Calibration> rows) {
  const auto is_point = [](const Calibration& row) {
    return row.verdict == Verdict::measured && row.abscissa && row.measured;
  };
  const auto first = std::ranges::find_if(rows, is_point);
  return std::ranges::count_if(rows, is_point) > 1 ? first->quantity : "";
}

// One wrong count makes the family wrong; figures without an answer say nothing against it.
Verdict worst_of(std::span<const Calibration> rows) {
  for (const Verdict verdict : {Verdict::fail, Verdict::skipped, Verdict::pass})
    if (verdict_count(rows, verdict) > 0) return verdict;
  return Verdict::measured;
}

Html family_part(const std::string& id, std::span<const Calibration> rows) {
  const std::string title = family_title(id);
  const Verdict worst = worst_of(rows);
  Html content = element("h3", title);
  content << paragraph(element("span", {{"class", fmt::format("verdict-{}", words(worst))}},
                               fmt::format("{} {}", mark(worst), outcome(rows))));
  if (!curve_quantity(rows).empty())
    content << chart("curve-" + id,
                     fmt::format("{} over {}", quantity_words(curve_quantity(rows)), family_parameter(id)),
                     "Points: one figure a case; the table has them all.");
  const std::string caption = title + ", " + counted(std::ssize(rows), "row", "rows");
  const Html all = table<Calibration>({"calibration-" + id, caption, "rows"}, kColumns, rows);
  // A family with a wrong count shows it at once.
  content << (verdict_count(rows, Verdict::fail) > 0 ? all : details("All rows", all));
  return element("div", {{"class", "family"}}, content);
}

}  // namespace

Html calibration_section(const analysis::Report& report) {
  if (report.calibration.empty()) return {};
  std::vector<Calibration> rows = report.calibration;
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.family < b.family; });
  Html content = paragraph(
      "Kernels whose answer can be computed by hand, run on this GPU. Counts must equal the closed form "
      "exactly: "
      "where they do, the numbers above can be believed. Curves have no right answer; they say what this GPU "
      "does.");
  content << paragraph(element("strong", outcome(rows)));
  for (auto begin = rows.begin(); begin != rows.end();) {
    const auto end =
        std::find_if(begin, rows.end(), [&](const auto& row) { return row.family != begin->family; });
    content << family_part(begin->family, {begin, end});
    begin = end;
  }
  return section("calibration", "Calibration", content);
}

}  // namespace coalescope::html
