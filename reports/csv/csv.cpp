#include "reports/csv/csv.h"

#include <algorithm>

#include "reports/analysis/view/view.h"
#include "reports/csv/tables.h"

namespace coalescope::csv {
namespace {

template <class Row>
std::string table(const std::vector<Row>& rows, const Kernels& kernels) {
  std::string text;
  Record heading(text, Record::Part::heading);
  describe(heading, Row{}, kernels);
  for (const auto& row : rows) {
    Record values(text, Record::Part::values);
    describe(values, row, kernels);
  }
  return text;
}

}  // namespace

const std::vector<std::string>& table_names() {
  static const std::vector<std::string> kNames{"findings", "kernels", "lines", "transfers", "call-sites"};
  return kNames;
}

std::optional<Table> table_of(std::string_view name) {
  const auto found = std::ranges::find(table_names(), name);
  if (found == table_names().end()) return std::nullopt;
  return static_cast<Table>(found - table_names().begin());
}

std::string to_csv(const analysis::Report& report, Table which) {
  const Kernels kernels = analysis::kernels_by_id(report);
  switch (which) {
    case Table::findings:
      return table(report.findings, kernels);
    case Table::kernels:
      return table(report.kernels, kernels);
    case Table::lines:
      return table(report.lines, kernels);
    case Table::transfers:
      return table(report.transfers, kernels);
    case Table::call_sites:
      return table(report.call_sites, kernels);
  }
  return {};
}

std::string heading(Table which) {
  const std::string text = to_csv({}, which);
  return text.substr(0, text.find_first_of("\r\n"));
}

}  // namespace coalescope::csv
