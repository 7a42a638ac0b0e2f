#include "reports/html/source_lines.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

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

std::vector<std::string> owners_without_lines(const Report& report) {
  const auto kernels = analysis::kernels_by_id(report);
  std::map<std::string, std::set<std::string>> names;
  for (const LineRow& line : report.lines) {
    if (line.file) continue;
    const auto found = kernels.find(line.kernel_id);
    const bool named = found != kernels.end() && !found->second->owner.empty();
    names[named ? found->second->owner : "your own code"].insert(line.kernel_name);
  }
  std::vector<std::string> owners;
  for (const auto& [owner, kernel_names] : names)
    owners.push_back(owner + " (" + analysis::counted(std::ssize(kernel_names), "kernel", "kernels") + ")");
  return owners;
}

bool is_worthy(const Report& report, const analysis::SourceExcerpt& excerpt,
               const analysis::SourceExcerpt::Line& line) {
  if (line.sectors && line.ideal_sectors && *line.sectors > *line.ideal_sectors) return true;
  return std::ranges::any_of(report.findings, [&](const auto& finding) {
    return (finding.file == excerpt.file && finding.line == line.number) ||
           (finding.call_file == excerpt.file && finding.call_line == line.number);
  });
}

}  // namespace coalescope::html
