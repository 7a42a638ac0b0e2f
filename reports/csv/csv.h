#pragma once
// One table of the report for spreadsheets and data frames: RFC 4180, the units in the headings, every digit
// of a number, an empty cell for what was not measured.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/analysis/report.h"

namespace coalescope::csv {

enum class Table { findings, kernels, lines, transfers, call_sites };

// In the order of Table.
[[nodiscard]] const std::vector<std::string>& table_names();
[[nodiscard]] std::optional<Table> table_of(std::string_view name);

[[nodiscard]] std::string to_csv(const analysis::Report& report, Table table);
// Its first line, without the end.
[[nodiscard]] std::string heading(Table table);

}  // namespace coalescope::csv
