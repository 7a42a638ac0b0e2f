#pragma once
// Cells for numbers: rounded for the eye, exact in the title, and words where a number is missing.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "reports/analysis/report.h"
#include "reports/analysis/view/shown.h"
#include "reports/html/table.h"

namespace coalescope::html {

using analysis::counted;
using analysis::exact_bandwidth;
using analysis::exact_count;
using analysis::exact_share;
using analysis::samples_text;

// What a missing number says for itself: "not measured" and, under it, the reason.
Cell missing(std::string_view words, std::string_view short_reason, std::string_view reason);

Cell cell_of(const analysis::Shown& shown, analysis::Show show);
Cell count_cell(std::int64_t count, std::string_view unit);
Cell time_cell(std::int64_t ns);

// Columns of plain members.
template <class Row>
Column<Row> words_column(std::string heading, std::string_view about, std::string Row::*member) {
  return {"", std::move(heading), about, Align::text, [member](const Row& row) {
            return Cell{row.*member, "", {}};
          }};
}
template <class Row>
Column<Row> count_column(std::string heading, std::string_view about, std::int64_t Row::*member,
                         std::string_view unit) {
  return {"", std::move(heading), about, Align::number,
          [member, unit](const Row& row) { return count_cell(row.*member, unit); }};
}

// A share with a bar beside the number; the bar says nothing that the number does not.
Html bar(double share);

std::string exact_ns(std::int64_t ns);

// A number and its unit stay on one line: "8 %" has a space that does not break.
std::string unbroken(std::string_view text);

// "2025-11-20 14:03:12 UTC"
std::string utc_time(std::int64_t unix_ns);

// The place of an instruction: "transpose.cu:41". The title of its link holds the whole path.
std::string place_text(const std::optional<std::string>& file, std::optional<std::int64_t> line);

// The page's ids: a kernel group's row, and a line of a source excerpt.
std::string kernel_anchor(std::int64_t kernel_id);
std::string line_anchor(const analysis::Report& report, const std::string& file, std::int64_t line);

// The place as a link to its excerpt where the page has one, as plain text otherwise.
Html place_link(const analysis::Report& report, const std::optional<std::string>& file,
                std::optional<std::int64_t> line);

}  // namespace coalescope::html
