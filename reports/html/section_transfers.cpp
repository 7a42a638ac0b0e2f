// Copies and memory sets by class, beside what pinned memory reaches on this machine.
#include <array>
#include <fmt/format.h>

#include "core/base/units.h"
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

Cell kind(const TransferRow& row) {
  Html shown = words(row.direction);
  shown << element("small", ends(row));
  return {shown, "", std::nullopt};
}

Cell call(const TransferRow& row) {
  return {row.asynchronous ? "asynchronous" : "synchronous",
          row.asynchronous ? "asked for through an ...Async call" : "the host waits for its end",
          std::nullopt};
}

Cell size(const TransferRow& row) {
  const std::string smallest = base::format_bytes(static_cast<double>(row.smallest_bytes));
  const std::string largest = base::format_bytes(static_cast<double>(row.largest_bytes));
  return {smallest == largest ? smallest : fmt::format("{} to {}", smallest, largest),
          fmt::format("{} to {} bytes", base::format_count(row.smallest_bytes),
                      base::format_count(row.largest_bytes)),
          static_cast<double>(row.largest_bytes)};
}

Cell count(const TransferRow& row) {
  return count_cell(row.transfers, "transfers");
}
Cell bytes(const TransferRow& row) {
  return bytes_cell(row.bytes);
}
constexpr std::string_view kThroughHost =
    "copied through the host: CUPTI tells the time of a part of such a copy only";

Cell time(const TransferRow& row) {
  return row.gpu_ns ? time_cell(*row.gpu_ns) : missing("not measured", "", kThroughHost);
}

Cell share(const TransferRow& row) {
  return row.share ? share_cell(*row.share, "of the GPU time in kernels and transfers")
                   : missing("not known", "",
                             row.through_host ? kThroughHost : "the run has no GPU time to compare with");
}

Cell bandwidth(const TransferRow& row) {
  if (!row.bandwidth) return missing("not measured", "", kThroughHost);
  Cell cell = bandwidth_cell(*row.bandwidth);
  cell.title += fmt::format("; over {} transfers, all of them timed", base::format_count(row.transfers));
  return cell;
}

Cell reference(const TransferRow& row) {
  if (!row.reference_bandwidth)
    return missing("no reference", "", "there is no figure of pinned memory for this kind of transfer");
  Cell cell = bandwidth_cell(*row.reference_bandwidth);
  if (row.reference) {
    cell.title += "; " + *row.reference;
    cell.shown << element("small", *row.reference);
  }
  return cell;
}

constexpr std::array<Column<TransferRow>, 9> kTransferColumns{{
    {"", "Transfer", "Direction, and the kind of memory at both ends.", Align::text, kind},
    {"", "Call", "Whether the host waits for the transfer.", Align::text, call},
    {"", "Size of one", "Smallest and largest of the class; a class spans at most a factor of four.",
     Align::number, size},
    {"", "Transfers", "How many. All of them are timed, none is sampled.", Align::number, count},
    {"", "Bytes", "All of them together.", Align::number, bytes},
    {"", "Time", "On the GPU's clock, all of them together.", Align::number, time},
    {"", "Share", "Its part of the GPU time in kernels and transfers.", Align::number, share},
    {"", "Bandwidth", "Bytes / time. GB means 1,000,000,000 bytes.", Align::number, bandwidth},
    {"", "Reference",
     "What pinned memory, or peer access, reaches in this direction, and where the figure is from.",
     Align::number, reference},
}};

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
                 kTransferColumns, report.transfers);
  return section("transfers", "Transfers", content);
}

}  // namespace coalescope::html
