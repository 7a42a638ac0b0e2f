#include "reports/text/paragraphs.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

#include "core/base/units.h"
#include "core/base/utf8.h"
#include "reports/analysis/view/shown.h"
#include "reports/analysis/view/silent_rules.h"
#include "reports/analysis/view/summary.h"
#include "reports/text/cells.h"

namespace coalescope::text {
namespace {

using analysis::Report;
using Lines = std::vector<std::string>;

void paragraph(Lines& lines, std::string_view label, std::string_view text, std::size_t width) {
  constexpr std::size_t kLabel = 13;
  bool first = true;
  for (const auto& line : wrap(text, width - std::min(width - 1, kLabel))) {
    lines.push_back(pad_right(first ? std::string(kIndent, ' ') + std::string(label) : "", kLabel) + line);
    first = false;
  }
}

void append_indented(Lines& lines, std::string_view text, std::size_t width) {
  for (const auto& line : wrap(text, width - kIndent)) lines.push_back(std::string(kIndent, ' ') + line);
}

std::string range_in_brackets(const analysis::Finding& finding) {
  const std::string range = analysis::range_of_loss(finding);
  return range.empty() ? "" : " (" + range + ")";
}

}  // namespace

Lines findings(const Report& report, std::size_t width) {
  Lines lines;
  std::size_t rank = 0;
  for (const auto& finding : analysis::ranked_findings(report)) {
    if (rank > 0) lines.emplace_back();
    lines.push_back(cut_end(fmt::format("{} {} {} ({}): {}", ++rank, finding.rule, finding.title,
                                        name_of(finding.level), clean(finding.subject)),
                            width));
    if (finding.file && finding.line)
      paragraph(lines, "where", fmt::format("{}:{}", clean(*finding.file), *finding.line), width);
    if (finding.call_site) paragraph(lines, "called by", clean(*finding.call_site), width);
    paragraph(lines, "seen", clean(finding.evidence), width);
    if (finding.lost_ns) {
      const std::string share = analysis::share_of_loss(finding, report);
      paragraph(lines, "lost",
                base::format_ns(*finding.lost_ns) + range_in_brackets(finding) +
                    (share.empty() ? "" : ", " + share),
                width);
    }
    paragraph(lines, "because", clean(finding.basis), width);
    paragraph(lines, "change", finding.advice, width);
  }
  if (!lines.empty()) append_indented(lines, analysis::findings_aside(report), width);
  return lines;
}

Lines unmeasured(const Report& report, std::size_t width) {
  Lines lines;
  for (const auto& gap : analysis::gaps_of(report))
    append_indented(
        lines,
        analysis::and_more(clean(gap.kernels.front()->name), std::ssize(gap.kernels)) + ": " + gap.text,
        width);
  return lines;
}

Lines not_judged(const Report& report, std::size_t width) {
  Lines lines;
  for (const auto& [rules, why, subject, subjects] : analysis::silent_rules(report))
    append_indented(lines,
                    fmt::format("{}: {} ({})", fmt::join(rules, ", "), clean(why),
                                analysis::and_more(clean(subject), subjects)),
                    width);
  return lines;
}

// Cut anywhere, because nothing of it may be lost and a name need not have a blank.
Lines full_names(const Report& report, std::size_t width) {
  Lines lines;
  std::set<std::string> said;
  const std::size_t room = width - std::min(width - 1, 2 * kIndent);
  for (const auto& row : report.kernels) {
    if (row.full_name == row.name || !said.insert(row.full_name).second) continue;
    lines.push_back(cut_end(std::string(kIndent, ' ') + clean(row.name), width));
    std::string part;
    for (const char c : clean(row.full_name)) {
      if (base::begins_character(c) && width_of(part) == room) {
        lines.push_back(std::string(2 * kIndent, ' ') + part);
        part.clear();
      }
      part += c;
    }
    lines.push_back(std::string(2 * kIndent, ' ') + part);
  }
  return lines;
}

Lines diagnostics(const Report& report, std::size_t width) {
  Lines lines;
  for (const auto& row : report.diagnostics)
    append_indented(lines,
                    fmt::format("{} ({}, {}, {}x): {}", spoken(name_of(row.severity)), clean(row.origin),
                                clean(row.code), row.count, clean(row.text)),
                    width);
  return lines;
}

}  // namespace coalescope::text
