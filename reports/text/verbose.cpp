#include "reports/text/verbose.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/base/units.h"
#include "reports/analysis/view/program_tables.h"
#include "reports/analysis/view/view.h"
#include "reports/text/cells.h"
#include "reports/text/header.h"
#include "reports/text/paragraphs.h"
#include "reports/text/sums.h"
#include "reports/text/table.h"
#include "reports/text/tables.h"

namespace coalescope::text {
namespace {

using analysis::Report;
using Lines = std::vector<std::string>;

// A section is shown when it has content; a table's first line is its heading and does not count.
struct Section {
  std::string_view name;  // of --section: several sections may share one
  std::string_view title;
  Lines (*lines)(const Report&, std::size_t width);
  std::size_t least_lines;
  std::string_view order = {};  // of its rows, unless the reader chose one
};
// Names in these tables come from the recorded program.
Lines plain_lines(const analysis::PlainTable& plain, std::size_t width) {
  std::vector<TableColumn> columns;
  for (std::size_t i = 0; i < plain.headings.size(); ++i) {
    const bool words = std::find(plain.words.begin(), plain.words.end(), i) != plain.words.end();
    columns.push_back({plain.headings[i], i == 0 ? Align::name : words ? Align::words : Align::number});
  }
  std::vector<TableRow> rows;
  for (const auto& row : plain.rows) {
    TableRow& out = rows.emplace_back();
    for (const std::string& cell : row) out.push_back(clean(cell));
  }
  Lines lines = table_lines(columns, rows, width, 2);
  if (plain.rows_in_all > plain.rows.size())
    lines.push_back("  and " +
                    base::format_count(static_cast<std::int64_t>(plain.rows_in_all - plain.rows.size())) +
                    " more " + plain.rows_are);
  return lines;
}

constexpr std::size_t kMostCallSites = 40;

Lines call_sites(const Report& report, std::size_t width) {
  if (report.call_sites.empty()) return {};
  return sum_lines(report, analysis::SumBy::call_site, width, kMostCallSites);
}

void append(Lines& lines, Style style, std::string_view title, const Lines& content) {
  lines.emplace_back();
  lines.push_back(style.heading(std::string(title)));
  lines.insert(lines.end(), content.begin(), content.end());
}

constexpr std::array kSections{
    Section{"processes", "Processes", processes, 2},
    Section{"findings", "Findings", findings, 1, "surest savings first"},
    Section{"kernels", "Kernels, all shapes together", kernel_shapes, 2},
    Section{"kernels", "Kernels: times", kernel_times, 2},
    Section{"kernels", "Kernels: coalescing; launches measured", kernel_accesses, 3},
    Section{"kernels", "Kernels: what their accesses are", kernel_traits, 2},
    Section{"kernels", "Kernels: bytes requested / bytes moved, by level of memory", kernel_levels, 3},
    Section{"kernels", "Kernels: traffic per launch; launches measured", kernel_traffic, 3},
    Section{"kernels", "Kernels: what else is known, per launch", kernel_rest, 1},
    Section{"missing", "Not measured", unmeasured, 1},
    Section{"missing", "Rules that could not judge", not_judged, 1},
    Section{"lines", "Source lines, per launch", source_lines, 3, "most surplus sectors first"},
    Section{"lines", "Source lines: what else is known, per launch", line_rest, 1},
    Section{"transfers", "Transfers", transfers, 2},
    Section{"transfers", "Transfers: what else is known", transfer_rest, 1},
    Section{"calls", "Call sites: GPU time with all that they called", call_sites, 2},
    Section{"cost", "What measuring did and cost", measuring, 2},
    Section{"machine", "What this machine can do", ceilings, 2},
    Section{"calibration", "Calibration", calibration, 2},
    Section{"names", "Kernels: full names", full_names, 1},
    Section{"diagnostics", "Diagnostics", diagnostics, 1},
};

}  // namespace

namespace {

// What the program did beside kernels and copies: as many tables as it has something for.
constexpr std::string_view kProgram = "program";

void append_section(Lines& lines, const Section& section, const Report& report, Style style,
                    std::size_t width) {
  const Lines content = section.lines(report, width);
  std::string title(section.title);
  if (!section.order.empty()) title += ", " + analysis::order_words(report, section.order);
  if (content.size() >= section.least_lines) append(lines, style, title, content);
}

void append_program(Lines& lines, const Report& report, Style style, std::size_t width) {
  for (const auto& plain : analysis::program_tables(report))
    append(lines, style, plain.title, plain_lines(plain, width));
}

}  // namespace

const std::vector<std::string>& section_names() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const Section& section : kSections)
      if (names.empty() || names.back() != section.name) names.emplace_back(section.name);
    names.emplace_back(kProgram);
    return names;
  }();
  return kNames;
}

Lines section_lines(const Report& report, std::string_view name, Style style, std::size_t width) {
  Lines lines;
  for (const Section& section : kSections)
    if (section.name == name) append_section(lines, section, report, style, width);
  if (name == kProgram) append_program(lines, report, style, width);
  if (lines.empty()) return {"", "The capture has nothing for this section."};
  return lines;
}

Lines verbose_lines(const Report& report, Style style, std::size_t width) {
  Lines lines = header_lines(report, style, width, 0);
  for (const Section& section : kSections) {
    append_section(lines, section, report, style, width);
    // What the program did comes after what it moved.
    if (section.lines == &transfer_rest) append_program(lines, report, style, width);
  }
  return lines;
}

}  // namespace coalescope::text
