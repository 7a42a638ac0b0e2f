#include "reports/text/tables.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>

#include "core/base/units.h"
#include "reports/text/cells.h"
#include "reports/text/kernel_columns.h"
#include "reports/text/screen.h"
#include "reports/text/table.h"

namespace coalescope::text {
namespace {

using analysis::Report;
using Lines = std::vector<std::string>;

constexpr std::size_t kIndent = 2;
constexpr auto kWords = Align::words;
constexpr auto kNumber = Align::number;

std::string words(std::string_view name) {
  std::string text(name);
  std::ranges::replace(text, '_', ' ');
  return text;
}

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

void paragraph(Lines& lines, std::string_view label, std::string_view text, std::size_t width) {
  constexpr std::size_t kLabel = 13;
  bool first = true;
  for (const auto& line : wrap(text, width - std::min(width - 1, kLabel))) {
    lines.push_back(pad_right(first ? std::string(kIndent, ' ') + std::string(label) : "", kLabel) + line);
    first = false;
  }
}

Lines findings(const Report& report, std::size_t width) {
  Lines lines;
  std::size_t rank = 0;
  for (const auto& finding : report.findings) {
    constexpr std::array kLevels{"note", "warning", "severe"};
    if (rank > 0) lines.emplace_back();
    lines.push_back(
        cut_end(fmt::format("{} {} {} ({}): {}", ++rank, finding.rule, finding.title,
                            kLevels[static_cast<std::size_t>(finding.level)], clean(finding.subject)),
                width));
    if (finding.file && finding.line)
      paragraph(lines, "where", fmt::format("{}:{}", clean(*finding.file), *finding.line), width);
    paragraph(lines, "seen", finding.evidence, width);
    if (finding.lost_ns)
      paragraph(lines, "lost",
                fmt::format("{}{}", base::format_ns(*finding.lost_ns),
                            finding.lost_share
                                ? ", " + base::format_share(*finding.lost_share) + " of the run's GPU time"
                                : ""),
                width);
    paragraph(lines, "because", clean(finding.basis), width);
    paragraph(lines, "change", finding.advice, width);
  }
  return lines;
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

Lines kernel_traffic(const Report& report, std::size_t width) {
  std::vector<TableRow> rows;
  for (const auto& row : report.kernels)
    rows.push_back({clean(row.name), count_cell(row.l2_sectors), hit_cell(row),
                    bytes_cell(row.dram_read_bytes), bytes_cell(row.dram_write_bytes),
                    speed_cell(row.dram_bandwidth), speed_cell(row.asked_bandwidth),
                    samples_cell(row.traffic), samples_cell(row.misses)});
  return table_lines({{"kernel", kWords},
                      {"L2 sectors"},
                      {"L2 hits"},
                      {"DRAM read"},
                      {"written"},
                      {"speed"},
                      {"asked"},
                      {"traffic"},
                      {"misses"}},
                     rows, width, kIndent);
}

// Each sentence once, with the kernels that it is true of.
Lines unmeasured(const Report& report, std::size_t width) {
  Lines lines;
  std::set<std::string> said;
  for (const auto& row : report.kernels)
    for (const auto& gap : row.unmeasured) {
      if (!said.insert(gap.text).second) continue;
      std::int64_t kernels = 0;
      for (const auto& other : report.kernels)
        kernels += std::ranges::count(other.unmeasured, gap.text, &analysis::Unmeasured::text);
      const std::string subject =
          kernels == 1 ? clean(row.name) : fmt::format("{} and {} more", clean(row.name), kernels - 1);
      for (const auto& line : wrap(fmt::format("{}: {}", subject, gap.text), width - kIndent))
        lines.push_back(std::string(kIndent, ' ') + line);
    }
  return lines;
}

std::string place_of(const analysis::LineRow& row) {
  if (row.file && row.line) return fmt::format("{}:{}", clean(*row.file), *row.line);
  return fmt::format("(unknown, offset {:#x})", row.pc_offset.value_or(0));
}

Lines source_lines(const Report& report, std::size_t width) {
  std::vector<TableRow> rows;
  for (const auto& row : report.lines)
    rows.push_back({place_of(row), clean(row.kernel_name), count_cell(row.loads), count_cell(row.stores),
                    count_cell(row.sectors), count_cell(row.ideal_sectors), count_cell(row.surplus_sectors),
                    share_cell(row.sector_efficiency)});
  return table_lines({{"line", Align::path},
                      {"kernel", kWords},
                      {"loads"},
                      {"stores"},
                      {"sectors"},
                      {"ideal"},
                      {"surplus"},
                      {"efficiency"}},
                     rows, width, kIndent);
}

Lines transfers(const Report& report, std::size_t width) {
  std::vector<TableRow> rows;
  for (const auto& row : report.transfers)
    rows.push_back({words(name_of(row.direction)), words(name_of(row.source_memory)),
                    words(name_of(row.destination_memory)), row.asynchronous ? "async" : "sync",
                    base::format_count(row.transfers),
                    base::format_bytes(static_cast<double>(row.smallest_bytes)),
                    base::format_bytes(static_cast<double>(row.largest_bytes)), base::format_ns(row.gpu_ns),
                    base::format_bandwidth(row.bandwidth),
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
    rows.push_back({std::string(name_of(row.phase)), words(name_of(row.outcome)),
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

Lines diagnostics(const Report& report, std::size_t width) {
  Lines lines;
  for (const auto& row : report.diagnostics)
    for (const auto& line : wrap(fmt::format("{} ({}, {}, {}x): {}", words(name_of(row.severity)),
                                             clean(row.origin), clean(row.code), row.count, clean(row.text)),
                                 width - kIndent))
      lines.push_back(std::string(kIndent, ' ') + line);
  return lines;
}

Lines calibration(const Report& report, std::size_t width) {
  const auto number = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.10g}", *value) : std::string();
  };
  std::vector<TableRow> rows;
  for (const auto& row : report.calibration)
    rows.push_back({clean(row.family), clean(row.case_id), clean(row.quantity), number(row.expected),
                    row.measured ? number(row.measured) : std::string(kNotMeasured),
                    std::string(name_of(row.verdict)), clean(row.note.value_or(""))});
  return table_lines({{"family", kWords},
                      {"case", kWords},
                      {"quantity", kWords},
                      {"expected"},
                      {"measured"},
                      {"verdict", kWords},
                      {"note", kWords}},
                     rows, width, kIndent);
}

// A section is shown when it has content; a table's first line is its heading and does not count.
struct Section {
  std::string_view title;
  Lines (*lines)(const Report&, std::size_t width);
  std::size_t least_lines;
};
constexpr std::array kSections{
    Section{"Findings, by time lost", findings, 1},
    Section{"Kernels: times", kernel_times, 2},
    Section{"Kernels: degree of coalescing, sectors a request, sector efficiency; launches measured",
            kernel_accesses, 2},
    Section{"Kernels: traffic a launch (speed: DRAM's, asked: of distinct bytes); launches measured",
            kernel_traffic, 2},
    Section{"Not measured", unmeasured, 1},
    Section{"Source lines, a launch, most surplus sectors first", source_lines, 2},
    Section{"Transfers", transfers, 2},
    Section{"What measuring did and cost", measuring, 2},
    Section{"What this machine can do", ceilings, 2},
    Section{"Calibration", calibration, 2},
    Section{"Diagnostics", diagnostics, 1},
};

}  // namespace

Lines verbose_lines(const Report& report, Style style, std::size_t width) {
  Lines lines = header_lines(report, style, width, 0);
  for (const auto& section : kSections) {
    const Lines content = section.lines(report, width);
    if (content.size() < section.least_lines) continue;
    lines.emplace_back();
    lines.push_back(style.heading(std::string(section.title)));
    lines.insert(lines.end(), content.begin(), content.end());
  }
  return lines;
}

}  // namespace coalescope::text
