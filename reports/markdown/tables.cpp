// Kernels, source lines and transfers as tables; whole names in a part that is folded away.

#include <fmt/format.h>
#include <map>

#include "core/base/units.h"
#include "core/model/enums.h"
#include "reports/analysis/view/view.h"
#include "reports/markdown/escape.h"
#include "reports/markdown/sections.h"
#include "reports/markdown/table.h"

namespace coalescope::markdown {
namespace {

using analysis::Access;
using analysis::Report;

constexpr std::string_view kNotMeasured = "n/m";
constexpr std::string_view kNone = "none";  // no such accesses: another thing than not measured
constexpr std::string_view kLegend = "n/m: not measured; none: no such accesses.\n";

std::string cell(const std::optional<double>& value, std::string (*format)(double),
                 bool nothing_there = false) {
  if (value) return format(*value);
  return std::string(nothing_there ? kNone : kNotMeasured);
}
std::string bytes_cell(const std::optional<std::int64_t>& bytes) {
  return bytes ? base::format_bytes(static_cast<double>(*bytes)) : std::string(kNotMeasured);
}
std::string count_cell(const std::optional<std::int64_t>& count) {
  return count ? base::format_count(*count) : std::string(kNotMeasured);
}
std::string time_cell(const std::optional<std::int64_t>& ns) {
  return ns ? base::format_ns(*ns) : std::string(kNotMeasured);
}
std::string degree_cell(const Access& access) {
  return cell(access.degree, base::format_share, access.sectors == 0);
}
std::string sectors_cell(const Access& access) {
  return cell(access.sectors_per_request, base::format_ratio, access.sectors == 0);
}

std::string kernel_cell(const std::string& name) {
  return name.empty() ? "(no name)" : code(name);
}

std::string spoken(std::string_view name) {
  std::string text(name);
  for (char& c : text)
    if (c == '_') c = ' ';
  return text;
}

std::string place_of(const analysis::LineRow& row) {
  if (row.file && row.line) return code(fmt::format("{}:{}", *row.file, *row.line));
  return fmt::format("(unknown, offset {:#x})", row.pc_offset.value_or(0));
}

// One figure where it is known, else the two ends.
std::string degree_interval(const analysis::LineRow& row) {
  const std::string least = cell(row.least_degree, base::format_share, row.sectors == 0);
  const std::string greatest = cell(row.greatest_degree, base::format_share, row.sectors == 0);
  return least == greatest ? least : least + " to " + greatest;
}

std::string heading(const Report& report, std::string_view title, std::string_view usual_order) {
  return fmt::format("### {}, {}\n\n", title, analysis::order_words(report, usual_order));
}

}  // namespace

std::string kernels(const Report& report) {
  std::vector<Row> rows;
  for (const auto& row : report.kernels)
    rows.push_back({kernel_cell(row.name), base::format_count(row.launches), time_cell(row.gpu_ns),
                    cell(row.share, base::format_share), degree_cell(row.load), degree_cell(row.store),
                    sectors_cell(row.load), sectors_cell(row.store),
                    cell(row.l2_hit_ratio, base::format_share, row.l2_sectors == 0),
                    bytes_cell(row.dram_read_bytes), bytes_cell(row.dram_write_bytes)});
  if (rows.empty()) return {};
  return heading(report, "Kernels", "by GPU time") +
         table({{"Kernel", false},
                {"Launches"},
                {"GPU time"},
                {"Of run"},
                {"Loads coalesced"},
                {"Stores coalesced"},
                {"Sectors/load"},
                {"Sectors/store"},
                {"L2 hits"},
                {"DRAM read a launch"},
                {"DRAM written a launch"}},
               rows) +
         "\n" + std::string(kLegend);
}

std::string source_lines(const Report& report) {
  std::vector<Row> rows;
  for (const auto& row : report.lines)
    rows.push_back({place_of(row), kernel_cell(row.kernel_name), count_cell(row.sectors),
                    count_cell(row.ideal_sectors), count_cell(row.surplus_sectors),
                    cell(row.sector_efficiency, base::format_share, row.sectors == 0), degree_interval(row)});
  if (rows.empty()) return {};
  return heading(report, "Source lines", "most surplus sectors first") + table({{"Line", false},
                                                                                {"Kernel", false},
                                                                                {"Sectors a launch"},
                                                                                {"Ideal"},
                                                                                {"Surplus"},
                                                                                {"Sector efficiency"},
                                                                                {"Degree of coalescing"}},
                                                                               rows);
}

std::string transfers(const Report& report) {
  std::vector<Row> rows;
  for (const auto& row : report.transfers)
    rows.push_back({spoken(name_of(row.direction)), spoken(name_of(row.source_memory)),
                    spoken(name_of(row.destination_memory)), row.asynchronous ? "async" : "sync",
                    base::format_count(row.transfers), base::format_bytes(static_cast<double>(row.bytes)),
                    base::format_bytes(static_cast<double>(row.largest_bytes)), time_cell(row.gpu_ns),
                    cell(row.share, base::format_share), cell(row.bandwidth, base::format_bandwidth),
                    row.reference_bandwidth ? base::format_bandwidth(*row.reference_bandwidth) : "unknown"});
  if (rows.empty()) return {};
  return heading(report, "Transfers", "by GPU time") + table({{"Direction", false},
                                                              {"From", false},
                                                              {"To", false},
                                                              {"Call", false},
                                                              {"Copies"},
                                                              {"Bytes"},
                                                              {"Largest"},
                                                              {"GPU time"},
                                                              {"Of run"},
                                                              {"Speed"},
                                                              {"Pinned"}},
                                                             rows);
}

std::string full_names(const Report& report) {
  std::map<std::string, std::string> names;
  for (const auto& [id, row] : analysis::kernels_by_id(report))
    if (row->full_name != row->name) names.emplace(row->full_name, row->name);
  if (names.empty()) return {};
  std::vector<Row> rows;
  for (const auto& [full, name] : names) rows.push_back({kernel_cell(name), code(full)});
  return "<details><summary>Full names of the kernels</summary>\n\n" +
         table({{"Kernel", false}, {"Full name", false}}, rows) + "\n</details>\n";
}

}  // namespace coalescope::markdown
