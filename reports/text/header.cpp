#include "reports/text/header.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "core/base/units.h"
#include "reports/analysis/view/device_names.h"
#include "reports/analysis/view/summary.h"
#include "reports/analysis/view/verdict.h"
#include "reports/text/cells.h"

namespace coalescope::text {
namespace {

using analysis::Report;
using Lines = std::vector<std::string>;

// " (ranks 0 to 3 on 2 hosts)", as far as there is more than one of them.
std::string ranks_and_hosts(const Report& report) {
  std::set<std::int64_t> ranks;
  std::set<std::string> hosts;
  for (const auto& process : report.processes) {
    hosts.insert(process.host);
    if (process.rank) ranks.insert(*process.rank);
  }
  std::string text;
  if (ranks.size() > 1) text = fmt::format("ranks {} to {}", *ranks.begin(), *ranks.rbegin());
  if (hosts.size() > 1) text += fmt::format("{}on {} hosts", text.empty() ? "" : " ", hosts.size());
  return text.empty() ? "" : " (" + text + ")";
}

std::string how_it_ran(const Report& report) {
  std::string text = report.capture.duration_ns ? "ran " + base::format_ns(*report.capture.duration_ns)
                                                : std::string("end not seen");
  if (report.capture.exit_signal)
    text += fmt::format(", killed by signal {}", *report.capture.exit_signal);
  else if (report.capture.exit_status)
    text += fmt::format(", exit status {}", *report.capture.exit_status);
  if (report.processes.size() > 1)
    text += fmt::format(", {} processes{}", report.processes.size(), ranks_and_hosts(report));
  if (report.runs > 1) text += fmt::format(", first of {} runs", report.runs);
  const auto& totals = report.totals;
  if (totals.launches > 0)
    text +=
        fmt::format("; {} of {}{}{}", analysis::counted(totals.launches, "launch", "launches"),
                    analysis::counted(totals.kernel_families, "kernel", "kernels"),
                    totals.shapes > totals.kernel_families
                        ? fmt::format(" in {} shapes", base::format_count(totals.shapes))
                        : "",
                    totals.kernel_ns > 0 ? " took " + base::format_ns(analysis::own_kernel_ns(totals)) : "");
  if (totals.tool_ns > 0)
    text += fmt::format(", and those of autotuners and other tools {} more", base::format_ns(totals.tool_ns));
  if (totals.transfers > 0) {
    text += fmt::format("; {} took {}", analysis::counted(totals.transfers, "transfer", "transfers"),
                        base::format_ns(totals.transfer_ns));
    if (totals.untimed_transfers > 0)
      text += fmt::format(" ({} not timed)", base::format_count(totals.untimed_transfers));
  }
  return text;
}

std::string device_text(const analysis::DeviceRow& row) {
  const auto& device = row.properties;
  std::string text = clean(device.name);
  std::string details;
  const auto add = [&](const std::string& detail) { details += (details.empty() ? "" : ", ") + detail; };
  if (device.multiprocessors) add(base::format_count(*device.multiprocessors) + " SMs");
  if (device.l2_bytes) add("L2 " + base::format_bytes(static_cast<double>(*device.l2_bytes)));
  if (device.memory_bytes) add("memory " + base::format_bytes(static_cast<double>(*device.memory_bytes)));
  if (row.peak_dram_bandwidth) add("peak " + base::format_bandwidth(*row.peak_dram_bandwidth));
  return details.empty() ? text : text + " (" + details + ")";
}

// One line for each kind of GPU.
Lines device_lines(const Report& report) {
  std::vector<std::string> texts;
  for (const auto& row : report.devices) texts.push_back(device_text(row));
  return analysis::gpus_in_words(report, texts);
}

// What the run comes to, before anything else.
void append_verdict(Lines& lines, const Report& report, std::size_t width) {
  const analysis::RunVerdict verdict = analysis::verdict_of(report);
  std::string text = verdict.text;
  if (!verdict.coverage.empty()) text += " " + verdict.coverage;
  if (verdict.command) text += " This measures the rest: " + *verdict.command;
  append_wrapped(lines, clean(text), width, "", 0);
  lines.emplace_back();
}

}  // namespace

Lines header_lines(const Report& report, Style style, std::size_t width, std::size_t most_notices) {
  const std::string command =
      report.command.empty() ? "unknown command" : clean(analysis::command_text(report));
  Lines lines{style.heading(cut_end("coalescope: " + command, width))};
  append_verdict(lines, report, width);
  append_wrapped(lines, how_it_ran(report), width, "", 0);
  for (const auto& device : device_lines(report)) lines.push_back(cut_end(device, width));
  if (report.recording_cost) append_wrapped(lines, clean(*report.recording_cost), width, "", 0);
  const std::size_t shown = most_notices == 0 ? report.notices.size() : most_notices;
  for (std::size_t i = 0; i < std::min(shown, report.notices.size()); ++i)
    append_wrapped(lines, clean(report.notices[i].text), width, "!", 2);
  if (shown < report.notices.size())
    lines.push_back(fmt::format("! and {} more: --verbose lists them", report.notices.size() - shown));
  return lines;
}

}  // namespace coalescope::text
