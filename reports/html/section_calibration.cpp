// Known kernels against their answers, family by family: whether the counters can be believed on this GPU.
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/html/sections.h"
#include "reports/html/values.h"
#include "reports/html/words.h"

namespace coalescope::html {
namespace {

using model::Calibration;
using model::Verdict;

struct Family {
  std::string_view id, title;
};
constexpr std::array kFamilies{
    Family{"A1", "Sequential, aligned access"},
    Family{"A2", "Permuted inside the segment"},
    Family{"A3", "Copy with an offset"},
    Family{"A4", "Copy with a stride"},
    Family{"A5", "Grid-strided index"},
    Family{"A6", "Broadcast: every lane reads one word"},
    Family{"A7", "Elements of 1 to 16 bytes"},
    Family{"D1", "Copies from pageable and from pinned memory"},
    Family{"D6", "Zero-copy: kernels that read host memory"},
};

std::string family_title(const std::string& id) {
  for (const Family& family : kFamilies)
    if (family.id == id) return fmt::format("{}: {}", id, family.title);
  return id;
}

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
Cell quantity(const Calibration& row) {
  return {row.quantity, "", std::nullopt};
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

std::int64_t count(std::span<const Calibration> rows, Verdict verdict) {
  return std::count_if(rows.begin(), rows.end(), [&](const auto& row) { return row.verdict == verdict; });
}

// "36 of 36 counts exact", "35 of 36 counts exact, 1 differs"; "4 figures measured" where there is no answer.
std::string outcome(std::span<const Calibration> rows) {
  const std::int64_t passed = count(rows, Verdict::pass);
  const std::int64_t failed = count(rows, Verdict::fail);
  std::string text;
  const auto say = [&](std::string part) { text += (text.empty() ? "" : ", ") + part; };
  if (passed + failed > 0) say(fmt::format("{} of {} counts exact", passed, passed + failed));
  if (failed > 0) say(failed == 1 ? "1 differs" : fmt::format("{} differ", failed));
  if (const auto n = count(rows, Verdict::skipped); n > 0) say(fmt::format("{} skipped", n));
  if (const auto n = count(rows, Verdict::measured); n > 0) say(fmt::format("{} figures measured", n));
  return text;
}

bool has_curve(std::span<const Calibration> rows) {
  return std::count_if(rows.begin(), rows.end(), [](const auto& row) {
           return row.verdict == Verdict::measured && row.abscissa && row.measured;
         }) > 1;
}

Html family_part(const std::string& id, std::span<const Calibration> rows) {
  const std::string title = family_title(id);
  Html summary =
      element("span", {{"class", count(rows, Verdict::fail) > 0 ? "verdict-fail" : "verdict-pass"}},
              fmt::format("{} {}", count(rows, Verdict::fail) > 0 ? mark(Verdict::fail) : mark(Verdict::pass),
                          outcome(rows)));
  Html content = element("h3", title);
  content << paragraph(summary);
  if (has_curve(rows))
    content << chart("curve-" + id, title, "Points: what was measured, over the parameter of the case.");
  const std::string caption = fmt::format("{}, {} rows", title, rows.size());
  content << details("All rows", table<Calibration>({"calibration-" + id, caption, "rows"}, kColumns, rows));
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
