#include "reports/analysis/judge/call_blame.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/base/whole.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/judge/report_index.h"
#include "reports/analysis/rows/call_lines.h"
#include "reports/analysis/rows/call_stacks.h"
#include "reports/analysis/rows/transfer_rows.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

constexpr double kAlmostAll = 0.9;

using Costs = std::map<std::int64_t, std::int64_t>;  // of each line, by its first site: GPU time, or calls

// Where a kernel runs in graphs, who put it there; else who launched it.
void add_costs(const std::vector<SiteUse>& uses, const CallLines& lines, Costs& costs) {
  const bool in_graph = std::ranges::find(uses, model::SiteRole::graph_node, &SiteUse::role) != uses.end();
  for (const SiteUse& use : uses)
    if (!in_graph || use.role == model::SiteRole::graph_node) costs[lines.of(use.call_site_id)] += use.gpu_ns;
}

// Of kernels that are at fault together: the calls on the author's lines that call most of them. Each may be
// called elsewhere, too.
Costs costs_of_all(const std::vector<std::int64_t>& ids,
                   const std::map<std::int64_t, const KernelRow*>& kernels, const CallStacks& stacks,
                   const CallLines& lines) {
  const auto line_of = [&](std::int64_t site) {
    const CallSiteRow& frame = *stacks.own_frame(site);
    return std::pair(frame.file.value_or(""), frame.line.value_or(0));
  };
  std::map<std::pair<std::string, std::int64_t>, std::set<std::int64_t>> called;  // kernels, by line
  Costs sums;
  for (const std::int64_t id : ids) {
    const auto kernel = kernels.find(id);
    if (kernel == kernels.end()) continue;
    Costs costs;
    add_costs(kernel->second->call_sites, lines, costs);
    for (const auto& [site, ns] : costs) {
      if (stacks.own_frame(site) == nullptr) continue;
      called[line_of(site)].insert(id);
      base::add_to(sums[site], ns);
    }
  }
  std::size_t most = 0;
  for (const auto& [line, of_line] : called) most = std::max(most, of_line.size());
  std::erase_if(sums, [&](const auto& sum) { return called[line_of(sum.first)].size() < most; });
  return sums;
}

// The copies between host and device of each device: those that their callers wait for by their calls, and
// all by their time.
struct CopyCosts {
  Costs waited_for, all;
};
std::map<std::int64_t, CopyCosts> costs_of_copies(const Report& report, const CallLines& lines) {
  std::map<std::int64_t, CopyCosts> of_device;
  for (const TransferRow& row : report.transfers) {
    if (!host_memory(row)) continue;
    CopyCosts& costs = of_device[row.device_id];
    for (const SiteUse& use : row.call_sites) {
      const std::int64_t line = lines.of(use.call_site_id);
      costs.all[line] += use.gpu_ns;
      if (row.waited_for) costs.waited_for[line] += use.calls;
    }
  }
  return of_device;
}

// A line of the author's, whoever called it: what was called below it, and one of its frames.
struct OwnLine {
  std::int64_t gpu_ns = 0, site = 0;
  std::size_t depth = 0;
};
using OwnLines = std::map<std::pair<std::string, std::int64_t>, OwnLine>;  // by file and line

void add_use(OwnLines& lines, const SiteUse& use, const std::vector<const CallSiteRow*>& stack) {
  std::set<const OwnLine*> seen;  // a function that calls itself
  for (std::size_t i = 0; i < stack.size(); ++i) {
    const CallSiteRow& frame = *stack[i];
    if (!frame.own || !frame.file || !frame.line) continue;
    OwnLine& line = lines[{*frame.file, *frame.line}];
    if (!seen.insert(&line).second) continue;
    base::add_to(line.gpu_ns, use.gpu_ns);
    line.site = frame.id;
    line.depth = std::max(line.depth, stack.size() - i);
  }
}

// The innermost line below which nearly all of these calls were made. Gradients are computed where the
// forward calls decide. nullopt: no line has so many of them.
std::optional<std::int64_t> common_caller(const std::vector<const KernelRow*>& kernels,
                                          const CallStacks& stacks) {
  OwnLines lines;
  double all = 0;
  for (const KernelRow* kernel : kernels)
    for (const SiteUse& use : kernel->call_sites) {
      if (stacks.computes_gradients(use.call_site_id)) continue;
      all += real(use.gpu_ns);
      add_use(lines, use, stacks.stack(use.call_site_id));
    }
  if (all <= 0) return std::nullopt;
  const OwnLine* innermost = nullptr;
  for (const auto& [place, line] : lines)
    if (real(line.gpu_ns) >= kAlmostAll * all && (innermost == nullptr || line.depth > innermost->depth))
      innermost = &line;
  return innermost == nullptr ? std::nullopt : std::optional(innermost->site);
}

// By the rule: the line at which the one repair of its findings is due.
std::map<std::string, std::int64_t> places_of_one_repair(
    const std::vector<Finding>& findings, const std::map<std::int64_t, const KernelRow*>& kernels,
    const CallStacks& stacks) {
  std::map<std::string, std::vector<const KernelRow*>> of_rule;
  for (const Finding& finding : findings) {
    if (!about_rule(finding).has_one_repair) continue;
    for (const SubjectRef& subject : finding.subjects)
      if (const auto kernel = kernels.find(subject.row);
          subject.kind == SubjectKind::kernel && kernel != kernels.end())
        of_rule[finding.rule].push_back(kernel->second);
  }
  std::map<std::string, std::int64_t> places;
  for (const auto& [rule, rows] : of_rule)
    if (const auto site = common_caller(rows, stacks)) places.emplace(rule, *site);
  return places;
}

