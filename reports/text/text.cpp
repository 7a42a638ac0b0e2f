#include "reports/text/text.h"

#include <algorithm>
#include <limits>

#include "reports/text/header.h"
#include "reports/text/screen.h"
#include "reports/text/sums.h"
#include "reports/text/verbose.h"

namespace coalescope::text {
namespace {

constexpr int kLeastHeight = 24;
constexpr std::size_t kHeaderNotices = 1, kMostSums = 30, kAll = std::numeric_limits<std::size_t>::max();

std::vector<std::string> section_report(const analysis::Report& report, std::string_view name, Style style,
                                        std::size_t width) {
  auto lines = header_lines(report, style, width, kHeaderNotices);
  for (auto& line : section_lines(report, name, style, width)) lines.push_back(std::move(line));
  return lines;
}

std::vector<std::string> sum_report(const analysis::Report& report, analysis::SumBy by, Style style,
                                    std::size_t width, bool all) {
  auto lines = header_lines(report, style, width, kHeaderNotices);
  lines.emplace_back();
  for (auto& line : sum_lines(report, by, width, all ? kAll : kMostSums)) lines.push_back(std::move(line));
  return lines;
}

}  // namespace

std::string to_text(const analysis::Report& report, const TextOptions& options) {
  const Style style{options.colour};
  const auto width = static_cast<std::size_t>(std::clamp(options.width, kLeastWidth, kMostWidth));
  const auto height = static_cast<std::size_t>(std::max(kLeastHeight, options.height));
  const auto lines = options.by        ? sum_report(report, *options.by, style, width, options.verbose)
                     : options.section ? section_report(report, *options.section, style, width)
                     : options.verbose ? verbose_lines(report, style, width)
                                       : screen_lines(report, style, width, height);
  std::string text;
  for (const auto& line : lines) text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  return text;
}

}  // namespace coalescope::text
