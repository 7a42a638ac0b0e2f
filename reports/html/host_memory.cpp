#include "reports/html/host_memory.h"

#include <array>
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rows/kernel_rows.h"
#include "reports/analysis/view/program_tables.h"
#include "reports/html/plain_tables.h"
#include "reports/html/table.h"
#include "reports/html/values.h"

namespace coalescope::html {
namespace {

using analysis::KernelRow;

Cell bytes_cell(const std::optional<double>& bytes, std::string_view reason) {
  if (!bytes) return missing("not measured", "", reason);
  return {Html(base::format_bytes(*bytes)), fmt::format("{:.0f} bytes", *bytes), bytes};
}

Cell when_cell(const std::optional<std::int64_t>& ns) {
  return ns ? time_cell(*ns) : missing("not known", "", "no launch of it has a time");
}

std::optional<double> crossed_bytes(const KernelRow& row) {
  if (!row.sysmem_sectors) return std::nullopt;
  return static_cast<double>(*row.sysmem_sectors * analysis::kSectorBytes);
}

std::optional<double> crossed_in_all(const KernelRow& row) {
  const auto bytes = crossed_bytes(row);
  return bytes ? std::optional(*bytes * static_cast<double>(row.launches)) : std::nullopt;
}

constexpr std::string_view kNoTraffic = "sectors of host memory were not measured (phase traffic)";

std::vector<Column<KernelRow>> columns() {
  return {{"", "Kernel", "", Align::text,
           [](const KernelRow& row) {
             return Cell{element("code", analysis::shortened(row.name)), row.name, {}};
           }},
          {"", "Called by", "", Align::text,
           [](const KernelRow& row) {
             return Cell{Html(row.call_site.value_or("not known")), "", {}};
           }},
          count_column("Launches", "", &KernelRow::launches, "launches"),
          {"", "Over the bus per launch", "Sectors of host memory, 32 bytes each.", Align::number,
           [](const KernelRow& row) { return bytes_cell(crossed_bytes(row), kNoTraffic); }},
          {"", "In all launches", "Per launch x launches.", Align::number,
           [](const KernelRow& row) { return bytes_cell(crossed_in_all(row), kNoTraffic); }},
          {"", "First launch at", "Since the recording began.", Align::number,
           [](const KernelRow& row) { return when_cell(row.first_launch_ns); }},
          {"", "Last launch at", "Since the recording began.", Align::number,
           [](const KernelRow& row) { return when_cell(row.last_launch_ns); }}};
}

}  // namespace

Html host_memory_tables(const analysis::Report& report) {
  Html content;
  std::vector<KernelRow> kernels;
  // A pointer into host memory is no use of it: where sectors were counted they decide.
  for (const KernelRow& row : report.kernels)
    if (row.origin != analysis::Origin::tool &&
        (analysis::works_in_host_memory(row) ||
         (!row.sysmem_sectors && row.host_footprint_bytes.value_or(0) > 0)))
      kernels.push_back(row);
  if (!kernels.empty()) {
    const auto all = columns();
    content << table<KernelRow>(
        {"zero-copy-table", "Zero-copy: kernels that worked in host memory", "kernels"}, all, kernels);
  }
  content << plain_tables(report, std::array{analysis::kMigrationsId});
  return content;
}

}  // namespace coalescope::html
