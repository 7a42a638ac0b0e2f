// Copies and memory sets by class, beside what pinned memory reaches on this machine.
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/view/columns.h"
#include "reports/html/data_table.h"
#include "reports/html/sections.h"
#include "reports/html/values.h"
#include "reports/html/words.h"

namespace coalescope::html {
namespace {

using analysis::TransferRow;

std::string ends(const TransferRow& row) {
  if (row.direction == model::Direction::set) return fmt::format("in {}", words(row.destination_memory));
  return fmt::format("from {} to {}", words(row.source_memory), words(row.destination_memory));
}

struct TransferColumn {
  DataHeading heading;
  std::function<DataCell(const TransferRow&)> cell;
};

DataCell transfer_kind(const TransferRow& row) {
  return {std::string(words(row.direction)), ends(row), "", std::nullopt};
}

// A declared field, and a second one under it.
TransferColumn transfer_field(analysis::Keys<TransferRow> keys, Look look = Look::number) {
  const auto columns = analysis::columns_of(keys);
  const auto cell = [columns](const TransferRow& row) {
    DataCell made = data_cell(columns.front().shown(row));
    if (columns.size() > 1 && made.order) made.note = columns[1].shown(row).text;
    return made;
  };
  return {{columns.front().group, columns.front().heading, std::string(columns.front().about), look}, cell};
}

DataPart transfer_figures(const TransferRow& row) {
  DataPart part{.heading = "All figures", .headings = {"Figure", "Value"}};
  for (const auto& column : analysis::all_columns<TransferRow>()) {
    if (column.show == analysis::Show::hidden) continue;
    const auto value = column.shown(row);
    if (value.state != analysis::Shown::State::there || value.text.empty()) continue;
    part.rows.push_back({column.title, value.text});
  }
  return part;
}

DataTable transfer_table(const analysis::Report& report) {
  const std::vector<TransferColumn> columns{
      {{"", "Transfer", "Direction, and the kind of memory at both ends.", Look::text}, transfer_kind},
      transfer_field("asynchronous", Look::text),
      transfer_field("smallest_bytes..largest_bytes"),
      transfer_field("transfers"),
      transfer_field("bytes"),
      transfer_field("gpu_ns share"),
      transfer_field("bandwidth"),
      transfer_field("reference_bandwidth")};
  DataTable table{
      .id = "transfer-table",
      .caption = counted(std::ssize(report.transfers), "class of transfers", "classes of transfers"),
      .rows_are = "classes of transfers",
      .rows_in_all = report.transfers.size()};
  for (const auto& column : columns) table.headings.push_back(column.heading);
  for (const TransferRow& transfer : report.transfers) {
    if (table.rows.size() == kRowsKept) break;
    DataRow& row = table.rows.emplace_back();
    row.anchors = {fmt::format("transfer-{}", table.rows.size())};
    row.search = ends(transfer);
    for (const auto& column : columns) row.cells.push_back(column.cell(transfer));
    if (table.rows.size() <= kRowsOpened) row.parts = {transfer_figures(transfer)};
  }
  return table;
}

}  // namespace

Html transfers_section(const analysis::Report& report) {
  if (report.transfers.empty())
    return section("transfers", "Transfers", paragraph("The program made no copy and no memory set."));
  Html content = paragraph(
      "Copies and memory sets of the same direction, memory and size are one row. Pageable host memory is "
      "copied "
      "twice on its way, through a pinned buffer of the driver: that is why it is slow.");
  content << chart("transfers", "Bandwidth of copies between host and device",
                   "Points: bandwidth over the size of one copy, by direction and kind of host memory. "
                   "A dash above "
                   "a point: what pinned memory reaches at that size.")
          << data_table(transfer_table(report));
  return section("transfers", "Transfers", content);
}

}  // namespace coalescope::html
