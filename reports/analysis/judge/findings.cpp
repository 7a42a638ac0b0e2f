#include "reports/analysis/judge/findings.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "core/base/units.h"
#include "core/base/whole.h"
#include "reports/analysis/figures/called_for.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/judge/findings_builder.h"
#include "reports/analysis/judge/report_index.h"
#include "reports/analysis/rows/call_stacks.h"
#include "reports/analysis/rows/migrations.h"
#include "reports/analysis/rows/process_names.h"
#include "reports/analysis/rows/transfer_rows.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

std::string l2_window_name(const L2WindowRow& row) {
  const std::string bytes = base::format_bytes(static_cast<double>(row.window.bytes));
  if (row.window.stream) return fmt::format("L2 window of {} on stream {}", bytes, *row.window.stream);
  return fmt::format("L2 window of {} on a {}", bytes,
                     row.window.target == model::L2WindowTarget::graph_node ? "graph node" : "launch");
}

std::string managed_name(const AllocationRow& row, std::int64_t allocations = 1) {
  const std::string bytes = base::format_bytes(static_cast<double>(row.bytes));
  return fmt::format("managed memory, {}{}{}",
                     allocations > 1 ? fmt::format("{} allocations, ", base::format_count(allocations)) : "",
                     bytes, row.place ? ", from " + *row.place : std::string());
}

// The allocations of one place together.
struct ManagedPlace {
  AllocationRow sum;
  std::vector<SubjectRef> rows;  // of the allocations
};
std::vector<ManagedPlace> by_place(const std::vector<AllocationRow>& rows) {
  std::map<std::pair<std::optional<std::int64_t>, std::optional<std::string>>, std::size_t> places;
  std::vector<ManagedPlace> list;
  for (const auto& row : rows) {
    const auto [place, fresh] = places.emplace(std::pair(row.device_id, row.place), list.size());
    if (fresh) list.push_back({row, {}});
    ManagedPlace& at = list[place->second];
    at.rows.push_back({SubjectKind::allocation, &row - rows.data()});
    if (fresh) continue;
    base::add_to(at.sum.bytes, row.bytes);
    add(at.sum.migration, row.migration);
  }
  return list;
}

void apply_managed_rules(FindingsBuilder& builder, const ReportIndex& index, const Report& report) {
  const auto machine = [&](const AllocationRow& row) -> const Machine& {
    return index.machine(
        row.device_id.value_or(report.devices.empty() ? 0 : report.devices.front().properties.id.value));
  };
  // Pages come while these run.
  std::optional<std::int64_t> kernel_ns;
  for (const auto& row : report.kernels)
    if (std::ranges::any_of(index.pointers(row.id), [](const PointerRow* pointer) {
          return pointer->memory == model::MemoryKind::managed;
        }))
      kernel_ns = base::sum_of(kernel_ns.value_or(0), row.gpu_ns.value_or(0));
  for (const auto* rule : kManagedRules) {
    const std::span<const Rule<ManagedSubject>* const> one(&rule, 1);
    if (rule->sums_places)
      for (const auto& [sum, rows] : by_place(report.program.migrations))
        builder.apply(one, ManagedSubject{sum, machine(sum), kernel_ns},
                      {managed_name(sum, std::ssize(rows)), std::nullopt, rows});
    else
      for (std::int64_t place = 0; const auto& row : report.program.migrations)
        builder.apply(one, ManagedSubject{row, machine(row)},
                      {managed_name(row), std::nullopt, {{SubjectKind::allocation, place++}}});
  }
}

void apply_timeline_rules(FindingsBuilder& builder, const ReportIndex& index, const Report& report) {
  const auto names = names_of_processes(report.processes);
  for (std::int64_t place = 0; const auto& row : report.program.timelines) {
    const auto name = names.find(row.process_id);
    const std::string of_process =
        names.size() < 2 || name == names.end() ? std::string() : " of " + name->second;
    const TimelineSubject subject{row, index.machine(row.device_id), index.device(row.device_id)};
    for (const auto* rule : kTimelineRules)
      builder.apply(
          std::span(&rule, 1), subject,
          {std::string(rule->about.subject) + of_process, row.busy_ns, {{SubjectKind::timeline, place}}});
    ++place;
  }
}

std::string allocation_name(const AllocatedAgainRow& row) {
  return fmt::format("{}{} memory, {}{}", name_of(row.kind), model::is_pinned(row.kind) ? " host" : "",
                     base::format_bytes(static_cast<double>(row.largest_bytes)),
                     row.place ? ", from " + *row.place : std::string());
}

