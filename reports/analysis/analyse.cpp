// The order: read the capture; rows of kernels, lines and transfers; totals, because shares need them;
// findings, because rules judge finished rows; notices, because they count what is missing.

#include "reports/analysis/analyse.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "core/base/whole.h"
#include "core/capture/reader.h"
#include "core/profile/sources.h"
#include "reports/analysis/figures/command_line.h"
#include "reports/analysis/judge/findings.h"
#include "reports/analysis/machine/machine.h"
#include "reports/analysis/rows/allocated_again.h"
#include "reports/analysis/rows/array_copies.h"
#include "reports/analysis/rows/autocasts.h"
#include "reports/analysis/rows/autotuned.h"
#include "reports/analysis/rows/call_line_rows.h"
#include "reports/analysis/rows/complete_sizes.h"
#include "reports/analysis/rows/copied_to_change.h"
#include "reports/analysis/rows/copy_bursts.h"
#include "reports/analysis/rows/copy_surroundings.h"
#include "reports/analysis/rows/copy_waits.h"
#include "reports/analysis/rows/footprints.h"
#include "reports/analysis/rows/given_arrays.h"
#include "reports/analysis/rows/handed_on.h"
#include "reports/analysis/rows/host_waits.h"
#include "reports/analysis/rows/kernel_families.h"
#include "reports/analysis/rows/kernel_owners.h"
#include "reports/analysis/rows/kernel_rows.h"
#include "reports/analysis/rows/l2_window_rows.h"
#include "reports/analysis/rows/line_rows.h"
#include "reports/analysis/rows/long_launches.h"
#include "reports/analysis/rows/operation_chains.h"
#include "reports/analysis/rows/overwritten_fills.h"
#include "reports/analysis/rows/process_names.h"
#include "reports/analysis/rows/program_rows.h"
#include "reports/analysis/rows/read_again.h"
#include "reports/analysis/rows/read_by_each.h"
#include "reports/analysis/rows/recording_cost.h"
#include "reports/analysis/rows/side_by_side.h"
#include "reports/analysis/rows/site_uses.h"
#include "reports/analysis/rows/table_gradients.h"
#include "reports/analysis/rows/time_line.h"
#include "reports/analysis/rows/timeline.h"
#include "reports/analysis/rows/transfer_rows.h"
#include "reports/analysis/rows/zeroed_gradients.h"
#include "reports/analysis/view/notices.h"

