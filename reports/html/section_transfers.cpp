// Copies and memory sets by call site and by class, beside what pinned memory reaches on this machine; then
// host memory that kernels worked in without a copy.
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/view/columns.h"
#include "reports/html/data_table.h"
#include "reports/html/host_memory.h"
#include "reports/html/sections.h"
#include "reports/html/transfer_callers.h"
#include "reports/html/values.h"
#include "reports/html/words.h"

namespace coalescope::html {
namespace {

using analysis::TransferRow;

// What the direction does not say already.
std::string ends(const TransferRow& row) {
  using model::Direction, model::MemoryKind;
  const auto source = words(row.source_memory), destination = words(row.destination_memory);
  if (row.direction == Direction::set) return fmt::format("in {}", destination);
  if (row.direction == Direction::host_to_device && row.destination_memory == MemoryKind::device)
    return fmt::format("from {}", source);
  if (row.direction == Direction::device_to_host && row.source_memory == MemoryKind::device)
    return fmt::format("to {}", destination);
  return fmt::format("from {} to {}", source, destination);
}

struct TransferColumn {
  DataHeading heading;
  std::function<DataCell(const TransferRow&)> cell;
};

DataCell transfer_kind(const TransferRow& row) {
  return {std::string(words(row.direction)), ends(row), "", std::nullopt};
}

// A declared field, and a second one under it.
TransferColumn transfer_field(analysis::Keys<TransferRow> keys, Look look = Look::number,
                              std::string_view about = {}) {
  const auto columns = analysis::columns_of(keys);
  const auto cell = [columns](const TransferRow& row) {
    DataCell made = data_cell(columns.front().shown(row));
    if (columns.size() > 1 && made.order) made.note = columns[1].shown(row).text;
    return made;
  };
  return {{columns.front().group, columns.front().heading,
           std::string(about.empty() ? columns.front().about : about), look},
          cell};
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
      transfer_field("smallest_bytes..largest_bytes", Look::number, "Smallest to largest."),
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

DataCell caller_cell(const TransferCaller& row) {
  if (row.caller.empty())
    return {"not known", "", "the stacks of these calls were not looked at", std::nullopt};
  return {row.caller, "", row.callers, std::nullopt};
}

DataCell shown_cell(analysis::Show show, std::string_view unit, const std::optional<double>& value,
                    std::string_view lack) {
  if (!value) return {"—", "", std::string(lack), std::nullopt};
  return data_cell(analysis::shown(show, unit, *value));
}

std::string_view no_time(const TransferCaller& row) {
  return row.ends.direction == model::Direction::set ? "CUPTI gave no time"
                                                     : "the time of copies through the host is not known";
}

DataCell sizes_cell(const TransferCaller& row) {
  const auto bytes = [](std::int64_t count) { return base::format_bytes(static_cast<double>(count)); };
  if (row.smallest_bytes == row.largest_bytes)
    return {bytes(row.largest_bytes), "", "", static_cast<double>(row.largest_bytes)};
  return {fmt::format("{} to {}", bytes(row.smallest_bytes), bytes(row.largest_bytes)), "", "",
          static_cast<double>(row.largest_bytes)};
}

std::optional<double> real(const std::optional<std::int64_t>& value) {
  return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
}

std::optional<double> bandwidth_of(const TransferCaller& row, const std::optional<double>& ns) {
  return ns.value_or(0) > 0 ? std::optional(static_cast<double>(row.bytes) / *ns * 1e9) : std::nullopt;
}

std::vector<DataCell> caller_cells(const TransferCaller& row) {
  const auto bytes = static_cast<double>(row.bytes);
  return {caller_cell(row),
          {std::string(words(row.ends.direction)), ends(row.ends), "", std::nullopt},
          sizes_cell(row),
          {base::format_count(row.transfers), "", "", static_cast<double>(row.transfers)},
          {base::format_bytes(bytes), "", exact_count(row.bytes, "bytes"), bytes},
          row.gpu_ns ? DataCell{base::format_ns(*row.gpu_ns), "", exact_ns(*row.gpu_ns), real(row.gpu_ns)}
                     : DataCell{"—", "", std::string(no_time(row)), std::nullopt},
          shown_cell(analysis::Show::bandwidth, "", bandwidth_of(row, real(row.gpu_ns)), no_time(row)),
          shown_cell(analysis::Show::bandwidth, "", bandwidth_of(row, row.reference_ns),
                     "neither pinned copies of this size nor a calibration")};
}

DataTable caller_table(const analysis::Report& report) {
  const auto callers = transfer_callers(report);
  DataTable table{.id = "transfer-call-table",
                  .caption = "Transfers by call site",
                  .rows_are = "call sites",
                  .rows_in_all = callers.size()};
  table.headings = {
      {"", "Called by", "The innermost line of the author's own code.", Look::code},
      {"", "Transfer", "Direction, and the kind of memory at both ends.", Look::text},
      {"", "Size of one", "Smallest to largest; sizes are grouped by factors of four.", Look::number},
      {"", "Transfers", "How many.", Look::number},
      {"", "Bytes", "Total bytes.", Look::number},
      {"", "GPU time", "Total GPU time.", Look::number},
      {"", "Bandwidth", "Bytes / GPU time.", Look::number},
      {"", "Pinned reaches", "What pinned memory reaches here at these sizes.", Look::number}};
  for (const TransferCaller& caller : callers) {
    if (table.rows.size() == kRowsKept) break;
    DataRow& row = table.rows.emplace_back();
    row.anchors = {fmt::format("transfer-call-{}", table.rows.size())};
    row.search = ends(caller.ends);
    row.cells = caller_cells(caller);
  }
  return table;
}

Html copies(const analysis::Report& report) {
  Html content = paragraph(
      "Copies from or to pageable host memory go through a pinned buffer of the driver: each byte is copied "
      "twice, which is slow.");
  std::string curves;
  for (const auto& device : report.devices)
    if (!device.copy_curves.empty() && curves.empty())
      curves = fmt::format(" Lines: what copies of this kind reach ({}).", device.copy_curves.front().source);
  content << chart("transfers", "Bandwidth of copies between host and device",
                   "Points: bandwidth over the size of one copy, by direction and kind of host memory. "
                   "A dash: what pinned memory reaches at that size." +
                       curves)
          << data_table(caller_table(report))
          << details("Transfers by size: " + counted(std::ssize(report.transfers), "class", "classes"),
                     data_table(transfer_table(report)));
  return content;
}

}  // namespace

Html transfers_section(const analysis::Report& report) {
  Html content;
  if (report.transfers.empty())
    content << paragraph("The program made no copy and no memory set.");
  else
    content << copies(report);
  content << host_memory_tables(report);
  return section("transfers", "Transfers", content);
}

}  // namespace coalescope::html
