// How the numbers were made, what that cost the run, and what was not measured and why.
#include <algorithm>
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/rows/unmeasured.h"
#include "reports/analysis/view/summary.h"
#include "reports/html/sections.h"
#include "reports/html/values.h"
#include "reports/html/words.h"

namespace coalescope::html {
namespace {

using analysis::Gap;
using analysis::PhaseCost;
using analysis::Report;

Cell phase_cell(const PhaseCost& row) {
  Html shown = element("b", model::name_of(row.phase));
  shown << element("small", about(row.phase));
  return {shown, "", std::nullopt};
}

Cell outcome_cell(const PhaseCost& row) {
  if (row.outcome == model::CoverageReason::measured) return {"kept", "", std::nullopt};
  Html shown = "discarded";
  if (row.outcome != model::CoverageReason::window_discarded)
    shown << element("small", analysis::cause_of(row.outcome));
  return {shown, "", std::nullopt};
}

std::vector<Column<PhaseCost>> phase_columns() {
  return {
      {"", "Phase", "A way of measuring. They exclude each other, so launches are shared out among them.",
       Align::text, phase_cell},
      {"", "Readings", "A reading that cannot be right is discarded and not guessed.", Align::text,
       outcome_cell},
      count_column("Windows", "How often the recorder entered the phase.", &PhaseCost::windows, "windows"),
      count_column("Launches", "Launches that were counted in this phase.", &PhaseCost::launches, "launches"),
      {"", "Cost",
       "Host time for entering and leaving, and the extra time of measured launches. Older captures have "
       "only the first.",
       Align::number, [](const PhaseCost& row) { return time_cell(analysis::whole_cost_ns(row)); }}};
}

// What all of it cost, as on top of the page; of killed processes what the phases took.
Html cost_in_words(const Report& report) {
  if (report.recording_cost) return paragraph(unbroken(*report.recording_cost));
  std::int64_t cost_ns = 0;
  for (const PhaseCost& row : report.phases) base::add_to(cost_ns, analysis::whole_cost_ns(row));
  return paragraph(unbroken(fmt::format("Measuring took {}.", base::format_ns(cost_ns))));
}

Cell gap_phases(const Gap& gap) {
  std::vector<std::string> names;
  for (const model::Phase missed : gap.phases) names.emplace_back(model::name_of(missed));
  return {analysis::joined(names, ", "), "", std::nullopt};
}

std::vector<Column<Gap>> gap_columns() {
  return {{"", "Why there is no reading", "", Align::text,
           [](const Gap& gap) {
             return Cell{unbroken(gap.text), "", {}};
           }},
          {"", "Phases", "", Align::text, gap_phases},
          {"", "Kernel groups", "How many kernel groups have this reason.", Align::number,
           [](const Gap& gap) { return count_cell(std::ssize(gap.kernels), "kernel groups"); }}};
}

Html gaps(const Report& report) {
  std::vector<Gap> rows = analysis::gaps_of(report);
  if (rows.empty()) return {};
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Gap& a, const Gap& b) { return a.kernels.size() > b.kernels.size(); });
  return details("What was not measured, and why",
                 table<Gap>({"gap-table", counted(std::ssize(rows), "reason", "reasons"), "reasons"},
                            gap_columns(), rows));
}

Cell pid(const model::Process& row) {
  return {fmt::format("{}", row.pid), "", static_cast<double>(row.pid)};
}
Cell executable(const model::Process& row) {
  return {element("code", row.executable), row.executable, std::nullopt};
}
Cell rank(const model::Process& row) {
  if (!row.rank) return missing("none", "", "no launcher of parallel programs set one");
  const std::string local = row.local_rank ? fmt::format("{} on its host", *row.local_rank) : "";
  return {fmt::format("{}", *row.rank), local, static_cast<double>(*row.rank)};
}
Cell end(const model::Process& row) {
  if (!row.ended_ns) return missing("its end was not seen", "", "killed, or left by _exit");
  return {row.clean ? "complete" : "not everything was written", "", std::nullopt};
}
Cell version(std::optional<std::int64_t> number, const std::string& text) {
  if (!number) return missing("not recorded", "", "the process ended before it was read");
  return {text, fmt::format("{}", *number), static_cast<double>(*number)};
}
Cell driver(const model::Process& row) {
  const std::int64_t v = row.driver_version.value_or(0);
  return version(row.driver_version, fmt::format("CUDA {}.{}", v / 1000, v % 1000 / 10));
}
Cell cupti(const model::Process& row) {
  return version(row.cupti_version, fmt::format("{}", row.cupti_version.value_or(0)));
}

std::vector<Column<model::Process>> process_columns() {
  return {{"", "Process", "Its number on its host.", Align::text, pid},
          {"", "Program", "", Align::text, executable},
          words_column("Host", "", &model::Process::host),
          {"", "Rank", "Its number in a parallel program.", Align::text, rank},
          {"", "Recording", "Whether everything that was seen was written.", Align::text, end},
          {"", "Driver", "The newest CUDA that the driver supports.", Align::number, driver},
          {"", "CUPTI", "The version of the library that counted.", Align::number, cupti}};
}

}  // namespace

Html method_section(const Report& report) {
  Html content = paragraph(
      "Only a few launches of each kernel group are counted, because counting can make a launch many times "
      "slower; their counts stand for the group. A launch that counting slows down is not timed.");
  if (!report.phases.empty())
    content << cost_in_words(report)
            << details("Phases and their cost",
                       table<PhaseCost>({"phase-table", "Phases and their cost", "phases"}, phase_columns(),
                                        report.phases));
  content << gaps(report);
  if (!report.processes.empty())
    content << details("Processes",
                       table<model::Process>({"process-table", "Processes that used CUDA", "processes"},
                                             process_columns(), report.processes));
  if (!report.capture.options.empty() && report.capture.options != "{}")
    content << details(
        "Settings of the recorder",
        element("pre", {{"tabindex", "0"}}, element("code", Html::verbatim(report.capture.options))));
  return section("method", "Method and cost", content);
}

}  // namespace coalescope::html
