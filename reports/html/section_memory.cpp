// What the program allocated: over time, and by the calls that asked for it.
#include <array>

#include "reports/html/plain_tables.h"
#include "reports/html/sections.h"

namespace coalescope::html {

Html memory_section(const analysis::Report& report) {
  constexpr std::array<std::string_view, 5> kTables{"allocation-places", "largest-allocations", "allocations",
                                                    "pointers", "migrations"};
  const Html tables = plain_tables(report, kTables, Fold::all);
  if (tables.empty()) return {};
  Html content;
  if (!report.program.memory.empty())
    content << chart("memory", "Live bytes over time",
                     "What was allocated and not freed, by kind of memory. A framework's memory pool counts "
                     "with what it took from CUDA, not with what it handed out.");
  content << tables;
  return section("memory", "Memory", content);
}

}  // namespace coalescope::html