// The time of the host's calls is the same on each GPU.
void apply_allocation_rules(FindingsBuilder& builder, const Program& program) {
  const Machine machine;
  for (std::int64_t place = 0; const auto& row : program.allocated_again) {
    SubjectInfo info{allocation_name(row), row.calls_ns, {{SubjectKind::allocated_again, place++}}};
    info.call_site_id = row.call_site_id;
    builder.apply(kAllocationRules, AllocationSubject{row, machine}, info);
  }
}

// L2 windows come before kernels: what these read again because of one is said once. Returns them.
std::set<std::int64_t> apply_l2_window_rules(FindingsBuilder& builder, const ReportIndex& index,
                                             const Program& program) {
  std::set<std::int64_t> kernels;
  for (std::int64_t place = 0; const auto& row : program.l2_windows) {
    const std::int64_t device_id = row.device_id.value_or(0);
    const auto users = index.uses(row.users), later = index.uses(row.later),
               together = index.uses(row.together);
    builder.apply(
        kL2WindowRules,
        L2WindowSubject{row, index.machine(device_id), index.device(device_id), users, later, together},
        {l2_window_name(row), row.gpu_ns, {{SubjectKind::l2_window, place++}}});
    for (const KernelPart& part : row.users) kernels.insert(part.kernel_id);
  }
  kernels.insert(builder.explained_rereads().begin(), builder.explained_rereads().end());
  return kernels;
}

// The costliest kernel of a chain first, each once.
std::vector<SubjectRef> rows_of_chain(std::vector<const KernelRow*> operations) {
  std::ranges::stable_sort(operations, std::greater{},
                           [](const KernelRow* row) { return row->median_gpu_ns.value_or(0); });
  std::vector<SubjectRef> rows;
  std::set<std::int64_t> seen;
  for (const KernelRow* row : operations)
    if (seen.insert(row->id).second) rows.push_back({SubjectKind::kernel, row->id});
  return rows;
}

void apply_chain_rules(FindingsBuilder& builder, const ReportIndex& index, const Program& program) {
  for (const auto& row : program.operation_chains) {
    const auto operations = index.kernels(row.kernel_ids);
    if (operations.size() < row.kernel_ids.size()) continue;
    std::int64_t ns = 0;
    for (const KernelRow* each : operations) base::add_to(ns, each->median_gpu_ns.value_or(0));
    builder.apply(
        kChainRules, ChainSubject{row, index.machine(row.device_id), operations},
        {row.attention ? fmt::format("{} operations of attention", operations.size() + 2)
                       : fmt::format("{} element-wise operations", operations.size()),
         base::whole(static_cast<double>(ns) * static_cast<double>(row.times)), rows_of_chain(operations)});
  }
}

// "find_flows and apply_flows"; "add_fares, find_cheapest, find_dearest and 2 more".
std::string names_of_kernels(const std::vector<const KernelRow*>& kernels) {
  constexpr std::size_t kMostNames = 3;
  std::string names;
  for (std::size_t at = 0; at < std::min(kernels.size(), kMostNames); ++at)
    names += (at == 0 ? "" : at + 1 == kernels.size() ? " and " : ", ") + kernels[at]->name;
  return kernels.size() > kMostNames ? fmt::format("{} and {} more", names, kernels.size() - kMostNames)
                                     : names;
}

// Of a launch of each, so often.
std::int64_t time_of_all(const std::vector<const KernelRow*>& kernels, std::int64_t times) {
  double ns = 0;
  for (const KernelRow* each : kernels) ns += real(each->median_gpu_ns);
  return base::whole(ns * real(times));
}

void apply_read_again_rules(FindingsBuilder& builder, const ReportIndex& index, const Program& program) {
  for (const auto& row : program.read_again) {
    const auto kernels = index.kernels(row.kernel_ids);
    if (kernels.size() < row.kernel_ids.size()) continue;
    builder.apply(kReadAgainRules, ReadAgainSubject{row, index.machine(row.device_id), kernels},
                  {names_of_kernels(kernels), time_of_all(kernels, row.times), rows_of_chain(kernels)});
  }
}

void apply_read_by_each_rules(FindingsBuilder& builder, const ReportIndex& index, const Program& program) {
  for (const auto& row : program.read_by_each) {
    const auto kernel = index.kernels(std::vector{row.kernel_id});
    if (kernel.empty()) continue;
    builder.apply(
        kReadByEachRules,
        ReadByEachSubject{row, index.machine(row.device_id), *kernel.front(), index.device(row.device_id)},
        {kernel.front()->name, kernel.front()->gpu_ns, rows_of_chain(kernel)});
  }
}

