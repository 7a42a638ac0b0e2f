// What ran, where, when and for how long: the facts that a reader checks before believing the rest.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/units.h"
#include "reports/analysis/view/device_names.h"
#include "reports/analysis/view/summary.h"
#include "reports/analysis/view/verdict.h"
#include "reports/html/sections.h"
#include "reports/html/values.h"

namespace coalescope::html {
namespace {

using analysis::Report;

std::string ending(const model::Capture& capture) {
  if (capture.exit_signal) return fmt::format("ended by signal {}", *capture.exit_signal);
  if (capture.exit_status) return fmt::format("exit status {}", *capture.exit_status);
  return "its end was not seen";
}

std::string devices(const Report& report) {
  std::vector<std::string> names;
  for (const auto& device : report.devices) names.push_back(device.properties.name);
  const auto words = analysis::gpus_in_words(report, names);
  return words.empty() ? "no GPU was used" : fmt::format("{}", fmt::join(words, ", "));
}

std::string versions(const Report& report) {
  for (const auto& process : report.processes) {
    if (!process.driver_version) continue;
    const auto cuda = *process.driver_version;
    return fmt::format("for CUDA {}.{} or older", cuda / 1000, cuda % 1000 / 10);
  }
  return "not recorded";
}

std::string hosts(const Report& report) {
  std::string hosts;
  for (const auto& process : report.processes)
    if (hosts.find(process.host) == std::string::npos) hosts += (hosts.empty() ? "" : ", ") + process.host;
  return hosts.empty() ? "not recorded" : hosts;
}

Html fact(std::string_view name, const Html& value) {
  Html pair = element("dt", name);
  pair << element("dd", value);
  return element("div", pair);
}

Html facts(const Report& report) {
  const model::Capture& capture = report.capture;
  Html list = fact("GPU", devices(report));
  list << fact("Driver", versions(report)) << fact("Host", hosts(report))
       << fact("Started", exactly(utc_time(capture.started_unix_ns),
                                  exact_count(capture.started_unix_ns, "ns since 1970")))
       << fact("Ended", ending(capture)) << fact("Folder", element("code", capture.working_directory))
       << fact("Capture", element("code", report.capture_path))
       << fact("Recorded by", "coalescope " + capture.tool_version);
  return element("dl", {{"class", "facts"}}, list);
}

Html tile(std::string_view name, const Html& value, const Html& note) {
  Html content = element("dt", name);
  content << element("dd", {{"class", "value"}}, value) << element("dd", {{"class", "note"}}, note);
  return element("div", content);
}

Html time_tile(std::string_view name, std::int64_t ns, const Html& note) {
  return tile(name, exactly(base::format_ns(ns), exact_ns(ns)), note);
}

// A sum of which nothing was timed is no time of zero.
Html sum_tile(std::string_view name, std::int64_t ns, bool untimed, const Html& note) {
  return ns == 0 && untimed ? tile(name, "not measured", note) : time_tile(name, ns, note);
}

std::string launches_text(const analysis::Totals& totals) {
  std::string text = counted(totals.launches, "launch of ", "launches of ") +
                     counted(totals.kernel_families, "kernel", "kernels");
  if (totals.shapes > totals.kernel_families) text += " in " + counted(totals.shapes, "shape", "shapes");
  if (totals.tool_ns > 0)
    text += unbroken(
        fmt::format("; those of autotuners and other tools took {} more", base::format_ns(totals.tool_ns)));
  return text;
}

Html tiles(const Report& report) {
  const analysis::Totals& totals = report.totals;
  Html list;
  if (totals.wall_ns)
    list << time_tile("The run took", *totals.wall_ns,
                      report.runs > 1 ? Html(fmt::format("the first of {} runs", report.runs))
                      : report.processes.size() > 1
                          ? counted(std::ssize(report.processes), "process", "processes")
                          : "from start to end, with coalescope");
  else
    list << tile("The run took", "not measured", "its end was not seen");
  list << sum_tile("GPU time in kernels", analysis::own_kernel_ns(totals), totals.untimed_groups > 0,
                   launches_text(totals))
       << sum_tile("GPU time in transfers", totals.transfer_ns, totals.untimed_transfers > 0,
                   counted(totals.transfers, "copy or memory set", "copies and memory sets"));
  return element("dl", {{"class", "tiles"}}, list);
}

Html about_run(const Report& report) {
  Html content = facts(report);
  content << tiles(report);
  return content;
}

// The sentences for a reader who stops here.
Html lead(const Report& report) {
  const analysis::RunVerdict verdict = analysis::verdict_of(report);
  Html text = element("p", {{"class", "lead"}}, unbroken(verdict.text));
  Html coverage = unbroken(verdict.coverage);
  if (verdict.command)
    coverage << Html(" This measures the rest: ") << element("code", *verdict.command) << Html(".");
  // Up to the semicolon: how much, of what. The section on the method has the rest.
  if (report.recording_cost) {
    const std::string& cost = *report.recording_cost;
    const std::size_t end = cost.find(';');
    coverage << Html(coverage.empty() ? "" : " ")
             << Html(unbroken(cost.substr(0, end) + (end == cost.npos ? "" : ".")));
  }
  if (!report.notices.empty())
    coverage << Html(coverage.empty() ? "" : " ")
             << element("a", {{"href", "#losses"}},
                        counted(std::ssize(report.notices), "thing that this capture lacks",
                                "things that this capture lacks"));
  if (!coverage.empty()) text << element("p", {{"class", "coverage"}}, coverage);
  return text;
}

// "NVIDIA H100 80GB HBM3; ran 19.1 s, exit status 0".
std::string in_short(const Report& report) {
  std::string text = devices(report);
  if (report.totals.wall_ns) text += "; ran " + base::format_ns(*report.totals.wall_ns);
  return text + ", " + ending(report.capture);
}

}  // namespace

Html header_section(const Report& report) {
  Html content = element("p", {{"class", "kicker"}}, "coalescope: memory traffic of");
  content << element("h1", element("code", report.command.empty() ? "the command was not recorded"
                                                                  : analysis::command_text(report)))
          << lead(report) << details(unbroken("About this run: " + in_short(report)), about_run(report));
  return element("header", content);
}

}  // namespace coalescope::html
