#include "reports/text/verbose.h"

#include <array>
#include <string_view>

#include "reports/text/header.h"
#include "reports/text/paragraphs.h"
#include "reports/text/tables.h"

namespace coalescope::text {
namespace {

using analysis::Report;
using Lines = std::vector<std::string>;

// A section is shown when it has content; a table's first line is its heading and does not count.
struct Section {
  std::string_view title;
  Lines (*lines)(const Report&, std::size_t width);
  std::size_t least_lines;
};
constexpr std::array kSections{
    Section{"Processes", processes, 2},
    Section{"Findings, by time lost", findings, 1},
    Section{"Kernels: times", kernel_times, 2},
    Section{"Kernels: degree of coalescing, sectors a request, sector efficiency; launches measured",
            kernel_accesses, 2},
    Section{"Kernels: traffic a launch (speed: DRAM's, asked: of distinct bytes); launches measured",
            kernel_traffic, 2},
    Section{"Not measured", unmeasured, 1},
    Section{"Source lines, a launch, most surplus sectors first", source_lines, 2},
    Section{"Transfers", transfers, 2},
    Section{"What measuring did and cost", measuring, 2},
    Section{"What this machine can do", ceilings, 2},
    Section{"Calibration", calibration, 2},
    Section{"Diagnostics", diagnostics, 1},
};

}  // namespace

Lines verbose_lines(const Report& report, Style style, std::size_t width) {
  Lines lines = header_lines(report, style, width, 0);
  for (const auto& section : kSections) {
    const Lines content = section.lines(report, width);
    if (content.size() < section.least_lines) continue;
    lines.emplace_back();
    lines.push_back(style.heading(std::string(section.title)));
    lines.insert(lines.end(), content.begin(), content.end());
  }
  return lines;
}

}  // namespace coalescope::text
