// The findings: what costs time, where it stands, what it costs and what to change. The reason for the page.
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/units.h"
#include "reports/analysis/view/shown.h"
#include "reports/analysis/view/silent_rules.h"
#include "reports/analysis/view/summary.h"
#include "reports/analysis/view/view.h"
#include "reports/analysis/view/warp_picture.h"
#include "reports/html/access_picture.h"
#include "reports/html/sections.h"
#include "reports/html/values.h"
#include "reports/html/words.h"

namespace coalescope::html {
namespace {

using analysis::Finding;
using analysis::Report;

// The first stand open.
constexpr std::size_t kFindingsShown = 200, kFindingsFirst = 5;

// On how many launches the counts stand.
Html samples_of(const Report& report, const Finding& finding) {
  const auto row = std::ranges::find(report.kernels, finding.kernel_id, &analysis::KernelRow::id);
  if (row == report.kernels.end()) return {};
  const auto most = std::max(row->bytes_samples.measured, row->lines_samples.measured);
  return element("span", {{"class", "share"}},
                 fmt::format("counted in {} of {}", base::format_count(most),
                             counted(row->launches, "launch", "launches")));
}

// Time and share, large; or words when the cost could not be predicted.
Html cost(const Report& report, const Finding& finding) {
  Html content;
  if (!finding.lost_ns)
    content << element("strong", {{"class", "missing"}}, "saving not known");
  else
    content << element("strong", {{"title", exact_ns(*finding.lost_ns)}}, base::format_ns(*finding.lost_ns));
  if (const std::string range = analysis::range_of_loss(finding); !range.empty())
    content << element(
        "span", {{"class", "share"}, {"title", "four of five predictions of this kind are that close"}},
        unbroken("likely " + range));
  // With idle time it may save more than the GPU spends here.
  const bool has_gpu_time = finding.subject_ns && !analysis::is_of_waits(finding);
  const bool is_part = has_gpu_time && finding.lost_ns.value_or(0) <= *finding.subject_ns;
  if (is_part)
    content << element("span", {{"class", "share"}},
                       unbroken("of the " + base::format_ns(*finding.subject_ns) + " spent here"));
  else if (has_gpu_time)
    content << element("span", {{"class", "share"}},
                       unbroken(base::format_ns(*finding.subject_ns) + " of it is GPU time"));
  if (const std::string share = analysis::share_of_loss(finding, report); !share.empty())
    content << element("span", {{"class", "share"}}, unbroken(share));
  if (finding.lost_share && is_part) content << bar(*finding.lost_share);
  content << samples_of(report, finding);
  return element("div", {{"class", "cost"}}, content);
}

// What a line of the program does with the subject.
std::string_view verb_of(const Finding& finding) {
  if (finding.kernel_id) return " runs ";
  if (finding.subjects.empty()) return " uses ";
  switch (finding.subjects.front().kind) {
    case analysis::SubjectKind::kernel:
      return " runs ";
    case analysis::SubjectKind::transfers:
      return " copies ";
    case analysis::SubjectKind::timeline:
      return " causes ";
    case analysis::SubjectKind::allocated_again:
      return " allocates ";
    default:
      return " uses ";
  }
}

// The line to change first; then what runs there.
Html where(const Report& report, const Finding& finding) {
  Html name = element("code", {{"class", "name"}}, analysis::shortened(finding.subject));
  const bool has_row =
      std::ranges::find(report.kernels, finding.kernel_id, &analysis::KernelRow::id) != report.kernels.end();
  if (has_row)
    name =
        element("a", {{"href", "#" + kernel_anchor(*finding.kernel_id)}, {"title", finding.subject}}, name);
  const bool by_call = finding.call_file && !finding.file;
  Html line;
  if (by_call || finding.file)
    line << (by_call ? place_link(report, finding.call_file, finding.call_line)
                     : place_link(report, finding.file, finding.line))
         << Html(by_call ? verb_of(finding) : " in ");
  line << name;
  if (!by_call && !finding.file && finding.call_site)
    line << Html(", called by ") << element("code", *finding.call_site);
  return element("p", {{"class", "subject"}}, line);
}

Html labelled(std::string_view kind, std::string_view label, std::string_view text) {
  Html line = element("b", label);
  line << Html(" ") << unbroken(text);
  return element("p", {{"class", std::string(kind)}}, line);
}

// The kernels of a finding that is about several together, the costliest first.
Html kernels_of(const Report& report, const Finding& finding) {
  constexpr std::size_t kKernelsNamed = 12;
  if (finding.kernel_id || finding.kernel_ids.empty()) return {};
  Html names;
  for (std::size_t i = 0; i < std::min(kKernelsNamed, finding.kernel_ids.size()); ++i) {
    const auto row = std::ranges::find(report.kernels, finding.kernel_ids[i], &analysis::KernelRow::id);
    if (row == report.kernels.end()) continue;
    names << Html(names.empty() ? "Kernels: " : ", ")
          << element("a", {{"href", "#" + kernel_anchor(row->id)}, {"title", row->name}},
                     element("code", {{"class", "name"}}, analysis::shortened(row->name)));
  }
  if (finding.kernel_ids.size() > kKernelsNamed)
    names << fmt::format(" and {} more", finding.kernel_ids.size() - kKernelsNamed);
  return element("p", {{"class", "basis"}}, names);
}

Html card(const Report& report, const Finding& finding) {
  const std::string level(name_of(finding.level));
  Html title = element("span", {{"class", "level"}}, fmt::format("{} {}", mark(finding.level), level));
  title << Html(" ") << finding.title << Html(" ") << element("code", {{"class", "rule"}}, finding.rule);
  Html reasons = element("p", {{"class", "evidence"}}, unbroken(finding.evidence));
  reasons << labelled(
      "basis", finding.lost_ns ? "How the saving was found:" : "Why no saving is known:", finding.basis);
  reasons << kernels_of(report, finding);
  if (finding.call_site)
    reasons << element("p", {{"class", "basis"}}, Html("Called by ") << element("code", *finding.call_site));
  Html body = element("h3", title);
  body << where(report, finding) << labelled("advice", "Change:", finding.advice);
  if (const auto picture = analysis::warp_picture(report, finding)) body << access_picture(*picture);
  body << details("Why, and how sure", reasons);
  Html content = cost(report, finding);
  content << element("div", {{"class", "what"}}, body);
  return element("li", {{"class", "finding level-" + level}}, content);
}

Html cards(const Report& report, std::size_t begin, std::size_t end) {
  Html list;
  for (std::size_t at = begin; at < end; ++at) list << card(report, analysis::ranked_findings(report)[at]);
  return element("ol", {{"class", "findings"}, {"start", fmt::format("{}", begin + 1)}}, list);
}

// The drawings are explained where there is one.
std::string introduction(const Report& report, std::span<const Finding> findings) {
  std::string text = "The GPU time that each repair would save, " +
                     analysis::order_words(report, "the surest saving first") +
                     ", with its likely range: four in five savings fall within it. Savings of one kernel "
                     "may overlap.";
  if (std::ranges::any_of(
          findings, [&](const Finding& each) { return analysis::warp_picture(report, each).has_value(); }))
    text +=
        " Drawings show one request: the 32 lanes of the warp above, the 32-byte sectors that it touches "
        "below. Filled: the bytes that the lanes request.";
  return text;
}

// Rules whose inputs are missing; without them silence would look like health.
Html unjudged_rules(const Report& report) {
  const auto silent = analysis::silent_rules(report);
  if (silent.empty()) return {};
  Html list;
  for (const auto& [rules, why, subject, subjects] : silent) {
    Html item = element("code", {{"class", "rule"}}, fmt::format("{}", fmt::join(rules, ", ")));
    item << fmt::format(": {} ({})", unbroken(why), analysis::and_more(subject, subjects));
    list << element("li", item);
  }
  Html content = element("summary", fmt::format("Rules that could not judge: {}",
                                                counted(std::ssize(silent), "reason", "reasons")));
  content << element("ul", list);
  return element("details", {{"class", "not-judged"}}, content);
}

}  // namespace

Html findings_section(const Report& report) {
  const auto findings = analysis::ranked_findings(report);
  if (findings.empty() && !report.calibration.empty()) return {};
  if (findings.empty()) {
    Html content = paragraph(analysis::nothing_found(report));
    content << unjudged_rules(report);
    return section("findings", "Findings", content);
  }
  const std::size_t in_all = findings.size(), shown = std::min(in_all, kFindingsShown);
  const std::size_t first = std::min(shown, kFindingsFirst);
  Html content = paragraph(introduction(report, findings.first(shown)));
  content << cards(report, 0, first);
  if (first < shown) content << details(fmt::format("Show all {}", in_all), cards(report, first, shown));
  if (in_all > shown)
    content << element(
        "p", {{"class", "more"}},
        fmt::format("{} more findings are not shown here; coalescope report FILE --json lists all "
                    "of them.",
                    in_all - shown));
  if (const std::string aside = analysis::findings_aside(report); !aside.empty())
    content << element("p", {{"class", "more"}}, aside);
  content << unjudged_rules(report);
  return section("findings", "Findings", content);
}

}  // namespace coalescope::html
