// What the program did beside kernels, copies and memory: plain tables, made by the analysis.
#include <array>

#include "reports/html/plain_tables.h"
#include "reports/html/sections.h"

namespace coalescope::html {

Html program_section(const analysis::Report& report) {
  constexpr std::array<std::string_view, 4> kTables{"async-copies", "timelines", "ranges", "waits"};
  const Html content = plain_tables(report, kTables, Fold::all);
  return content.empty() ? content : section("program", "Ranges and waits", content);
}

}  // namespace coalescope::html
