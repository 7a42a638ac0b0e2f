#include "reports/markdown/markdown.h"

#include <array>

#include "reports/markdown/sections.h"

namespace coalescope::markdown {

std::string to_markdown(const analysis::Report& report) {
  constexpr std::array kSections{findings, not_judged, kernels, source_lines, transfers, full_names};
  std::string text = header(report);
  for (const auto section : kSections)
    if (const std::string part = section(report); !part.empty()) text += "\n" + part;
  return text;
}

}  // namespace coalescope::markdown
