// What the program did beside kernels and copies: plain tables, made by the analysis.
#include "reports/analysis/view/program_tables.h"
#include "reports/html/plain_table.h"
#include "reports/html/sections.h"

namespace coalescope::html {

Html program_section(const analysis::Report& report) {
  Html content;
  // Managed memory stands among the transfers.
  for (const analysis::PlainTable& plain : analysis::program_tables(report.program))
    if (plain.id != analysis::kMigrationsId) content << plain_table(plain);
  if (content.empty()) return {};
  return section("program", "Memory, ranges and waits", content);
}

}  // namespace coalescope::html
