// Kernels, source lines and transfers as tables; whole names in a part that is folded away.

#include <fmt/format.h>
#include <map>

#include "reports/analysis/view/columns.h"
#include "reports/analysis/view/view.h"
#include "reports/markdown/escape.h"
#include "reports/markdown/sections.h"
#include "reports/markdown/table.h"

namespace coalescope::markdown {
namespace {

using analysis::Report;
using analysis::Show;

constexpr std::string_view kLegend =
    "n/m: not measured; none: no such accesses; TMA: moved by the tensor memory accelerator, which no "
    "counter counts.\n";

constexpr analysis::Keys<analysis::KernelRow> kKernels =
    "name launches gpu_ns share load.degree store.degree load.sectors_per_request store.sectors_per_request "
    "l2_hit_ratio dram_read_bytes dram_write_bytes";
constexpr analysis::Keys<analysis::LineRow> kLines =
    "kernel_name sectors ideal_sectors surplus_sectors sector_efficiency least_degree..greatest_degree";
constexpr analysis::Keys<analysis::TransferRow> kTransfers =
    "direction source_memory destination_memory asynchronous transfers bytes largest_bytes gpu_ns share "
    "bandwidth reference_bandwidth";

std::string kernel_cell(const std::string& name) {
  return name.empty() ? "(no name)" : code(name);
}

template <class Row>
std::string cell(const analysis::Column<Row>& column, const Row& row) {
  const std::string text = column.shown(row).text;
  return column.show == Show::name ? kernel_cell(text) : text;
}

std::string place(const analysis::LineRow& row) {
  return row.file && row.line ? code(analysis::place_of(row)) : analysis::place_of(row);
}

// With the order of its rows, unless the reader chose one.
template <class Row>
std::string field_table(const Report& report, std::string_view title, std::string_view usual_order,
                        const std::vector<Row>& rows, analysis::Keys<Row> keys,
                        std::vector<Column> headings = {}, std::string (*first)(const Row&) = nullptr) {
  if (rows.empty()) return {};
  const auto fields = analysis::columns_of(keys);
  for (const auto& field : fields) headings.push_back({field.title, !field.words()});
  std::vector<markdown::Row> lines;
  for (const Row& row : rows) {
    auto& line = lines.emplace_back();
    if (first) line.push_back(first(row));
    for (const auto& field : fields) line.push_back(cell(field, row));
  }
  return fmt::format("### {}, {}\n\n", title, analysis::order_words(report, usual_order)) +
         table(headings, lines);
}

}  // namespace

std::string kernels(const Report& report) {
  const std::string text = field_table(report, "Kernels", "by GPU time", report.kernels, kKernels);
  return text.empty() ? text : text + "\n" + std::string(kLegend);
}

std::string source_lines(const Report& report) {
  return field_table(report, "Source lines", "most surplus sectors first", report.lines, kLines,
                     {{"Line", false}}, place);
}

std::string transfers(const Report& report) {
  return field_table(report, "Transfers", "by GPU time", report.transfers, kTransfers);
}

std::string full_names(const Report& report) {
  std::map<std::string, std::string> names;
  for (const auto& [id, row] : analysis::kernels_by_id(report))
    if (row->full_name != row->name) names.emplace(row->full_name, row->name);
  if (names.empty()) return {};
  std::vector<markdown::Row> rows;
  for (const auto& [full, name] : names) rows.push_back({kernel_cell(name), code(full)});
  return "<details><summary>Full names of the kernels</summary>\n\n" +
         table({{"Kernel", false}, {"Full name", false}}, rows) + "\n</details>\n";
}

}  // namespace coalescope::markdown
