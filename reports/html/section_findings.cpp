// The findings: what costs time, where it stands, what it costs and what to change. The reason for the page.
#include <algorithm>
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/view/summary.h"
#include "reports/analysis/view/view.h"
#include "reports/html/sections.h"
#include "reports/html/values.h"
#include "reports/html/words.h"

namespace coalescope::html {
namespace {

using analysis::Finding;
using analysis::Report;

constexpr std::size_t kFindingsShown = 200;

// Time and share, large; or words when the cost could not be predicted.
Html cost(const Finding& finding) {
  Html content;
  if (finding.lost_ns)
    content << element("strong", {{"title", exact_ns(*finding.lost_ns)}}, base::format_ns(*finding.lost_ns))
            << Html(" ") << element("span", "lost");
  else
    content << element("strong", {{"class", "missing"}}, "cost unknown");
  if (finding.lost_share) {
    content << element("span", {{"class", "share"}, {"title", exact_share(*finding.lost_share)}},
                       base::format_share(*finding.lost_share) + " of the GPU time")
            << bar(*finding.lost_share);
  }
  return element("div", {{"class", "cost"}}, content);
}

Html subject(const Report& report, const Finding& finding) {
  Html name = element("code", {{"class", "name"}}, finding.subject);
  const bool has_row =
      std::ranges::find(report.kernels, finding.kernel_id, &analysis::KernelRow::id) != report.kernels.end();
  if (has_row) name = element("a", {{"href", "#" + kernel_anchor(*finding.kernel_id)}}, name);
  Html line = name;
  if (finding.file) line << Html(" at ") << place_link(report, finding.file, finding.line);
  if (finding.call_site)
    line << element("span", {{"class", "call-site"}},
                    Html("called by ") << element("code", *finding.call_site));
  return element("p", {{"class", "subject"}}, line);
}

Html labelled(std::string_view kind, std::string_view label, std::string_view text) {
  Html line = element("b", label);
  line << Html(" ") << text;
  return element("p", {{"class", std::string(kind)}}, line);
}

Html card(const Report& report, const Finding& finding) {
  const std::string level(name_of(finding.level));
  Html title = element("span", {{"class", "level"}}, fmt::format("{} {}", mark(finding.level), level));
  title << Html(" ") << finding.title << Html(" ") << element("code", {{"class", "rule"}}, finding.rule);
  Html body = element("h3", title);
  body << subject(report, finding) << element("p", finding.evidence)
       << labelled("advice", "Change:", finding.advice)
       << labelled("basis",
                   finding.lost_ns ? "How the cost was found:" : "Why there is no cost:", finding.basis);
  Html content = cost(finding);
  content << element("div", {{"class", "what"}}, body);
  return element("li", {{"class", "finding level-" + level}}, content);
}

// Rules whose inputs are missing; without them silence would look like health.
Html unjudged_rules(const Report& report) {
  if (report.not_judged.empty()) return {};
  Html list;
  for (const auto& row : report.not_judged) {
    Html item = element("code", {{"class", "rule"}}, row.rule);
    item << Html(" ")
         << fmt::format("{}: {} ({})", row.title, row.why, analysis::and_more(row.subject, row.subjects));
    list << element("li", item);
  }
  Html content = element("summary", fmt::format("Rules that could not judge: {}",
                                                counted(std::ssize(report.not_judged), "reason", "reasons")));
  content << element("ul", list);
  return element("details", {{"class", "not-judged"}}, content);
}

}  // namespace

Html findings_section(const Report& report) {
  const auto findings = analysis::ranked_findings(report);
  if (findings.empty()) {
    Html content = paragraph(analysis::nothing_found(report));
    content << unjudged_rules(report);
    return section("findings", "Findings", content);
  }
  Html content = paragraph("What costs time, " + analysis::order_words(report, "the most costly first") +
                           ". The cost is the GPU time that a repair would save; two "
                           "findings "
                           "about one kernel may count the same time.");
  content << chart(
      "losses", "Time lost, by finding",
      "Bars: GPU time that the kernel or transfer takes, and the part of it that a repair would save.");
  Html list;
  for (std::size_t at = 0; at < findings.size() && at < kFindingsShown; ++at)
    list << card(report, findings[at]);
  content << element("ol", {{"class", "findings"}}, list);
  if (findings.size() > kFindingsShown)
    content << element(
        "p", {{"class", "more"}},
        fmt::format("{} more findings are not shown here; coalescope report FILE --json lists all "
                    "of them.",
                    findings.size() - kFindingsShown));
  if (const std::string aside = analysis::findings_aside(report); !aside.empty())
    content << element("p", {{"class", "more"}}, aside);
  content << unjudged_rules(report);
  return section("findings", "Findings", content);
}

}  // namespace coalescope::html
