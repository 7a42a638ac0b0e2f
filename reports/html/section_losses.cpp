// What a reader must know before any number: what is missing from this capture, and why.
#include "reports/html/sections.h"

namespace coalescope::html {

Html losses_section(const analysis::Report& report) {
  if (report.notices.empty()) return {};
  Html list;
  for (const std::string& notice : report.notices) list << element("li", notice);
  Html content = element("ul", list);
  content << element("p", element("a", {{"href", "#diagnostics"}}, "All diagnostics"));
  return section("losses", "What this capture lacks", content);
}

}  // namespace coalescope::html
