#pragma once
// Which source lines are worth a reader's time: those that move more than they need, those that called for
// much GPU time, and those of findings.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
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

// What is known of one source line, over the whole run.
struct LineFigures {
  std::int64_t gpu_ns = 0;                      // of what it called
  std::string function;                         // of such a line
  std::optional<double> wasted_bytes;           // of its memory instructions; nullopt: none was measured here
  double wasted_share = 0;                      // of the wasted bytes of all lines
  std::int64_t sectors = 0, ideal_sectors = 0;  // per launch, of all kernels and shapes
  std::vector<const analysis::Finding*> findings;  // about it

  [[nodiscard]] std::int64_t lost_ns() const;  // of the finding that loses most; 0: none, or not known
};
using FiguresByPlace = std::map<std::pair<std::string, std::int64_t>, LineFigures>;
FiguresByPlace figures_by_place(const analysis::Report& report);

// Whether a line is worth a reader's time: it wastes bytes, a finding is about it, or it called for enough
// GPU time.
bool is_worthy(const analysis::Report& report, const LineFigures& line);

}  // namespace coalescope::html