void apply_handed_on_rules(FindingsBuilder& builder, const ReportIndex& index, const Program& program) {
  for (const auto& row : program.handed_on) {
    const auto kernels = index.kernels(row.kernel_ids);
    if (kernels.size() < row.kernel_ids.size()) continue;
    builder.apply(kHandedOnRules, HandedOnSubject{row, index.machine(row.device_id), kernels},
                  {names_of_kernels(kernels), time_of_all(kernels, row.times), rows_of_chain(kernels)});
  }
}

void apply_fill_rules(FindingsBuilder& builder, const ReportIndex& index, const Report& report) {
  for (const auto& row : report.program.overwritten_fills) {
    const auto by = index.kernels(std::vector{row.overwritten_by});
    SubjectInfo info{{}, row.gpu_ns, {}};
    info.call_site_id = row.call_site_id;
    if (row.kernel_id) {
      const auto filling = index.kernels(std::vector{*row.kernel_id});
      if (filling.empty()) continue;
      info.name = filling.front()->name;
      info.rows = {{SubjectKind::kernel, *row.kernel_id}};
    } else {
      const auto sets = std::ranges::find(report.transfers, row.transfer_id.value_or(0), &TransferRow::id);
      if (sets == report.transfers.end()) continue;
      info.name = transfer_class_name(*sets);
      info.rows = {{SubjectKind::transfers, sets->id}};
    }
    builder.apply(kFillRules,
                  FillSubject{row, index.machine(row.device_id), by.empty() ? nullptr : by.front(),
                              index.device(row.device_id)},
                  info);
  }
}

void apply_gradient_rules(FindingsBuilder& builder, const ReportIndex& index, const Program& program) {
  for (const auto& row : program.zeroed_gradients) {
    SubjectInfo info{"zeros in gradients", base::sum_of(row.fill_ns, row.add_ns), {}};
    info.call_site_id = row.call_site_id;
    for (const std::int64_t id : row.kernel_ids) info.rows.push_back({SubjectKind::kernel, id});
    builder.apply(kGradientRules, ZeroedGradientsSubject{row, index.machine(row.device_id)}, info);
  }
}

void apply_table_rules(FindingsBuilder& builder, const ReportIndex& index, const Program& program) {
  for (const auto& row : program.table_gradients) {
    SubjectInfo info{"lookups in a table", base::sum_of(row.fill_ns, row.optimiser_ns), {}};
    info.call_site_id = row.call_site_id;
    for (const std::int64_t id : row.kernel_ids) info.rows.push_back({SubjectKind::kernel, id});
    builder.apply(kTableRules, TableGradientsSubject{row, index.machine(row.device_id)}, info);
  }
}

void apply_autocast_rules(FindingsBuilder& builder, const ReportIndex& index, const Program& program) {
  for (const auto& row : program.autocasts) {
    SubjectInfo info{"conversions by autocast", row.gpu_ns, {}};
    info.call_site_id = row.call_site_id;
    for (const std::int64_t id : row.kernel_ids) info.rows.push_back({SubjectKind::kernel, id});
    builder.apply(kAutocastRules, AutocastSubject{row, index.machine(row.device_id)}, info);
  }
}

void apply_array_copy_rules(FindingsBuilder& builder, const ReportIndex& index, const Program& program) {
  for (const auto& row : program.array_copies) {
    SubjectInfo info{"copies of whole arrays", row.gpu_ns, {}};
    info.call_site_id = row.call_site_id;
    for (const std::int64_t id : row.kernel_ids) info.rows.push_back({SubjectKind::kernel, id});
    for (const std::int64_t id : row.transfer_ids) info.rows.push_back({SubjectKind::transfers, id});
    builder.apply(kArrayCopyRules, ArrayCopiesSubject{row, index.machine(row.device_id)}, info);
  }
}

// The calls on one line are one: those that copy the same bytes again, and apart from them the others.
std::vector<SiteUse> by_line(const std::vector<SiteUse>& uses, const CallStacks& stacks) {
  std::map<std::tuple<std::string, std::int64_t, bool>, std::size_t> places;
  std::vector<SiteUse> list;
  for (const SiteUse& use : uses) {
    const bool repeats = use.compared && use.compared == use.repeated;
    const CallSiteRow* frame = stacks.own_frame(use.call_site_id);
    const bool has_line = frame != nullptr && frame->file && frame->line;
    const auto [place, is_new] =
        places.emplace(std::tuple(has_line ? *frame->file : std::string(),
                                  has_line ? *frame->line : use.call_site_id, repeats),
                       list.size());
    if (is_new) {
      list.push_back(use);
      continue;
    }
    SiteUse& sum = list[place->second];
    base::add_to(sum.calls, use.calls);
    sum.bytes = base::sum_of(sum.bytes.value_or(0), use.bytes.value_or(0));
    base::add_to(sum.gpu_ns, use.gpu_ns);
    base::add_to(sum.estimated_ns, use.estimated_ns);
    base::add_to(sum.overwritten, use.overwritten);
    if (sum.overwritten_by == 0) sum.overwritten_by = use.overwritten_by;
    if (!use.compared) continue;
    sum.compared = base::sum_of(sum.compared.value_or(0), *use.compared);
    sum.repeated = base::sum_of(sum.repeated.value_or(0), use.repeated.value_or(0));
  }
  return list;
}

