// What a reader must know of the numbers: what is missing from this capture, and why.
#include "reports/html/sections.h"
#include "reports/html/values.h"

namespace coalescope::html {

Html losses_section(const analysis::Report& report) {
  if (report.notices.empty()) return {};
  Html list;
  for (const auto& notice : report.notices)
    list << element("li", {{"title", notice.code}}, unbroken(notice.text));
  Html content = element("ul", list);
  if (!report.diagnostics.empty())
    content << element("p", element("a", {{"href", "#diagnostics"}}, "All diagnostics"));
  return section("losses", "What is missing", content);
}

}  // namespace coalescope::html
