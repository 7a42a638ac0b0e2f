// From top to bottom: the header; the worst offenders, as many as fit; where the
// kernels' time went, as far as room is left; transfers; how to see more. The parts that are always shown are
// laid out first, the ranking gets the rest.

#include "reports/text/screen.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <set>
#include <span>

#include "core/base/units.h"
#include "core/base/whole.h"
#include "reports/analysis/figures/names.h"
#include "reports/analysis/rows/process_names.h"
#include "reports/analysis/view/shown.h"
#include "reports/analysis/view/summary.h"
#include "reports/analysis/view/verdict.h"
#include "reports/analysis/view/view.h"
#include "reports/text/cells.h"
#include "reports/text/header.h"
#include "reports/text/kernel_columns.h"
#include "reports/text/offenders.h"
#include "reports/text/tables.h"

namespace coalescope::text {
namespace {

using analysis::kNone;
using analysis::kNotMeasured;
using analysis::Report;
using analysis::Show;
using Lines = std::vector<std::string>;

constexpr std::size_t kRankIndent = 3;
constexpr std::size_t kLeastKernelRows = 3, kMostKernelRows = 8;
constexpr std::size_t kMostOffenders = 5;
constexpr std::int64_t kSmallCopy = 4096;  // bytes: the latency is most of its time

void append(Lines& lines, const Lines& more) {
  lines.insert(lines.end(), more.begin(), more.end());
}

std::string time_cell(const std::optional<std::int64_t>& ns) {
  return analysis::text_of(Show::ns, ns, analysis::kUnknown);
}
std::string share_or_blank(const std::optional<double>& share) {
  return analysis::text_of(Show::share, share, "");
}

// Of all there are: what is summed or looked up does not depend on which rows are shown.
template <class Visit>
void for_each_transfer(const Report& report, Visit visit) {
  for (const auto* rows : {&report.transfers, &report.hidden.transfers})
    for (const auto& row : *rows) visit(row);
}

// Of the classes of transfers that the finding is about, one on each GPU.
std::string transfer_speed(const Report& report, const analysis::Finding& finding) {
  std::int64_t bytes = 0, gpu_ns = 0, transfers = 0;
  const analysis::TransferRow* first = nullptr;
  for_each_transfer(report, [&](const analysis::TransferRow& row) {
    const analysis::SubjectRef subject{analysis::SubjectKind::transfers, row.id};
    if (std::ranges::find(finding.subjects, subject) == finding.subjects.end()) return;
    bytes += row.bytes;
    gpu_ns += row.gpu_ns.value_or(0);
    transfers += row.transfers;
    if (!first) first = &row;
  });
  if (!first) return {};
  // Of these bandwidths tell nothing: no memory makes a few bytes fast.
  if (gpu_ns > 0 && bytes / transfers < kSmallCopy) return base::format_ns(gpu_ns / transfers) + " a copy";
  std::string text =
      gpu_ns > 0 ? base::format_bandwidth(static_cast<double>(bytes) / static_cast<double>(gpu_ns) * 1e9)
                 : "through the host";
  const bool pinned = first->source_memory == model::MemoryKind::pinned ||
                      first->destination_memory == model::MemoryKind::pinned;
  if (first->reference_bandwidth && !pinned)
    text += (first->direction == model::Direction::peer_to_peer ? ", direct " : ", pinned ") +
            base::format_bandwidth(*first->reference_bandwidth);
  return text;
}

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

std::string name_of_family(const analysis::KernelFamily& family) {
  return family.name.empty() ? "(no name)" : clean(family.name);
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

// Processes differ in the worst one's time by this much before it is worth a word.
constexpr double kLeastImbalance = 0.05;

bool shares_its_name(const Report& report, const analysis::KernelFamily& family) {
  return std::ranges::count(report.kernel_families, family.name, &analysis::KernelFamily::name) > 1;
}

// ", blocks of 256", " x1,080", ", 3 shapes", ", imbalance 12 %".
Lines after_name(const Report& report, const analysis::KernelFamily& family) {
  Lines after;
  if (shares_its_name(report, family))
    after.push_back(fmt::format(", blocks of {}", family.block[0] * family.block[1] * family.block[2]));
  if (family.launches > 1) after.push_back(" x" + base::format_count(family.launches));
  if (family.shapes > 1) after.push_back(fmt::format(", {} shapes", family.shapes));
  if (family.variants > 0) after.push_back(fmt::format(", {} variants", family.variants));
  std::size_t processes = 0;
  for (const auto& each : report.kernel_families) processes = std::max(processes, each.processes.size());
  if (family.processes.size() < processes)
    after.push_back(fmt::format(", {} of {} processes", family.processes.size(), processes));
  if (family.mixed) after.emplace_back(", mixed");
  if (family.imbalance.value_or(0) >= kLeastImbalance)
    after.push_back(", imbalance " + base::format_share(*family.imbalance));
  return after;
}

Lines kernel_section(const Report& report, Style style, std::size_t rows, std::size_t width) {
  const std::string title = "Kernels " + analysis::order_words(report, "by GPU time");
  Lines lines{style.heading(kernel_heading_above(title, width)),
              style.heading(kernel_heading("   name x launches", "GPU time", width))};
  for (std::size_t i = 0; i < std::min(rows, report.kernel_families.size()); ++i) {
    const auto& family = report.kernel_families[i];
    const std::string name = name_before(std::string(kRankIndent, ' ') + name_of_family(family),
                                         after_name(report, family), width);
    lines.push_back(kernel_line(name, time_cell(family.gpu_ns), share_or_blank(family.share), family, width));
  }
  return lines;
}

struct DirectionTotals {
  std::int64_t transfers = 0, bytes = 0, gpu_ns = 0, pageable_bytes = 0, timed_bytes = 0, untimed = 0;
};

// Of small transfers the time of one, as the latency is nearly all of it; empty: none has a time.
std::string speed_of(const DirectionTotals& total) {
  const std::int64_t timed = total.transfers - total.untimed;
  if (total.gpu_ns <= 0 || timed <= 0) return {};
  if (total.timed_bytes / timed < kSmallCopy) return base::format_ns(total.gpu_ns / timed) + " each";
  return base::format_bandwidth(static_cast<double>(total.timed_bytes) / static_cast<double>(total.gpu_ns) *
                                1e9);
}

Lines transfer_section(const Report& report, Style style, std::size_t width) {
  std::map<model::Direction, DirectionTotals> totals;
  for_each_transfer(report, [&](const analysis::TransferRow& row) {
    auto& total = totals[row.direction];
    total.transfers += row.transfers;
    total.bytes += row.bytes;
    total.gpu_ns += row.gpu_ns.value_or(0);
    if (row.gpu_ns)
      total.timed_bytes += row.bytes;
    else
      total.untimed += row.transfers;
    if (row.source_memory == model::MemoryKind::pageable ||
        row.destination_memory == model::MemoryKind::pageable)
      total.pageable_bytes += row.bytes;
  });
  Lines lines;
  if (totals.empty()) return lines;
  lines.push_back(style.heading(pad_right("Transfers", kRankIndent + 17) + pad_left("copies", 9) +
                                pad_left("bytes", 11) + pad_left("GPU time", 10) + pad_left("speed", 14)));
  for (const auto& [direction, total] : totals) {
    const double bytes = static_cast<double>(total.bytes);
    std::string line(kRankIndent, ' ');
    line += pad_right(direction == model::Direction::set ? "memory set" : spoken(name_of(direction)), 17);
    line += pad_left(base::format_count(total.transfers), 9);
    line += pad_left(base::format_bytes(bytes), 11);
    line += pad_left(total.untimed == total.transfers ? "n/m" : base::format_ns(total.gpu_ns), 10);
    if (const std::string speed = speed_of(total); !speed.empty()) line += pad_left(speed, 14);
    if (total.untimed > 0)
      line += fmt::format("  {}not timed{}",
                          total.untimed < total.transfers ? base::format_count(total.untimed) + " " : "",
                          direction == model::Direction::set ? "" : ": through the host");
    if (total.pageable_bytes > 0)
      line += "  " + base::format_share(static_cast<double>(total.pageable_bytes) / bytes) + " pageable";
    lines.push_back(cut_end(line, width));
  }
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

// The worst offenders, as many of them `whole` as is said, the others in brief.
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

// All that may be shown come first, then what is kept for the kernels, then whole advice for more than the
// first.
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

// What the words mean that stand in cells instead of a number: "n/m: not measured (--verbose says why)."
std::string legend_of(std::span<const std::string> tables) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kWords{
      {{kNotMeasured, "not measured (--verbose says why)"},
       {kNone, "no such accesses"},
       {analysis::kByTma, "moved by the tensor memory accelerator, which no counter counts"}}};
  std::string text;
  for (const auto& [word, meaning] : kWords) {
    const std::string cell = fmt::format(" {} ", word);
    if (std::ranges::any_of(tables,
                            [&](const std::string& line) { return (line + " ").find(cell) != line.npos; }))
      text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", word, meaning);
  }
  return text.empty() ? text : text + ".";
}

}  // namespace

Lines screen_lines(const Report& report, Style style, std::size_t width, std::size_t height) {
  // Findings go before what the reader should know of the counts: --verbose has all of that.
  Lines lines = header_lines(report, style, width, analysis::ranked_findings(report).size() > 1 ? 1 : 2);
  const Lines transfers = transfer_section(report, style, width);
  const std::string more = "More: --section findings, --verbose, or --html FILE (page with source, charts).";
  if (!report.calibration.empty()) {
    lines.emplace_back();
    append(lines, calibration_overview(report, width));
    lines.insert(lines.end(),
                 {"", "More: --section calibration, --verbose, or --html FILE (page with charts)."});
    return lines;
  }
  if (report.kernels.empty() && report.transfers.empty()) return lines;
  const std::size_t header = lines.size();

  // Blank lines between the sections, the legend and the last line are part of what is always shown.
  const std::size_t fixed = lines.size() + (transfers.empty() ? 0 : transfers.size() + 1) + 4;
  std::size_t room = height > fixed ? height - fixed : 0;
  // Without findings the verdict on top says why, unless the reader asked for a part.
  const bool part = std::ssize(report.hidden.findings) > report.hidden.by_default.findings();
  const bool any = !analysis::ranked_findings(report).empty();
  if (!any && part) {
    lines.emplace_back();
    append_wrapped(lines, analysis::nothing_found(report), width, "", 0);
    room -= std::min<std::size_t>(room, 2);
  } else if (any) {
    lines.emplace_back();
    Lines aside;
    if (const std::string text = analysis::findings_aside(report); !text.empty())
      append_wrapped(aside, text, width, "", kRankIndent);
    const std::size_t kept = kLeastKernelRows + 3 + aside.size();
    const Lines worst = ranking(report, style, room, kept, width);
    append(lines, worst);
    room -= std::min(room, worst.size());
  }
  if (!report.kernels.empty() && room >= kLeastKernelRows + 3) {
    lines.emplace_back();
    append(lines, kernel_section(report, style, std::min(room - 3, kMostKernelRows), width));
  }
  if (!transfers.empty()) {
    lines.emplace_back();
    append(lines, transfers);
  }
  lines.emplace_back();
  if (const std::string legend = legend_of(std::span(lines).subspan(header)); !legend.empty())
    lines.push_back(legend);
  lines.push_back(more);
  return lines;
}

}  // namespace coalescope::text
