// What is missing from this capture, above everything that could be misread without knowing it.
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/html/sections.h"
#include "reports/html/values.h"
#include "reports/html/words.h"

namespace coalescope::html {
namespace {

constexpr std::size_t kLossesShown = 8;

Html loss(model::Severity severity, std::string_view text, std::int64_t count) {
  Html line = element("b", fmt::format("{} {}", mark(severity), words(severity)));
  line << Html(" ") << text;
  if (count > 1) line << Html(fmt::format(" ({} times)", base::format_count(count)));
  return element("li", line);
}

}  // namespace

Html losses_section(const analysis::Report& report) {
  Html list;
  for (const std::string& notice : report.notices) list << element("li", notice);
  std::size_t serious = 0;
  for (const model::Diagnostic& diagnostic : report.diagnostics) {
    if (diagnostic.severity == model::Severity::info) continue;
    if (++serious <= kLossesShown) list << loss(diagnostic.severity, diagnostic.text, diagnostic.count);
  }
  if (list.empty()) return {};
  Html content = element("ul", list);
  if (serious > kLossesShown)
    content << paragraph(fmt::format("{} more stand under ", serious - kLossesShown));
  content << element("p", element("a", {{"href", "#diagnostics"}}, "All diagnostics"));
  return section("losses", "What this capture lacks", content);
}

}  // namespace coalescope::html
