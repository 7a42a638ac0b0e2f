// Copies and memory sets by class, beside what pinned memory reaches on this machine.
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/html/field_columns.h"
#include "reports/html/sections.h"
#include "reports/html/words.h"

namespace coalescope::html {
namespace {

using analysis::TransferRow;

std::string ends(const TransferRow& row) {
  if (row.direction == model::Direction::set) return fmt::format("in {}", words(row.destination_memory));
  return fmt::format("from {} to {}", words(row.source_memory), words(row.destination_memory));
}

Cell kind(const TransferRow& row) {
  Html shown = words(row.direction);
  shown << element("small", ends(row));
  return {shown, "", std::nullopt};
}

std::vector<Column<TransferRow>> transfer_columns() {
  using T = TransferRow;
  std::vector<Column<T>> columns{{"", "Transfer", "Direction, and the kind of memory at both ends.",
                                  Align::text, kind, "direction source_memory destination_memory"},
                                 field<T>("asynchronous"),
                                 field<T>("smallest_bytes..largest_bytes"),
                                 field<T>("transfers"),
                                 field<T>("bytes"),
                                 field<T>("gpu_ns"),
                                 field<T>("share"),
                                 field<T>("bandwidth"),
                                 field<T>("reference_bandwidth reference")};
  fold_rest(columns);
  return columns;
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
          << table<TransferRow>(
                 {"transfer-table",
                  counted(std::ssize(report.transfers), "class of transfers", "classes of transfers"),
                  "classes of transfers"},
                 transfer_columns(), report.transfers);
  return section("transfers", "Transfers", content);
}

}  // namespace coalescope::html
