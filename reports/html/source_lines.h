#pragma once
// Which source lines are worth a reader's time: those that move more than they need, and those of findings.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reports/analysis/report.h"

namespace coalescope::html {

struct WorthyLine {
  const analysis::LineRow* line = nullptr;
  std::string owner;            // the library that the kernel is of; empty: the user's own
  std::optional<double> share;  // of the surplus sectors of all lines, over all launches
  std::size_t shapes = 1;       // of its kernel; `line` is that of the shape with most surplus
};

// A line of a kernel stands once for all shapes. In the report's order, or most surplus over the whole run
// first where the reader chose none.
std::vector<WorthyLine> worthy_lines(const analysis::Report& report);

// "PyTorch ATen (12 kernels)", for each owner of code without line information.
std::vector<std::string> owners_without_lines(const analysis::Report& report);

// Whether a line of an excerpt moves more than it needs, or a finding is about it.
bool is_worthy(const analysis::Report& report, const analysis::SourceExcerpt& excerpt,
               const analysis::SourceExcerpt::Line& line);

}  // namespace coalescope::html