namespace coalescope::analysis {
namespace {

struct Content {
  capture::UnitedRuns runs;
  std::vector<model::Capture> captures;
  std::vector<model::Process> processes;
  std::vector<model::Device> devices;
  std::vector<model::Coverage> coverage;
  std::vector<model::Diagnostic> diagnostics;
  std::vector<model::Calibration> calibration;
  std::vector<model::SourceFile> source_files;
  std::vector<model::SourceLine> source_lines;
  std::vector<capture::GroupView> groups;
  ReadingsByGroup readings;
  std::vector<capture::InstructionView> instructions;
  std::vector<capture::TransferView> transfers;
  std::vector<capture::WindowView> windows;
  ProgramTables program;
  // For the order of time.
  capture::LaunchPlaces launches;
  std::vector<capture::TransferPlace> copies;
  std::vector<model::PhaseWindow> measuring;
  std::vector<model::TraceGap> gaps;
};

base::Result<Content> read(const std::string& path) {
  auto reader = capture::Reader::open(path);
  if (!reader) return base::relay(reader);
  Content content;
  content.runs = reader->runs();
  base::Result<void> done;  // the first that failed
  const auto take = [&done](auto& target, auto result) {
    if (done && result) target = std::move(*result);
    if (done && !result) done = base::relay(result);
  };
  take(content.captures, reader->rows<model::Capture>());
  take(content.processes, reader->rows<model::Process>());
  take(content.devices, reader->rows<model::Device>());
  take(content.coverage, reader->rows<model::Coverage>());
  take(content.diagnostics, reader->rows<model::Diagnostic>());
  take(content.calibration, reader->rows<model::Calibration>());
  take(content.readings, reader->readings());
  take(content.instructions, reader->instructions());
  take(content.transfers, reader->transfers());
  take(content.windows, reader->windows());
  take(content.source_files, reader->rows<model::SourceFile>());
  take(content.source_lines, reader->rows<model::SourceLine>());
  if (!done) return base::relay(done);
  take(content.program, read_program(*reader, content.processes));
  take(content.groups, reader->groups(&content.launches));
  take(content.copies, reader->transfer_places());
  take(content.measuring, reader->rows<model::PhaseWindow>());
  take(content.gaps, reader->rows<model::TraceGap>());
  if (!done) return base::relay(done);
  std::erase_if(content.copies,
                [](const capture::TransferPlace& copy) { return is_within_host(copy.direction); });
  if (content.captures.empty())
    return base::failure(base::ErrorCode::damaged,
                         "cannot report on '" + path + "': it does not say what ran", "record it again");
  return content;
}

Totals totals_of(const Report& report) {
  Totals totals;
  totals.wall_ns = report.capture.duration_ns;
  totals.kernel_groups = static_cast<std::int64_t>(report.kernels.size());
  totals.kernel_families = static_cast<std::int64_t>(report.kernel_families.size());
  for (const auto& family : report.kernel_families) totals.shapes += family.shapes;
  for (const auto& row : report.kernels) {
    base::add_to(totals.kernel_ns, row.gpu_ns.value_or(0));
    if (row.origin == Origin::tool) base::add_to(totals.tool_ns, row.gpu_ns.value_or(0));
    totals.launches += row.launches;
    if (!row.gpu_ns) ++totals.untimed_groups;
  }
  for (const auto& row : report.transfers) {
    base::add_to(totals.transfer_ns, row.gpu_ns.value_or(0));
    totals.transfers += row.transfers;
    if (!row.gpu_ns && !is_within_host(row.direction)) totals.untimed_transfers += row.transfers;
  }
  return totals;
}

void fill_shares_of_run(Report& report) {
  const double run = static_cast<double>(run_ns(report.totals));
  if (run <= 0) return;
  for (auto& row : report.kernels)
    if (row.gpu_ns && row.origin != Origin::tool) row.share = static_cast<double>(*row.gpu_ns) / run;
  std::set<std::int64_t> tools;
  for (const auto& row : report.kernels)
    if (row.origin == Origin::tool) tools.insert(row.id);
  for (auto& row : report.kernel_families)
    if (row.gpu_ns && !tools.contains(row.kernel_ids.front()))
      row.share = static_cast<double>(*row.gpu_ns) / run;
  for (auto& row : report.transfers)
    if (row.gpu_ns) row.share = static_cast<double>(*row.gpu_ns) / run;
}

Machines take_devices(Report& report, const std::vector<model::Device>& devices,
                      const AnalyseOptions& options) {
  Machines machines;
  const auto of_capture = profile::derive(report.calibration);
  // Each process sees its devices anew: a job has far more rows than GPUs.
  std::map<std::pair<std::string_view, std::string_view>, std::vector<profile::MachineProfile>> profiles;
  for (const auto& device : devices) {
    const auto [known, is_new] = profiles.try_emplace({device.uuid, device.name});
    if (is_new) known->second = profile::profiles_for(device, of_capture, options.profile_folder);
    const Machine machine = machine_of(device, known->second);
    report.devices.push_back({device, peak_dram_bandwidth(device), ceilings(machine), copy_curves(machine)});
    machines.emplace(device.id.value, machine);
  }
  return machines;
}

std::vector<PhaseCost> phase_costs(const std::vector<capture::WindowView>& windows) {
  std::vector<PhaseCost> costs;
  for (const auto& window : windows)
    costs.push_back({window.phase, window.outcome, window.windows, window.launches, window.cost_ns,
                     window.launches_cost_ns});
  return costs;
}

// What measuring held each process up; of older captures, what windows took without their launches.
std::map<model::ProcessId, std::int64_t> measuring_costs(const std::vector<model::Process>& processes,
                                                         const std::vector<model::PhaseWindow>& windows) {
  std::map<model::ProcessId, std::int64_t> costs;
  for (const auto& window : windows)
    base::add_to(costs[window.process_id], base::sum_of(window.cost_ns, window.launches_cost_ns.value_or(0)));
  for (const auto& process : processes)
    if (process.measuring_cost_ns) costs[process.id] = *process.measuring_cost_ns;
  return costs;
}

// What only the order of launches and copies, and the addresses of their memory, tell.
void take_order(Report& report, Content& content) {
  take_footprints(report.kernels, content.program.pointers, content.instructions);
  take_waits(report.kernels, content.program.wait_totals, content.transfers);
  take_side_by_side(report.kernels, content.launches.launches, content.groups);
  take_long_launches(report.kernels, content.launches.launches, content.groups, content.readings);
  take_surroundings(report.transfers, content.copies, content.launches, content.groups);
  take_changes(report.transfers, report.kernels, content.groups, content.launches, content.copies);
  take_bursts(report.transfers, content.copies, content.launches, content.groups, report.program.memory);
  report.program.timelines = timelines_of(
      {content.groups, content.launches.launches, content.launches.measured, content.copies,
       content.measuring, content.gaps, report.kernels, report.transfers, report.processes,
       host_calls(content.program.waits, content.program.wait_totals, content.program.allocations),
       read_by_others(report.processes, content.groups, content.program.pointers), content.launches.streams});
  const TimeLineInput in_time{report.processes,
                              content.groups,
                              content.launches.launches,
                              content.launches.measured,
                              content.copies,
                              content.measuring,
                              content.gaps,
                              content.program.waits,
                              content.program.ranges,
                              content.program.range_names};
  report.time_line = time_line_of(in_time);
  report.program.host_wait_ns = host_wait_ns(report, content.program.wait_totals);
  const CallStacks stacks(report.call_sites);
  const auto occupied = occupied_times(in_time);
  take_copy_waits(report.transfers, content.program.waits, occupied, stacks);
  report.program.allocated_again = allocated_again_rows(content.program.allocations, report.diagnostics,
                                                        content.program.waits, occupied, stacks);
  L2WindowRows windows = l2_window_rows({content.program.set_l2_windows, content.program.l2_settings,
                                         content.program.pointers, content.groups, content.launches});
  report.program.l2_windows = std::move(windows.rows);
  report.program.l2_windows_left_out = windows.left_out;
  report.program.operation_chains = operation_chains(
      {report.kernels, content.groups, content.launches, content.copies, content.program.pointers});
  report.program.read_again =
      read_again({report.kernels, content.groups, content.launches, content.copies, content.program.pointers,
                  content.instructions, content.program.parameter_values});
  report.program.read_by_each =
      read_by_each({report.kernels, content.groups, content.launches, content.copies,
                    content.program.pointers, content.instructions, content.program.parameter_values});
  report.program.handed_on =
      handed_on({report.kernels, content.groups, content.launches, content.copies, content.program.pointers,
                 content.instructions, content.program.parameter_values});
  report.program.overwritten_fills =
      overwritten_fills({report.kernels, report.transfers, content.groups, content.launches, content.copies,
                         content.program.pointers, content.instructions});
  take_overwritten_uploads(report.program.overwritten_fills, report.transfers);
  mark_given_arrays(report.kernels, content.program.pointers, content.instructions);
  report.program.autocasts = autocasts(report.kernels, report.call_sites);
  report.program.array_copies =
      array_copies({report.kernels, report.transfers, report.call_sites, report.devices, content.copies,
                    content.program.pointers, content.instructions});
  report.program.zeroed_gradients = zeroed_gradients(report.kernels, report.transfers, report.call_sites);
  report.program.table_gradients =
      table_gradients({report.kernels, report.call_sites, content.program.pointers});
  // There may be a million of them, and nobody needs them any more.
  content.launches = capture::LaunchPlaces();
  std::vector<capture::TransferPlace>().swap(content.copies);
}

// As they are judged where another size was measured instead of some.
std::vector<KernelRow> complete_rows(const Report& report, const Content& content,
                                     const CompleteSizes& complete, const Machines& machines) {
  std::unordered_map<std::int64_t, const KernelRow*> shown;
  for (const auto& row : report.kernels) shown.emplace(row.id, &row);
  auto rows =
      kernel_rows(content.groups, complete.readings, sum_instructions(complete.instructions, content.groups),
                  content.coverage, machines);
  for (auto& row : rows) {
    row.completed = complete.groups.contains(model::GroupId{row.id});
    const KernelRow& same = *shown.at(row.id);
    row.name = same.name;  // with its process
    row.share = same.share;
    row.origin = same.origin;
    row.owner = same.owner;
    row.call_sites = same.call_sites;
    row.beside_ratio = same.beside_ratio;
  }
  take_footprints(rows, content.program.pointers, complete.instructions);
  take_waits(rows, content.program.wait_totals, content.transfers);
  return rows;
}

Judgement judge_complete(Report& report, const Content& content, const Machines& machines,
                         const Thresholds& thresholds) {
  const CompleteSizes complete =
      complete_sizes(content.groups, content.readings, content.instructions, content.coverage);
  if (complete.groups.empty()) return judge(report, machines, thresholds);
  auto rows = complete_rows(report, content, complete, machines);
  auto lines = line_rows(complete.instructions, rows, content.program.pointers);
  std::swap(report.kernels, rows);
  std::swap(report.lines, lines);
  Judgement judgement = judge(report, machines, thresholds);
  std::swap(report.kernels, rows);
  std::swap(report.lines, lines);
  return judgement;
}

}  // namespace

base::Result<Report> analyse(const std::string& capture_path, const AnalyseOptions& options) {
  auto content = read(capture_path);
  if (!content) return base::relay(content);

  Report report;
  report.capture_path = capture_path;
  report.capture = std::move(content->captures.front());
  report.command = decode_command(report.capture.command);
  report.runs = content->runs.runs;
  report.groups_only_later = content->runs.groups_only_later;
  report.processes = std::move(content->processes);
  report.calibration = std::move(content->calibration);
  report.diagnostics = std::move(content->diagnostics);
  std::ranges::stable_sort(report.diagnostics, std::greater{}, &model::Diagnostic::severity);
  const Machines machines = take_devices(report, content->devices, options);

  report.kernels =
      kernel_rows(content->groups, content->readings,
                  sum_instructions(content->instructions, content->groups), content->coverage, machines);
  report.kernel_families = kernel_families(report.kernels);
  number_variants(report.kernels);
  name_processes(report.kernels, report.processes);
  report.lines = line_rows(content->instructions, report.kernels, content->program.pointers);
  name_worst_lines(report.kernels, report.lines);
  name_owners(report.kernels, report.lines);
  report.transfers = transfer_rows(content->transfers, machines);
  report.call_sites = call_site_rows(content->program.sites.sites, options.ownership);
  report.program =
      program_of(content->program, report.kernels, content->readings, CallStacks(report.call_sites));
  take_call_sites(report, content->program.sites);
  take_order(report, *content);
  name_autotuned(report.kernels, report.call_sites);
  add_up_call_sites(report);
  report.call_lines = call_line_rows(report.call_sites);
  SourceFiles files(report.capture.working_directory, options.sources, content->source_files,
                    content->source_lines);
  report.sources = take_sources(report.lines, report.call_lines, files);
  report.phases = phase_costs(content->windows);
  report.measuring_ns = measuring_costs(report.processes, content->measuring);

  report.totals = totals_of(report);
  fill_shares_of_run(report);
  Judgement judgement = judge_complete(report, *content, machines, options.thresholds);
  report.findings = std::move(judgement.findings);
  report.not_judged = std::move(judgement.not_judged);
  report.notices = notices_of(report);
  std::ranges::move(files.notices(), std::back_inserter(report.notices));
  report.recording_cost = recording_cost(report);
  return report;
}

}  // namespace coalescope::analysis
