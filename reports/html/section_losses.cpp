// What a reader must know of the numbers: what is missing from this capture, and why.
#include "reports/html/sections.h"

namespace coalescope::html {

Html losses_section(const analysis::Report& report) {
  if (report.notices.empty()) return {};
  Html list;
  for (const auto& notice : report.notices) list << element("li", {{"title", notice.code}}, notice.text);
  Html content = element("ul", list);
  content << element("p", element("a", {{"href", "#diagnostics"}}, "All diagnostics"));
  return section("losses", "What this capture lacks", content);
}

}  // namespace coalescope::html
