#include "reports/analysis/rows/site_uses.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <unordered_map>

#include "core/base/whole.h"
#include "core/model/transfer.h"
#include "reports/analysis/rows/call_lines.h"
#include "reports/analysis/rows/call_stacks.h"

namespace coalescope::analysis {
namespace {

constexpr double kWaitsPerCopy = 0.9;

using TransferClass =
    std::tuple<std::int64_t, model::Direction, model::MemoryKind, model::MemoryKind, bool, std::int64_t>;

TransferClass class_of(const TransferRow& row) {
  return {row.device_id,          row.direction,    row.source_memory,
          row.destination_memory, row.asynchronous, model::size_class(row.largest_bytes)};
}
TransferClass class_of(const model::TransferSite& row) {
  return {row.device_id.value,    row.direction,    row.source_memory,
          row.destination_memory, row.asynchronous, row.size_class};
}

// Shares of each role's time, or of its calls where none has a time; and the row's time divided by them. Most
// time first.
void arrange(std::vector<SiteUse>& uses, std::int64_t row_ns) {
  std::map<model::SiteRole, SiteUse> sums;
  for (const SiteUse& use : uses) {
    sums[use.role].gpu_ns += use.gpu_ns;
    sums[use.role].calls += use.calls;
  }
  // Launches of the kernel itself and of graphs are parts of one row.
  const std::int64_t launched_ns =
      sums[model::SiteRole::launch].gpu_ns + sums[model::SiteRole::graph_launch].gpu_ns;
  for (SiteUse& use : uses) {
    const SiteUse& sum = sums[use.role];
    const std::int64_t whole = sum.gpu_ns > 0 ? sum.gpu_ns : sum.calls;
    if (whole <= 0) continue;
    use.share = static_cast<double>(sum.gpu_ns > 0 ? use.gpu_ns : use.calls) / static_cast<double>(whole);
    const bool part = use.role != model::SiteRole::graph_node && launched_ns > 0;
    const double of_row = part ? static_cast<double>(sum.gpu_ns) / static_cast<double>(launched_ns) : 1;
    use.estimated_ns =
        static_cast<std::int64_t>(std::llround(*use.share * of_row * static_cast<double>(row_ns)));
  }
  std::ranges::stable_sort(uses, std::greater{},
                           [](const SiteUse& use) { return std::pair(use.gpu_ns, use.calls); });
}

// The site that a row is shown with. Who put a kernel into a graph says more than who launched the graph.
std::optional<std::int64_t> foremost(const std::vector<SiteUse>& uses, const CallLines& lines) {
  const bool made = std::ranges::find(uses, model::SiteRole::graph_node, &SiteUse::role) != uses.end();
  std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>> sums;
  std::optional<std::int64_t> most;
  for (const SiteUse& use : uses) {
    if (made && use.role != model::SiteRole::graph_node) continue;
    auto& sum = sums[lines.of(use.call_site_id)];
    sum.first += use.gpu_ns;
    sum.second += use.calls;
  }
  for (const SiteUse& use : uses) {  // in their order: the first of equals
    const auto sum = sums.find(lines.of(use.call_site_id));
    if (sum != sums.end() && (!most || sum->second > sums.at(*most))) most = sum->first;
  }
  return most;
}

template <class Row>
void name_sites(std::vector<Row>& rows, const CallStacks& stacks, const CallLines& lines) {
  for (Row& row : rows) {
    const auto site = foremost(row.call_sites, lines);
    if (site && !stacks.stack(*site).empty()) row.call_site = stacks.text(*site);
  }
}

void take_kernels(Report& report, const SiteTables& tables) {
  std::unordered_map<std::int64_t, KernelRow*> kernels;
  for (KernelRow& row : report.kernels) kernels.emplace(row.id, &row);
  for (const auto& site : tables.launches) {
    const auto row = kernels.find(site.group_id.value);
    if (row == kernels.end()) continue;  // of a later run
    row->second->call_sites.push_back(
        {site.call_site_id.value, site.role, site.launches, std::nullopt, site.gpu_ns});
  }
  for (KernelRow& row : report.kernels) arrange(row.call_sites, row.gpu_ns.value_or(0));
}

// Copies that were only counted come from where the others of their class do.
void take_counted_copies(TransferRow& row) {
  if (row.timed_transfers == 0 || row.timed_transfers == row.transfers) return;
  const double times = real(row.transfers) / real(row.timed_transfers);
  for (SiteUse& use : row.call_sites) {
    use.calls = base::whole(real(use.calls) * times);
    use.bytes = base::whole(real(use.bytes) * times);
    use.gpu_ns = base::whole(real(use.gpu_ns) * times);
  }
}

void take_transfers(Report& report, const SiteTables& tables) {
  std::map<TransferClass, std::map<std::int64_t, SiteUse>> by_class;
  for (const auto& site : tables.transfers) {
    SiteUse& use = by_class[class_of(site)][site.call_site_id.value];
    use.call_site_id = site.call_site_id.value;
    use.calls += site.transfers;
    use.bytes = use.bytes.value_or(0) + site.bytes;
    use.gpu_ns += site.gpu_ns;
    if (!site.compared) continue;
    use.compared = use.compared.value_or(0) + *site.compared;
    use.repeated = use.repeated.value_or(0) + site.repeated.value_or(0);
  }
  for (TransferRow& row : report.transfers) {
    for (const auto& [id, use] : by_class[class_of(row)]) row.call_sites.push_back(use);
    take_counted_copies(row);
    arrange(row.call_sites, row.gpu_ns.value_or(0));
  }
}

// What calls have in common that one function of the author's makes: from where it was called; of an
// outermost function its name.
using CallingFunction = std::pair<std::string, std::int64_t>;

CallingFunction calling_function(std::int64_t site, const CallStacks& stacks) {
  const CallSiteRow* frame = stacks.own_frame(site);
  if (frame == nullptr) return {"", site};
  if (frame->caller_id) return {"called", *frame->caller_id};
  return {frame->function, 0};
}

// Where calls follow each other fast, only some have a stack. That part differs between copies and waits.
double calls_for_each_known(std::int64_t calls, std::int64_t known) {
  return std::max(1.0, real(calls) / std::max(1.0, real(known)));
}

struct Waits {
  double known = 0, all = 0;
};

std::map<CallingFunction, Waits> waits_by_caller(const Report& report, const SiteTables& tables,
                                                 const CallStacks& stacks) {
  std::map<model::SynchronizationKind, std::int64_t> known;
  for (const auto& site : tables.waits) base::add_to(known[site.kind], site.calls);
  std::map<CallingFunction, Waits> waits;
  for (const auto& site : tables.waits) {
    if (site.kind == model::SynchronizationKind::copy) continue;
    const auto all = std::ranges::find(report.program.waits, site.kind, &WaitRow::kind);
    const std::int64_t calls = all == report.program.waits.end() ? 0 : all->calls;
    Waits& of_caller = waits[calling_function(site.call_site_id.value, stacks)];
    of_caller.known += real(site.calls);
    of_caller.all += real(site.calls) * calls_for_each_known(calls, known[site.kind]);
  }
  return waits;
}

// Most results come to pinned memory by an asynchronous call, and the same function waits for them at once,
// as PyTorch's item() and nonzero() do.
void take_waited_for(Report& report, const SiteTables& tables, const CallStacks& stacks) {
  const auto waits = waits_by_caller(report, tables, stacks);
  for (TransferRow& row : report.transfers) {
    if (row.direction != model::Direction::device_to_host) continue;
    std::map<CallingFunction, double> copies;
    std::int64_t known = 0;
    for (const SiteUse& use : row.call_sites) {
      base::add_to(known, use.calls);
      copies[calling_function(use.call_site_id, stacks)] += real(use.calls);
    }
    const double for_each_known = calls_for_each_known(row.transfers, known);
    double waited = 0;
    for (const auto& [caller, number] : copies)
      if (const auto found = waits.find(caller); found != waits.end())
        waited += std::min(number, std::max(found->second.known, found->second.all / for_each_known));
    row.waited_apart = known > 0 && waited >= kWaitsPerCopy * real(known);
    row.waited_for = row.waited_for || row.waited_apart;
  }
}

void take_waits(Report& report, const SiteTables& tables) {
  for (WaitRow& row : report.program.waits) {
    for (const auto& site : tables.waits)
      if (site.kind == row.kind)
        row.call_sites.push_back(
            {site.call_site_id.value, model::SiteRole::launch, site.calls, std::nullopt, site.wait_ns});
    arrange(row.call_sites, row.wait_ns);
  }
}

}  // namespace

void take_call_sites(Report& report, const SiteTables& tables) {
  take_kernels(report, tables);
  take_transfers(report, tables);
  take_waits(report, tables);
  const CallStacks stacks(report.call_sites);
  take_waited_for(report, tables, stacks);
  const CallLines lines(report.call_sites);
  name_sites(report.kernels, stacks, lines);
  name_sites(report.transfers, stacks, lines);
  name_sites(report.program.waits, stacks, lines);
}

void add_up_call_sites(Report& report) {
  std::map<std::int64_t, SiteTimes> times;
  for (const KernelRow& row : report.kernels) {
    if (row.origin == Origin::tool) continue;
    // A kernel of a graph has two sites; its time counts for who launched the graph, as that call ran it.
    for (const SiteUse& use : row.call_sites)
      if (use.role != model::SiteRole::graph_node) times[use.call_site_id].kernel_ns += use.estimated_ns;
  }
  for (const TransferRow& row : report.transfers)
    for (const SiteUse& use : row.call_sites) times[use.call_site_id].transfer_ns += use.estimated_ns;
  for (const WaitRow& row : report.program.waits)
    for (const SiteUse& use : row.call_sites) times[use.call_site_id].wait_ns += use.estimated_ns;
  add_times(report.call_sites, times);
}

}  // namespace coalescope::analysis
