#include "reports/text/tables.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>

#include "core/base/units.h"
#include "reports/analysis/rows/kernel_families.h"
#include "reports/analysis/view/columns.h"
#include "reports/text/cells.h"
#include "reports/text/table.h"

namespace coalescope::text {
namespace {

using analysis::Report;
using Lines = std::vector<std::string>;

using analysis::Show;
using analysis::text_of;

constexpr auto kWords = Align::words;

using KernelKeys = analysis::Keys<analysis::KernelRow>;
using LineKeys = analysis::Keys<analysis::LineRow>;
using TransferKeys = analysis::Keys<analysis::TransferRow>;

constexpr KernelKeys kTimes =
    "name grid block launches timed_launches median_gpu_ns gpu_ns share registers_per_thread";
constexpr KernelKeys kAccesses =
    "name load.degree store.degree load.sectors_per_request store.sectors_per_request sector_efficiency "
    "bytes lines";
constexpr KernelKeys kTraits = "name traits";
constexpr KernelKeys kLevels =
    "name load.degree store.degree load.l2_degree store.l2_degree load.dram_degree store.dram_degree";
constexpr KernelKeys kTraffic =
    "name l2_sectors l2_hit_ratio dram_read_bytes dram_write_bytes dram_bandwidth traffic hits";
constexpr LineKeys kLines =
    "kernel_name loads stores sectors ideal_sectors surplus_sectors sector_efficiency "
    "least_degree..greatest_degree";
constexpr LineKeys kPlace = "file line pc_offset";
constexpr TransferKeys kTransfers =
    "direction source_memory destination_memory asynchronous transfers smallest_bytes..largest_bytes gpu_ns "
    "bandwidth reference_bandwidth";

template <class Row>
Align align_of(const analysis::Column<Row>& field) {
  if (field.show == Show::name) return Align::name;
  return field.words() ? kWords : Align::number;
}

// `first` are cells of the caller's, before those of the keys. Names come from the recorded program.
template <class Row>
Lines field_table(const std::vector<Row>& rows, analysis::Keys<Row> keys, std::size_t width,
                  std::vector<TableColumn> columns = {}, std::string (*first)(const Row&) = nullptr) {
  const auto fields = analysis::columns_of(keys);
  for (const auto& field : fields) columns.push_back({field.heading, align_of(field), field.group});
  std::vector<TableRow> lines;
  for (const Row& row : rows) {
    TableRow& line = lines.emplace_back();
    if (first) line.push_back(clean(first(row)));
    for (const auto& field : fields) line.push_back(clean(field.shown(row).text));
  }
  return table_lines(columns, lines, width, kIndent);
}

// What no table shows of a row, as running text.
template <class Row>
Lines rest(const std::vector<Row>& rows, const std::vector<analysis::Keys<Row>>& tables, std::size_t width,
           std::string (*name)(const Row&)) {
  const auto columns = analysis::rest_of<Row>(tables);
  Lines lines;
  for (const Row& row : rows)
    if (const std::string text = analysis::listed(row, columns); !text.empty())
      append_wrapped(lines, clean(name(row) + ": " + text), width, "", kIndent);
  return lines;
}

}  // namespace

// Of kernels with one shape in one process the other tables say the same.
Lines kernel_shapes(const Report& report, std::size_t width) {
  std::vector<TableRow> rows;
  for (const auto& family : report.kernel_families) {
    if (family.kernel_ids.size() < 2) continue;
    TableRow row{clean(family.name), analysis::shown(family.block, "").text,
                 base::format_count(family.shapes), base::format_count(std::ssize(family.processes))};
    if (family.imbalance) row.back() += fmt::format(" ({})", base::format_share(*family.imbalance));
    for (const auto& phase : family.phases) row.push_back(text_of(Show::share, phase.share));
    const auto* total = analysis::find_total(family, "dram_bytes");
    row.push_back(text_of(Show::bytes, total ? total->measured : std::nullopt));
    row.push_back(text_of(Show::bytes, total ? total->estimated : std::nullopt, ""));
    if (total && total->estimated && total->error)
      row.back() += fmt::format(" (+-{})", base::format_share(*total->error));
    rows.push_back(std::move(row));
  }
  const bool any_imbalance = std::ranges::any_of(
      report.kernel_families, [](const auto& family) { return family.imbalance.has_value(); });
  std::vector<TableColumn> columns{{"Kernel", Align::name},
                                   {"Block"},
                                   {"Shapes"},
                                   {any_imbalance ? "Processes (imbalance)" : "Processes"},
                                   {"Bytes", Align::number, "Share of its GPU time measured"},
                                   {"Lines", Align::number, "Share of its GPU time measured"},
                                   {"Traffic", Align::number, "Share of its GPU time measured"},
                                   {"Hits", Align::number, "Share of its GPU time measured"},
                                   {"Measured", Align::number, "DRAM bytes"},
                                   {"Of all shapes", Align::number, "DRAM bytes"}};
  // Where all shapes were measured, nothing is estimated.
  if (std::ranges::all_of(rows, [](const TableRow& row) { return row.back().empty(); })) {
    columns.pop_back();
    for (TableRow& row : rows) row.pop_back();
  }
  return table_lines(columns, rows, width, kIndent);
}

Lines kernel_times(const Report& report, std::size_t width) {
  return field_table(report.kernels, kTimes, width);
}
Lines kernel_accesses(const Report& report, std::size_t width) {
  return field_table(report.kernels, kAccesses, width);
}
Lines kernel_levels(const Report& report, std::size_t width) {
  return field_table(report.kernels, kLevels, width);
}
Lines kernel_traits(const Report& report, std::size_t width) {
  std::vector<analysis::KernelRow> with;
  std::ranges::copy_if(report.kernels, std::back_inserter(with),
                       [](const auto& row) { return !row.traits.empty(); });
  return field_table(with, kTraits, width);
}
Lines kernel_traffic(const Report& report, std::size_t width) {
  return field_table(report.kernels, kTraffic, width);
}
Lines kernel_rest(const Report& report, std::size_t width) {
  return rest<analysis::KernelRow>(report.kernels, {kTimes, kAccesses, kTraits, kLevels, kTraffic}, width,
                                   [](const auto& row) { return row.name; });
}

Lines source_lines(const Report& report, std::size_t width) {
  return field_table(report.lines, kLines, width, {{"Line", Align::path}}, analysis::place_of);
}
Lines line_rest(const Report& report, std::size_t width) {
  return rest<analysis::LineRow>(report.lines, {kLines, kPlace}, width, analysis::place_of);
}

Lines transfers(const Report& report, std::size_t width) {
  return field_table(report.transfers, kTransfers, width);
}
Lines transfer_rest(const Report& report, std::size_t width) {
  return rest<analysis::TransferRow>(report.transfers, {kTransfers}, width, [](const auto& row) {
    return fmt::format("{}, {}", spoken(name_of(row.direction)),
                       base::format_bytes(static_cast<double>(row.largest_bytes)));
  });
}

Lines measuring(const Report& report, std::size_t width) {
  std::vector<TableRow> rows;
  for (const auto& row : report.phases)
    rows.push_back({std::string(name_of(row.phase)), spoken(name_of(row.outcome)),
                    base::format_count(row.windows), base::format_count(row.launches),
                    base::format_ns(analysis::whole_cost_ns(row))});
  return table_lines({{"Phase", kWords}, {"Outcome", kWords}, {"Windows"}, {"Launches"}, {"Cost"}}, rows,
                     width, kIndent);
}

Lines ceilings(const Report& report, std::size_t width) {
  std::vector<TableRow> rows;
  std::set<std::string> said;
  for (const auto& device : report.devices)
    for (const auto& row : device.ceilings)
      if (said.insert(device.properties.uuid + row.path).second)
        rows.push_back({clean(device.properties.name), row.path, base::format_bandwidth(row.bandwidth),
                        clean(row.source)});
  return table_lines({{"Device", kWords}, {"Path", kWords}, {"Bandwidth"}, {"Origin", kWords}}, rows, width,
                     kIndent);
}

Lines processes(const Report& report, std::size_t width) {
  const auto number = [](const std::optional<std::int64_t>& value) {
    return value ? std::to_string(*value) : std::string();
  };
  if (report.processes.size() < 2) return {};
  std::vector<TableRow> rows;
  for (const auto& row : report.processes)
    rows.push_back({clean(row.host), std::to_string(row.pid), number(row.rank), number(row.local_rank),
                    clean(row.executable)});
  return table_lines({{"Host", kWords}, {"Process"}, {"Rank"}, {"Local rank"}, {"Program", Align::path}},
                     rows, width, kIndent);
}

}  // namespace coalescope::text