// XLA, and CuPy's asarray(), copy arrays of the host to pinned memory of their own before they go to the
// device.
bool is_staged(const TransferRow& row, const SiteUse& use, const CallStacks& stacks) {
  const auto frames = stacks.stack(use.call_site_id);
  if (frames.empty()) return false;
  const CallSiteRow& innermost = *frames.front();
  const bool by_cupy = host_memory(row) == model::MemoryKind::pinned && innermost.file &&
                       innermost.file->find("/cupy/") != std::string::npos;
  return by_cupy || innermost.function.starts_with("stream_executor::");
}

// Copies that need not be made are judged by no other rule: what remains of their class is.
void apply_transfer_rules(FindingsBuilder& builder, const ReportIndex& index, const TransferRow& row,
                          const CallStacks& stacks) {
  const Machine& machine = index.machine(row.device_id);
  SubjectInfo info{
      transfer_class_name(row), row.gpu_ns, {{SubjectKind::transfers, row.id}}, false, !row.through_host};
  TransferRow rest = row;
  rest.call_sites.clear();
  const std::vector<SiteUse> uses = by_line(row.call_sites, stacks);
  for (const SiteUse& use : uses) {
    SubjectInfo of_call = info;
    of_call.call_site_id = use.call_site_id;
    const auto by = index.kernels(std::vector{use.overwritten_by});
    if (!builder.apply(
            kUploadRules,
            UploadSubject{row, use, machine, is_staged(row, use, stacks), by.empty() ? nullptr : by.front()},
            of_call)) {
      rest.call_sites.push_back(use);
      continue;
    }
    const auto [copies, bytes] = copies_of(row, use);
    rest.transfers -= copies;
    rest.bytes -= bytes;
    if (rest.gpu_ns) *rest.gpu_ns -= use.estimated_ns;
  }
  if (rest.transfers <= 0 || rest.bytes <= 0 || rest.gpu_ns.value_or(1) <= 0) return;
  const bool less = rest.call_sites.size() < uses.size();
  info.gpu_ns = rest.gpu_ns;
  if (less && !rest.call_sites.empty()) info.call_site_id = rest.call_sites.front().call_site_id;
  builder.apply(kTransferRules, TransferSubject{rest, machine}, info);
}

// Inside of a library, where no call makes a difference, or of a tool.
bool is_closed(const KernelRow& row) {
  if (row.origin != Origin::library) return row.origin == Origin::tool;
  const CalledFor use = called_for(row);
  return use == CalledFor::any || use == CalledFor::softmax || use == CalledFor::log_softmax ||
         use == CalledFor::channel_norm;
}

}  // namespace

Judgement judge(const Report& report, const Machines& machines, const Thresholds& thresholds) {
  const ReportIndex index(report, machines);
  FindingsBuilder builder(static_cast<double>(run_ns(report.totals)), thresholds);
  const auto under_l2_windows = apply_l2_window_rules(builder, index, report.program);
  for (const auto& row : report.kernels) {
    const KernelSubject subject{row,
                                index.machine(row.device_id),
                                index.lines(row.id),
                                index.pointers(row.id),
                                index.device(row.device_id),
                                under_l2_windows.contains(row.id),
                                index.converts_layouts(row.process_id)};
    builder.apply(kKernelRules, subject,
                  {row.name, row.gpu_ns, {{SubjectKind::kernel, row.id}}, is_closed(row)}, subject.lines);
  }
  apply_chain_rules(builder, index, report.program);
  apply_read_again_rules(builder, index, report.program);
  apply_read_by_each_rules(builder, index, report.program);
  apply_handed_on_rules(builder, index, report.program);
  apply_fill_rules(builder, index, report);
  apply_gradient_rules(builder, index, report.program);
  apply_table_rules(builder, index, report.program);
  apply_autocast_rules(builder, index, report.program);
  apply_array_copy_rules(builder, index, report.program);
  const CallStacks stacks(report.call_sites);
  for (const auto& row : report.transfers) apply_transfer_rules(builder, index, row, stacks);
  apply_timeline_rules(builder, index, report);
  apply_allocation_rules(builder, report.program);
  apply_managed_rules(builder, index, report);
  return builder.finish(report);
}

}  // namespace coalescope::analysis
