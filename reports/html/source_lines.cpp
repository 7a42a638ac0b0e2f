#include "reports/html/source_lines.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "reports/analysis/figures/names.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rows/call_stacks.h"
#include "reports/analysis/view/shown.h"
#include "reports/analysis/view/view.h"

namespace coalescope::html {
namespace {

using analysis::LineRow;
using analysis::Report;

bool has_finding(const Report& report, const LineRow& line) {
  return line.file && std::ranges::any_of(report.findings, [&](const auto& finding) {
           return finding.file == line.file && finding.line == line.line;
         });
}

// Lines that called for less are not shown.
constexpr double kLeastShareOfRun = 0.005;

using Place = std::tuple<std::string_view, std::optional<std::string>, std::optional<std::int64_t>,
                         std::optional<std::int64_t>>;

// Of one kernel, whatever its shape: where line information is missing, by the offset in its code.
Place one_place(const LineRow& line) {
  return {line.kernel_name, line.file, line.line, line.file ? std::nullopt : line.pc_offset};
}

}  // namespace

std::vector<WorthyLine> worthy_lines(const Report& report) {
  const auto kernels = analysis::kernels_by_id(report);
  std::vector<WorthyLine> lines;
  std::vector<double> worst;  // surplus of the shape that stands for the line
  std::map<Place, std::size_t> places;
  double all = 0;
  for (const LineRow& line : report.lines) {
    const auto found = kernels.find(line.kernel_id);
    const auto* kernel = found == kernels.end() ? nullptr : found->second;
    const double sectors = static_cast<double>(line.surplus_sectors.value_or(0)) *
                           static_cast<double>(kernel ? kernel->launches : 1);
    if (sectors <= 0 && !has_finding(report, line)) continue;
    all += sectors;
    const auto [place, is_new] = places.try_emplace(one_place(line), lines.size());
    if (is_new) {
      lines.push_back({&line, kernel ? kernel->owner : "", sectors});
      worst.push_back(sectors);
      continue;
    }
    WorthyLine& known = lines[place->second];
    ++known.shapes;
    *known.share += sectors;
    if (sectors <= worst[place->second]) continue;
    known.line = &line;
    worst[place->second] = sectors;
  }
  for (WorthyLine& line : lines) line.share = all > 0 ? std::optional(*line.share / all) : std::nullopt;
  if (!report.sorted_by)
    std::ranges::stable_sort(lines, std::greater{}, [](const auto& line) { return line.share.value_or(0); });
  return lines;
}

std::int64_t LineFigures::lost_ns() const {
  std::int64_t most = 0;
  for (const auto* finding : findings) most = std::max(most, finding->lost_ns.value_or(0));
  return most;
}

FiguresByPlace figures_by_place(const Report& report) {
  FiguresByPlace places;
  for (const auto& line : report.call_lines) {
    LineFigures& figures = places[{line.file, line.line}];
    figures.gpu_ns = analysis::gpu_ns(line);
    figures.function = line.function;
  }
  const auto kernels = analysis::kernels_by_id(report);
  double all = 0;
  for (const LineRow& line : report.lines) {
    if (!line.sectors) continue;
    const auto found = kernels.find(line.kernel_id);
    const double launches = found == kernels.end() ? 1 : static_cast<double>(found->second->launches);
    const double bytes =
        static_cast<double>(line.surplus_sectors.value_or(0) * analysis::kSectorBytes) * launches;
    all += bytes;
    if (!line.file || !line.line) continue;
    LineFigures& figures = places[{*line.file, *line.line}];
    figures.wasted_bytes = figures.wasted_bytes.value_or(0) + bytes;
    figures.sectors += *line.sectors;
    figures.ideal_sectors += line.ideal_sectors.value_or(0);
  }
  for (auto& [place, figures] : places)
    if (all > 0) figures.wasted_share = figures.wasted_bytes.value_or(0) / all;
  for (const auto& finding : analysis::ranked_findings(report)) {
    if (finding.file && finding.line) places[{*finding.file, *finding.line}].findings.push_back(&finding);
    if (finding.call_file && finding.call_line &&
        std::tie(finding.call_file, finding.call_line) != std::tie(finding.file, finding.line))
      places[{*finding.call_file, *finding.call_line}].findings.push_back(&finding);
  }
  return places;
}

bool is_worthy(const Report& report, const LineFigures& line) {
  const auto least_ns = static_cast<double>(analysis::run_ns(report.totals)) * kLeastShareOfRun;
  return line.wasted_bytes.value_or(0) > 0 || !line.findings.empty() ||
         (line.gpu_ns > 0 && static_cast<double>(line.gpu_ns) >= least_ns);
}

}  // namespace coalescope::html
