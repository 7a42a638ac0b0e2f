// What ran, and what is wrong with it: a table to look at, then a paragraph for each of its rows.

#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/units.h"
#include "reports/analysis/view/shown.h"
#include "reports/analysis/view/silent_rules.h"
#include "reports/analysis/view/summary.h"
#include "reports/analysis/view/view.h"
#include "reports/markdown/escape.h"
#include "reports/markdown/sections.h"
#include "reports/markdown/table.h"

namespace coalescope::markdown {
namespace {

using analysis::Finding;
using analysis::Report;

std::string place_of(const Finding& finding) {
  if (!finding.file || !finding.line) return {};
  return code(fmt::format("{}:{}", *finding.file, *finding.line));
}

std::string lost_cell(const Finding& finding) {
  if (finding.lost_ns) return base::format_ns(*finding.lost_ns);
  return finding.level == analysis::Level::note ? "" : "unknown";
}

std::string details(const Finding& finding, std::size_t rank) {
  std::string text = fmt::format("{}. **{} {}**: {}", rank, prose(finding.rule), prose(finding.title),
                                 code(finding.subject));
  if (const std::string place = place_of(finding); !place.empty()) text += " at " + place;
  if (finding.call_site) text += ", called by " + code(*finding.call_site);
  text += ". " + prose(finding.evidence) + ".";
  if (!finding.basis.empty())
    text += fmt::format(" {}: {}.", finding.lost_ns ? "How the cost was found" : "Why there is no cost",
                        prose(finding.basis));
  return text + "\n   **Change:** " + prose(finding.advice) + "\n";
}

}  // namespace

std::string header(const Report& report) {
  const std::string command = analysis::command_text(report);
  std::string text = "## coalescope: " + (command.empty() ? "unknown command" : code(command)) + "\n\n";
  const auto& totals = report.totals;
  text += report.capture.duration_ns ? "Ran " + base::format_ns(*report.capture.duration_ns)
                                     : std::string("Its end was not seen");
  if (report.capture.exit_signal) text += fmt::format(", killed by signal {}", *report.capture.exit_signal);
  if (report.capture.exit_status) text += fmt::format(", exit status {}", *report.capture.exit_status);
  if (totals.launches > 0)
    text += fmt::format("; {} launches of {} kernels in {} shapes: {}", base::format_count(totals.launches),
                        base::format_count(totals.kernel_families), base::format_count(totals.shapes),
                        base::format_ns(analysis::own_kernel_ns(totals)));
  if (totals.tool_ns > 0)
    text += fmt::format(", and those of autotuners and other tools {} more", base::format_ns(totals.tool_ns));
  if (totals.transfers > 0)
    text += fmt::format("; transfers: {}, {}", base::format_count(totals.transfers),
                        base::format_ns(totals.transfer_ns));
  text += ".\n";
  std::string devices;
  for (const auto& row : report.devices)
    if (const std::string name = prose(row.properties.name); devices.find(name) == std::string::npos)
      devices += (devices.empty() ? "" : ", ") + name;
  if (!devices.empty()) text += "GPU: " + devices + ".\n";
  if (report.recording_cost) text += prose(*report.recording_cost) + "\n";
  if (!report.notices.empty()) text += '\n';
  for (const auto& notice : report.notices) text += "- " + prose(notice.text) + "\n";
  return text;
}

std::string findings(const Report& report) {
  std::string text = "### Findings, " + analysis::order_words(report, "surest savings first") + "\n\n";
  const auto findings = analysis::ranked_findings(report);
  if (findings.empty()) return text + prose(analysis::nothing_found(report)) + "\n";
  std::vector<Row> rows;
  for (const auto& finding : findings)
    rows.push_back({std::to_string(rows.size() + 1), prose(finding.rule), prose(finding.title),
                    code(finding.subject), place_of(finding), std::string(name_of(finding.level)),
                    lost_cell(finding), analysis::range_of_loss(finding),
                    analysis::share_of_loss(finding, report)});
  text += table({{"#"},
                 {"Rule", false},
                 {"Finding", false},
                 {"Kernel or transfers", false},
                 {"Line", false},
                 {"Level", false},
                 {"Lost"},
                 {"Range"},
                 {"Share"}},
                rows);
  text += '\n';
  for (std::size_t i = 0; i < findings.size(); ++i) text += details(findings[i], i + 1);
  if (const std::string aside = analysis::findings_aside(report); !aside.empty())
    text += "\n" + prose(aside) + "\n";
  return text;
}

std::string not_judged(const Report& report) {
  std::vector<Row> rows;
  for (const auto& [rules, why, subject, subjects] : analysis::silent_rules(report))
    rows.push_back({prose(fmt::format("{}", fmt::join(rules, ", "))), prose(why), code(subject),
                    base::format_count(subjects)});
  if (rows.empty()) return {};
  return "<details><summary>Rules that could not judge</summary>\n\n" +
         table({{"Rules", false}, {"Why", false}, {"For example", false}, {"Subjects"}}, rows) +
         "\n</details>\n";
}

}  // namespace coalescope::markdown