// What a finding's line is looked for in.
struct Calls {
  explicit Calls(const Report& of)
      : report(of), stacks(of.call_sites), lines(of.call_sites), copies(costs_of_copies(of, lines)) {
    for (const auto& row : of.kernels) kernels.emplace(row.id, &row);
    for (const auto& row : of.transfers) transfers.emplace(row.id, &row);
  }

  const Report& report;
  CallStacks stacks;
  CallLines lines;
  std::map<std::int64_t, CopyCosts> copies;  // by device
  std::map<std::int64_t, const KernelRow*> kernels;
  std::map<std::int64_t, const TransferRow*> transfers;
};

// A function of the author's: how often something was launched below it, and below each of its lines.
struct OwnFunction {
  std::int64_t calls = 0;
  std::size_t depth = 0;
  Costs lines;  // by a frame at the line
};
using OwnFunctions = std::map<std::pair<std::string, std::string>, OwnFunction>;  // by file and name

void add_launches(OwnFunctions& functions, std::int64_t calls, const std::vector<const CallSiteRow*>& stack,
                  const CallLines& lines) {
  std::set<const OwnFunction*> seen;  // a function that calls itself
  for (std::size_t i = 0; i < stack.size(); ++i) {
    const CallSiteRow& frame = *stack[i];
    if (!frame.own || !frame.file || !frame.line) continue;
    OwnFunction& function = functions[{*frame.file, frame.function}];
    if (!seen.insert(&function).second) continue;
    base::add_to(function.calls, calls);
    base::add_to(function.lines[lines.of(frame.id)], calls);
    function.depth = std::max(function.depth, stack.size() - i);
  }
}

// Of the innermost function below which nearly all launches are made the lines; if there is none, all lines.
Costs costs_of_launches(const Calls& calls) {
  OwnFunctions functions;
  Costs costs;
  double all = 0;
  for (const KernelRow& kernel : calls.report.kernels)
    for (const SiteUse& use : kernel.call_sites) {
      costs[calls.lines.of(use.call_site_id)] += use.calls;
      all += real(use.calls);
      add_launches(functions, use.calls, calls.stacks.stack(use.call_site_id), calls.lines);
    }
  const OwnFunction* innermost = nullptr;
  for (const auto& [name, function] : functions)
    if (real(function.calls) >= kAlmostAll * all &&
        (innermost == nullptr || function.depth > innermost->depth))
      innermost = &function;
  return innermost == nullptr ? costs : innermost->lines;
}

Costs costs_of_plain_waits(const TimelineRow& timeline, Calls& calls) {
  Costs costs;
  for (const auto& [site, waits] : timeline.plain_wait_sites) costs[calls.lines.of(site)] += waits;
  return costs;
}

Costs costs_of_calls(const Finding& finding, Calls& calls) {
  if (finding.call_site_id) return {{calls.lines.of(*finding.call_site_id), 1}};
  if (!finding.kernel_id && !finding.kernel_ids.empty())
    return costs_of_all(finding.kernel_ids, calls.kernels, calls.stacks, calls.lines);
  Costs costs;
  for (const SubjectRef& subject : finding.subjects) {
    const auto kernel = calls.kernels.find(subject.row);
    const auto transfer = calls.transfers.find(subject.row);
    if (subject.kind == SubjectKind::kernel && kernel != calls.kernels.end())
      add_costs(kernel->second->call_sites, calls.lines, costs);
    if (subject.kind == SubjectKind::transfers && transfer != calls.transfers.end())
      add_costs(transfer->second->call_sites, calls.lines, costs);
    if (subject.kind != SubjectKind::timeline) continue;
    if (about_rule(finding).of_launches) return costs_of_launches(calls);
    const auto& timeline = calls.report.program.timelines[static_cast<std::size_t>(subject.row)];
    if (about_rule(finding).of_plain_waits) return costs_of_plain_waits(timeline, calls);
    const CopyCosts& copies = calls.copies[timeline.device_id];
    costs = about_rule(finding).of_waits ? copies.waited_for : copies.all;
  }
  return costs;
}

}  // namespace

void name_calls(std::vector<Finding>& findings, const Report& report) {
  if (report.call_sites.empty()) return;
  Calls calls(report);
  const auto of_one_repair = places_of_one_repair(findings, calls.kernels, calls.stacks);
  for (Finding& finding : findings) {
    if (const auto place = of_one_repair.find(finding.rule); place != of_one_repair.end())
      finding.call_site_id = place->second;
    const Costs costs = costs_of_calls(finding, calls);
    if (costs.empty()) continue;
    const auto site = std::ranges::max_element(costs, {}, &Costs::value_type::second)->first;
    const CallSiteRow* const frame = calls.stacks.own_frame(site);
    if (frame == nullptr) continue;
    finding.call_site_id = site;
    finding.call_site = calls.stacks.text(site);
    finding.call_file = frame->file;
    finding.call_line = frame->line;
  }
}

}  // namespace coalescope::analysis
