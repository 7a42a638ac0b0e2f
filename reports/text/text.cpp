#include "reports/text/text.h"

#include <algorithm>
#include <limits>

#include "reports/text/screen.h"
#include "reports/text/sums.h"
#include "reports/text/verbose.h"

namespace coalescope::text {
namespace {

constexpr int kLeastWidth = 72, kMostWidth = 160;  // beyond that the eye loses the row
constexpr int kLeastHeight = 24;
constexpr std::size_t kMostSums = 30, kAll = std::numeric_limits<std::size_t>::max();

}  // namespace

std::string to_text(const analysis::Report& report, const TextOptions& options) {
  const Style style{options.colour};
  const auto width = static_cast<std::size_t>(std::clamp(options.width, kLeastWidth, kMostWidth));
  const auto height = static_cast<std::size_t>(std::max(kLeastHeight, options.height));
  const auto lines = options.by ? sum_lines(report, *options.by, width, options.verbose ? kAll : kMostSums)
                     : options.verbose ? verbose_lines(report, style, width)
                                       : screen_lines(report, style, width, height);
  std::string text;
  for (const auto& line : lines) text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  return text;
}

}  // namespace coalescope::text
