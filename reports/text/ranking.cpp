#include "reports/text/ranking.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "core/base/units.h"
#include "core/base/whole.h"
#include "reports/analysis/figures/names.h"
#include "reports/analysis/rows/process_names.h"
#include "reports/analysis/view/shown.h"
#include "reports/analysis/view/summary.h"
#include "reports/analysis/view/verdict.h"
#include "reports/analysis/view/view.h"
#include "reports/text/cells.h"
#include "reports/text/kernel_columns.h"
#include "reports/text/offenders.h"
#include "reports/text/transfers.h"

namespace coalescope::text {
namespace {

using analysis::Report;
using Lines = std::vector<std::string>;

constexpr std::size_t kMostOffenders = 5;

// Of the line of a kernel or of a call.
std::string line_text(const Report& report, const std::string& file, std::int64_t number) {
  for (const auto& row : report.lines)
    if (row.file == file && row.line == number && row.text) return *row.text;
  for (const auto& excerpt : report.sources)
    if (excerpt.file == file)
      for (const auto& line : excerpt.lines)
        if (line.number == number) return line.text;
  return {};
}

// "gpt.py:29   return x + skew.t()": the line to change, the kernel's or the one that calls it. --section
// findings has the whole path.
std::string source_text(const Report& report, const analysis::Finding& finding, std::size_t width) {
  const auto& file = finding.file ? finding.file : finding.call_file;
  const auto& line = finding.file ? finding.line : finding.call_line;
  if (!file || !line) return {};
  std::string text = clean(line_text(report, *file, *line));
  text.erase(0, text.find_first_not_of(' '));
  const std::string place = fmt::format("{}:{}", clean(analysis::file_name(*file)), *line);
  return cut_end(text.empty() ? place : place + "   " + text, width);
}

std::string lost_cell(const Offender& offender) {
  const bool only_notes = std::ranges::all_of(
      offender.findings, [](const auto* finding) { return finding->level == analysis::Level::note; });
  return only_notes ? "note" : time_cell(offender.lost_ns);
}

// " (rank 1)": where only some of the processes that launched the kernel have it.
std::string only_in(const Report& report, const Offender& offender) {
  if (!offender.family || offender.processes.size() == offender.family->processes.size()) return {};
  const auto names = analysis::names_of_processes(report.processes);
  std::string text;
  for (const auto process : offender.processes)
    if (const auto name = names.find(process); name != names.end())
      text += (text.empty() ? "" : ", ") + name->second;
  return text.empty() ? "" : " (" + text + ")";
}

// " (variant 2)": where only one of them has it.
std::string of_variant(const Report& report, const Offender& offender) {
  if (!offender.family || offender.family->variants == 0) return {};
  std::set<std::int64_t> ids;
  for (const auto* finding : offender.findings)
    ids.insert(finding->kernel_ids.begin(), finding->kernel_ids.end());
  const auto row = std::ranges::find_if(
      report.kernels, [&](const analysis::KernelRow& each) { return ids.contains(each.id); });
  if (ids.size() != 1 || row == report.kernels.end() || !row->variant) return {};
  return fmt::format(" (variant {})", *row->variant);
}

using Findings = std::vector<const analysis::Finding*>;

// ", saves 248 ms to 292 ms"; of several findings their sum has no range.
std::string saves_text(const Report& report, const Findings& findings) {
  if (findings.size() != 1) return {};
  const analysis::Finding& finding = *findings.front();
  const std::string range = analysis::range_of_loss(finding);
  if (range.empty()) return {};
  const std::string share = is_of_waits(finding) ? analysis::share_of_loss(finding, report) : "";
  return ", saves " + range + (share.empty() ? "" : " (" + share + ")");
}

using Told = std::map<std::string, std::size_t>;  // advice, and the rank of the offender that has it

// What to change, for each of the two rules that say most; others are named, and what another has said is not
// said again.
void append_changes(Lines& lines, const Report& report, const Offender& offender, std::size_t rank,
                    Told& told, std::size_t width) {
  constexpr std::size_t kToldRules = 2;
  std::vector<Findings> rules;
  for (const auto* finding : offender.findings) {
    const auto same = std::ranges::find_if(
        rules, [&](const Findings& rule) { return rule.front()->rule == finding->rule; });
    (same == rules.end() ? rules.emplace_back() : *same).push_back(finding);
  }
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const std::string title = titles_of(rules[i]) + saves_text(report, rules[i]);
    if (i >= kToldRules) {
      append_wrapped(lines, "Also " + title + ".", width, "", kRankIndent);
      continue;
    }
    const std::string& advice = rules[i].front()->advice;
    const auto [first, is_new] = told.emplace(advice, rank);
    append_wrapped(lines, title + ": " + (is_new ? advice : fmt::format("as in {}.", first->second)), width,
                   "", kRankIndent);
  }
}

// "called by ... > train.py:37 step() > model.py:12 forward()": as many of the innermost frames as fit.
std::string called_by(std::string_view stack, std::size_t width) {
  constexpr std::string_view kBegin = "called by ", kCut = "called by ... > ", kBetween = " > ";
  std::string whole = std::string(kBegin) + std::string(stack);
  if (width_of(whole) <= width) return whole;
  for (auto end = stack.find(kBetween); end != std::string_view::npos; end = stack.find(kBetween)) {
    stack.remove_prefix(end + kBetween.size());
    if (width_of(stack) + kCut.size() <= width) return std::string(kCut) + std::string(stack);
  }
  return cut_begin(whole, width);
}

// "1  move   135 ms   9.3 %": what costs how much.
std::string offender_line(const Report& report, const Offender& offender, std::size_t rank,
                          std::size_t width) {
  const auto& worst = *offender.findings.front();
  const std::string name =
      name_before(pad_right(std::to_string(rank), kRankIndent) +
                      (offender.family ? name_of_family(*offender.family) : clean(worst.subject)),
                  {of_variant(report, offender), clean(only_in(report, offender))}, width);
  const std::string lost = lost_cell(offender), share = share_or_blank(offender.lost_share);
  return offender.family ? kernel_line(name, lost, share, *offender.family, width)
                         : other_line(name, lost, share, transfer_speed(report, worst), width);
}

const analysis::Finding& placed_finding(const Offender& offender) {
  const auto placed =
      std::ranges::find_if(offender.findings, [](const auto* each) { return each->file.has_value(); });
  return placed == offender.findings.end() ? *offender.findings.front() : **placed;
}

// "gpt.py:54   T01, saves 340 to 502 ms: pin the host memory".
std::string change_in_brief(const Report& report, const Offender& offender, std::size_t width) {
  const auto& worst = *offender.findings.front();
  const std::string place = analysis::place_to_change(placed_finding(offender));
  const std::string saves = saves_text(report, offender.findings);
  return cut_end(fmt::format("{}{}{}{}: {}", clean(place), place.empty() ? "" : "   ", worst.rule, saves,
                             clean(analysis::repair_phrase(worst))),
                 width);
}

Lines offender_lines(const Report& report, const Offender& offender, std::size_t rank, Told& told,
                     std::size_t width) {
  const auto& worst = *offender.findings.front();
  Lines lines{offender_line(report, offender, rank, width)};
  const std::string source = source_text(report, placed_finding(offender), width - kRankIndent);
  if (!source.empty()) lines.push_back(std::string(kRankIndent, ' ') + source);
  // Of one frame the line above has said all, or there is nothing to say: "main (a.out)".
  if (worst.call_site && worst.call_site->find('>') != std::string::npos)
    lines.push_back(std::string(kRankIndent, ' ') + called_by(clean(*worst.call_site), width - kRankIndent));
  append_changes(lines, report, offender, rank, told, width);
  return lines;
}

// "   and 2 more (34.7 ms): --section findings lists them".
std::string left_over(const std::vector<Offender>& offenders, std::size_t from) {
  std::int64_t lost_ns = 0;
  for (std::size_t i = from; i < offenders.size(); ++i)
    base::add_to(lost_ns, offenders[i].lost_ns.value_or(0));
  const std::size_t count = offenders.size() - from;
  return fmt::format("{}and {} more{}: --section findings lists {}", std::string(kRankIndent, ' '), count,
                     lost_ns > 0 ? " (" + base::format_ns(lost_ns) + ")" : "", count == 1 ? "it" : "them");
}

// The first `shown` offenders: `whole` of them with all that is known, the others in two lines each.
Lines ranked(const Report& report, const std::vector<Offender>& offenders, std::size_t shown,
             std::size_t whole, std::size_t width) {
  Lines lines;
  Told told;
  for (std::size_t i = 0; i < shown; ++i) {
    if (i < whole) {
      append(lines, offender_lines(report, offenders[i], i + 1, told, width));
      continue;
    }
    lines.push_back(offender_line(report, offenders[i], i + 1, width));
    lines.push_back(std::string(kRankIndent, ' ') +
                    change_in_brief(report, offenders[i], width - kRankIndent));
  }
  if (shown < offenders.size()) lines.push_back(left_over(offenders, shown));
  return lines;
}

// As ranking() says.
Lines fitting(const Report& report, const std::vector<Offender>& offenders, std::size_t room,
              std::size_t kept, std::size_t width) {
  const std::size_t most = std::min(offenders.size(), kMostOffenders);
  for (const std::size_t left : {room - std::min(room, kept), room})
    for (std::size_t whole = most; whole > 0; --whole)
      if (Lines lines = ranked(report, offenders, most, whole, width); lines.size() <= left) return lines;
  for (std::size_t shown = most; shown > 1; --shown)
    if (Lines lines = ranked(report, offenders, shown, 1, width); lines.size() <= room) return lines;
  return ranked(report, offenders, 1, 1, width);
}

}  // namespace

Lines ranking(const Report& report, Style style, std::size_t room, std::size_t kept, std::size_t width) {
  const auto offenders = offenders_of(report);
  const bool kernels = std::ranges::any_of(offenders, &Offender::family);
  const std::string title =
      report.sorted_by ? "Findings " + analysis::order_words(report, "") : "Surest savings first";
  Lines lines;
  if (kernels) {
    lines = {style.heading(kernel_heading_above(title, width)),
             style.heading(kernel_heading("", "lost", width))};
  } else {
    const bool copies = std::ranges::any_of(offenders, [](const Offender& each) {
      return each.findings.front()->subjects.front().kind == analysis::SubjectKind::transfers;
    });
    lines = {style.heading(other_line(title, "lost", "share", copies ? "speed" : "", width))};
  }
  append(lines, fitting(report, offenders, room - std::min(room, lines.size()), kept, width));
  append_wrapped(lines, analysis::findings_aside(report), width, "", kRankIndent);
  return lines;
}

}  // namespace coalescope::text
