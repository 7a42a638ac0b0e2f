#include "reports/text/text.h"

#include "reports/text/screen.h"

namespace coalescope::text {

std::string to_text(const analysis::Report& report, const TextOptions& options) {
  std::string text;
  for (const auto& line : screen_lines(report, options))
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  return text;
}

}  // namespace coalescope::text
