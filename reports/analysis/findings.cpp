#include "reports/analysis/findings.h"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

#include "core/base/units.h"
#include "reports/analysis/rule_table.h"

namespace coalescope::analysis {
namespace {

double run_ns(const Report& report) {
  return static_cast<double>(report.totals.kernel_ns + report.totals.transfer_ns);
}

std::optional<double> share(std::optional<std::int64_t> part, double whole) {
  if (!part || whole <= 0) return std::nullopt;
  return static_cast<double>(*part) / whole;
}

struct Shares {
  std::optional<double> lost_of_run, lost_of_subject, subject_of_run;
};

Shares shares_of(const Finding& finding, double run) {
  return {share(finding.lost_ns, run),
          share(finding.lost_ns, static_cast<double>(finding.subject_ns.value_or(0))),
          share(finding.subject_ns, run)};
}

bool worth_reporting(const Finding& finding, const Shares& shares) {
  if (!finding.lost_ns || finding.level == Level::note)
    return !shares.subject_of_run || *shares.subject_of_run >= kLeastSubjectShare;
  return shares.lost_of_run.value_or(0) >= kLeastShareOfRun ||
         shares.lost_of_subject.value_or(0) >= kLeastShareOfSubject;
}

Level level_of(const Shares& shares) {
  return shares.lost_of_run.value_or(0) >= kSevereShareOfRun ||
                 shares.lost_of_subject.value_or(0) >= kSevereShareOfSubject
             ? Level::severe
             : Level::warning;
}

// What all subjects have in common; std::nullopt where the rule is silent.
template <class Row>
std::optional<Finding> judge(const Rule<Row>& rule, const Row& row, const Machine& machine,
                             std::string subject, std::optional<std::int64_t> subject_ns, double run) {
  const auto value = rule.measure(row, machine);
  if (!value || *value < rule.limit) return std::nullopt;
  Cost cost = rule.cost(row, machine);
  if (!cost.lost_ns && *value < rule.unpriced_limit) return std::nullopt;

  Finding finding;
  finding.rule = rule.id;
  finding.title = rule.title;
  finding.subject = std::move(subject);
  finding.subject_ns = subject_ns;
  finding.lost_ns = cost.lost_ns;
  finding.basis = std::move(cost.basis);
  const Shares shares = shares_of(finding, run);
  finding.lost_share = shares.lost_of_run;
  finding.level = rule.note ? Level::note : level_of(shares);
  if (!worth_reporting(finding, shares)) return std::nullopt;
  finding.evidence = rule.evidence(row);
  finding.advice = rule.advice(row);
  return finding;
}

// `lines` has the worst first, so the first that the rule concerns is the one to name.
using LinesByKernel = std::unordered_map<std::int64_t, std::vector<const LineRow*>>;

void name_line(Finding& finding, const Rule<KernelRow>& rule, const LinesByKernel& lines) {
  const auto own = lines.find(*finding.kernel_id);
  if (!rule.concerns || own == lines.end()) return;
  const auto line =
      std::ranges::find_if(own->second, [&](const LineRow* row) { return rule.concerns(*row); });
  if (line == own->second.end()) return;
  finding.file = (*line)->file;
  finding.line = (*line)->line;
}

const Machine& machine_for(const Machines& machines, std::int64_t device_id) {
  static const Machine kUnknown;
  const auto machine = machines.find(device_id);
  return machine == machines.end() ? kUnknown : machine->second;
}

}  // namespace

std::vector<Finding> findings_of(const Report& report, const Machines& machines) {
  const double run = run_ns(report);
  LinesByKernel lines;
  for (const auto& line : report.lines) lines[line.kernel_id].push_back(&line);

  std::vector<Finding> findings;
  for (const auto& row : report.kernels)
    for (const auto* rule : kernel_rules()) {
      auto finding = judge(*rule, row, machine_for(machines, row.device_id), row.name, row.gpu_ns, run);
      if (!finding) continue;
      finding->kernel_id = row.id;
      name_line(*finding, *rule, lines);
      findings.push_back(std::move(*finding));
    }
  for (const auto& row : report.transfers)
    for (const auto* rule : transfer_rules())
      if (auto finding = judge(*rule, row, machine_for(machines, row.device_id), transfer_class_name(row),
                               row.gpu_ns, run))
        findings.push_back(std::move(*finding));

  std::ranges::stable_sort(findings, std::greater{}, [](const Finding& finding) {
    return std::tuple(finding.lost_ns.has_value(), finding.lost_ns.value_or(0),
                      finding.subject_ns.value_or(0));
  });
  return findings;
}

std::string transfer_class_name(const TransferRow& row) {
  const auto size = row.smallest_bytes == row.largest_bytes ? "" : "up to ";
  const std::string bytes = size + base::format_bytes(static_cast<double>(row.largest_bytes));
  const auto place = [](model::MemoryKind kind) {
    switch (kind) {
      case model::MemoryKind::pageable:
        return std::string("pageable host");
      case model::MemoryKind::pinned:
        return std::string("pinned host");
      case model::MemoryKind::unknown:
        return std::string("unknown memory");
      default:
        return std::string(name_of(kind));
    }
  };
  if (row.direction == model::Direction::set)
    return fmt::format("memory set, {}, {}", place(row.destination_memory), bytes);
  return fmt::format("{} to {}, {}", place(row.source_memory), place(row.destination_memory), bytes);
}

}  // namespace coalescope::analysis
