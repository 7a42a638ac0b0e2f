#include "reports/text/tables.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>

#include "core/base/units.h"
#include "reports/analysis/rows/kernel_families.h"
#include "reports/text/cells.h"
#include "reports/text/kernel_columns.h"
#include "reports/text/table.h"

namespace coalescope::text {
namespace {

using analysis::Report;
using Lines = std::vector<std::string>;

constexpr auto kWords = Align::words;

std::string ns_cell(const std::optional<std::int64_t>& ns) {
  return ns ? base::format_ns(*ns) : std::string(kNotMeasured);
}
std::string count_cell(const std::optional<std::int64_t>& count) {
  return count ? base::format_count(*count) : std::string(kNotMeasured);
}
std::string bytes_cell(const std::optional<std::int64_t>& bytes) {
  return bytes ? base::format_bytes(static_cast<double>(*bytes)) : std::string(kNotMeasured);
}
std::string share_cell(const std::optional<double>& share) {
  return share ? base::format_share(*share) : std::string(kNotMeasured);
}
std::string speed_cell(const std::optional<double>& bandwidth) {
  return bandwidth ? base::format_bandwidth(*bandwidth) : std::string(kNotMeasured);
}
std::string samples_cell(const analysis::Samples& samples) {
  return base::format_count(samples.measured);
}

std::string shape_text(const std::array<std::int64_t, 3>& size) {
  std::string text = std::to_string(size[0]);
  if (size[1] != 1 || size[2] != 1) text += "x" + std::to_string(size[1]);
  if (size[2] != 1) text += "x" + std::to_string(size[2]);
  return text;
}

std::string place_of(const analysis::LineRow& row) {
  if (row.file && row.line) return fmt::format("{}:{}", clean(*row.file), *row.line);
  return fmt::format("(unknown, offset {:#x})", row.pc_offset.value_or(0));
}

// "12.5 %" where it is known, else the two ends.
std::string degree_interval(const analysis::LineRow& row) {
  if (!row.least_degree || !row.greatest_degree) return row.sectors == 0 ? "none" : std::string(kNotMeasured);
  const std::string least = base::format_share(*row.least_degree);
  const std::string greatest = base::format_share(*row.greatest_degree);
  return least == greatest ? least : fmt::format("{} to {}", least, greatest);
}

}  // namespace

// Of kernels with one shape in one process the other tables say the same.
Lines kernel_shapes(const Report& report, std::size_t width) {
  std::vector<TableRow> rows;
  for (const auto& family : report.kernel_families) {
    if (family.kernel_ids.size() < 2) continue;
    TableRow row{clean(family.name), shape_text(family.block), base::format_count(family.shapes),
                 base::format_count(std::ssize(family.processes))};
    if (family.imbalance) row.back() += fmt::format(" ({})", base::format_share(*family.imbalance));
    for (const auto& phase : family.phases) row.push_back(share_cell(phase.share));
    const auto* total = analysis::find_total(family, "dram_bytes");
    row.push_back(bytes_cell(total ? total->measured : std::nullopt));
    row.push_back(total && total->estimated ? bytes_cell(total->estimated) : "");
    if (total && total->error) row.back() += fmt::format(" (+-{})", base::format_share(*total->error));
    rows.push_back(std::move(row));
  }
  return table_lines({{"kernel", kWords},
                      {"block"},
                      {"shapes"},
                      {"processes"},
                      {"bytes"},
                      {"lines"},
                      {"traffic"},
                      {"hits"},
                      {"DRAM"},
                      {"of all"}},
                     rows, width, kIndent);
}

Lines kernel_times(const Report& report, std::size_t width) {
  std::vector<TableRow> rows;
  for (const auto& row : report.kernels)
    rows.push_back({clean(row.name), shape_text(row.grid), shape_text(row.block),
                    base::format_count(row.launches), base::format_count(row.timed_launches),
                    ns_cell(row.median_gpu_ns), ns_cell(row.gpu_ns), share_cell(row.share),
                    count_cell(row.registers_per_thread)});
  return table_lines({{"kernel", kWords},
                      {"grid"},
                      {"block"},
                      {"launches"},
                      {"timed"},
                      {"median"},
                      {"total"},
                      {"of run"},
                      {"registers"}},
                     rows, width, kIndent);
}

Lines kernel_accesses(const Report& report, std::size_t width) {
  std::vector<TableRow> rows;
  for (const auto& row : report.kernels)
    rows.push_back({clean(row.name), degree_cell(row.load), degree_cell(row.store), sectors_cell(row.load),
                    sectors_cell(row.store), share_cell(row.sector_efficiency),
                    count_cell(row.atomic_sectors), count_cell(row.local_sectors), samples_cell(row.bytes),
                    samples_cell(row.lines)});
  return table_lines({{"kernel", kWords},
                      {"loads"},
                      {"stores"},
                      {"s/ld"},
                      {"s/st"},
                      {"efficiency"},
                      {"atomic"},
                      {"local"},
                      {"bytes"},
                      {"lines"}},
                     rows, width, kIndent);
}

Lines kernel_levels(const Report& report, std::size_t width) {
  const auto level = [](const std::optional<double>& degree, const analysis::Access& access) {
    if (access.sectors == 0) return std::string("none");
    if (degree && *degree > 1) return std::string("> 100 %");
    return share_cell(degree);
  };
  std::vector<TableRow> rows;
  for (const auto& row : report.kernels)
    rows.push_back({clean(row.name), level(row.load.degree, row.load), level(row.load.l2_degree, row.load),
                    level(row.load.dram_degree, row.load), level(row.store.degree, row.store),
                    level(row.store.l2_degree, row.store), level(row.store.dram_degree, row.store)});
  return table_lines({{"kernel", kWords}, {"loads L1"}, {"L2"}, {"DRAM"}, {"stores L1"}, {"L2"}, {"DRAM"}},
                     rows, width, kIndent);
}

Lines kernel_traits(const Report& report, std::size_t width) {
  std::vector<TableRow> rows;
  for (const auto& row : report.kernels) {
    std::string traits;
    for (const auto& trait : row.traits) traits += (traits.empty() ? "" : "; ") + trait;
    if (!traits.empty()) rows.push_back({clean(row.name), std::move(traits)});
  }
  return table_lines({{"kernel", kWords}, {"accesses", kWords}}, rows, width, kIndent);
}

Lines kernel_traffic(const Report& report, std::size_t width) {
  std::vector<TableRow> rows;
  for (const auto& row : report.kernels)
    rows.push_back({clean(row.name), count_cell(row.l2_sectors), hit_cell(row),
                    bytes_cell(row.dram_read_bytes), bytes_cell(row.dram_write_bytes),
                    speed_cell(row.dram_bandwidth), speed_cell(row.asked_bandwidth),
                    samples_cell(row.traffic), samples_cell(row.hits)});
  return table_lines({{"kernel", kWords},
                      {"L2 sectors"},
                      {"L2 hits"},
                      {"DRAM read"},
                      {"written"},
                      {"speed"},
                      {"asked"},
                      {"traffic"},
                      {"hits"}},
                     rows, width, kIndent);
}

Lines source_lines(const Report& report, std::size_t width) {
  std::vector<TableRow> rows;
  for (const auto& row : report.lines)
    rows.push_back({place_of(row), clean(row.kernel_name), count_cell(row.loads), count_cell(row.stores),
                    count_cell(row.sectors), count_cell(row.ideal_sectors), count_cell(row.surplus_sectors),
                    share_cell(row.sector_efficiency), degree_interval(row)});
  return table_lines({{"line", Align::path},
                      {"kernel", kWords},
                      {"loads"},
                      {"stores"},
                      {"sectors"},
                      {"ideal"},
                      {"surplus"},
                      {"efficiency"},
                      {"degree"}},
                     rows, width, kIndent);
}

Lines transfers(const Report& report, std::size_t width) {
  std::vector<TableRow> rows;
  for (const auto& row : report.transfers)
    rows.push_back({spoken(name_of(row.direction)), spoken(name_of(row.source_memory)),
                    spoken(name_of(row.destination_memory)), row.asynchronous ? "async" : "sync",
                    base::format_count(row.transfers),
                    base::format_bytes(static_cast<double>(row.smallest_bytes)),
                    base::format_bytes(static_cast<double>(row.largest_bytes)),
                    row.gpu_ns ? base::format_ns(*row.gpu_ns) : "n/m",
                    row.bandwidth ? base::format_bandwidth(*row.bandwidth) : "n/m",
                    row.reference_bandwidth ? base::format_bandwidth(*row.reference_bandwidth) : "unknown"});
  return table_lines({{"direction", kWords},
                      {"from", kWords},
                      {"to", kWords},
                      {"call", kWords},
                      {"copies"},
                      {"smallest"},
                      {"largest"},
                      {"time"},
                      {"speed"},
                      {"pinned"}},
                     rows, width, kIndent);
}

Lines measuring(const Report& report, std::size_t width) {
  std::vector<TableRow> rows;
  for (const auto& row : report.phases)
    rows.push_back({std::string(name_of(row.phase)), spoken(name_of(row.outcome)),
                    base::format_count(row.windows), base::format_count(row.launches),
                    base::format_ns(row.cost_ns)});
  return table_lines({{"phase", kWords}, {"outcome", kWords}, {"windows"}, {"launches"}, {"cost"}}, rows,
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
  return table_lines({{"device", kWords}, {"path", kWords}, {"bandwidth"}, {"origin", kWords}}, rows, width,
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
  return table_lines({{"host", kWords}, {"process"}, {"rank"}, {"local rank"}, {"program", Align::path}},
                     rows, width, kIndent);
}

}  // namespace coalescope::text
