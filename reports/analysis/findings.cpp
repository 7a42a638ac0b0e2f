#include "reports/analysis/findings.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>

#include "core/base/units.h"
#include "core/base/whole.h"
#include "reports/analysis/access_shape.h"
#include "reports/analysis/merge_shapes.h"
#include "reports/analysis/process_names.h"
#include "reports/analysis/rule_table.h"

namespace coalescope::analysis {
namespace {

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

bool worth_reporting(const Finding& finding, const Shares& shares, const Thresholds& thresholds) {
  if (!finding.lost_ns || finding.level == Level::note)
    return !shares.subject_of_run || *shares.subject_of_run >= kLeastSubjectShare;
  if (!shares.lost_of_run && !shares.lost_of_subject) return true;
  return shares.lost_of_run.value_or(0) >= thresholds.share_of_run ||
         shares.lost_of_subject.value_or(0) >= thresholds.share_of_subject;
}

Level level_of(const Shares& shares) {
  return shares.lost_of_run.value_or(0) >= kSevereShareOfRun ||
                 shares.lost_of_subject.value_or(0) >= kSevereShareOfSubject
             ? Level::severe
             : Level::warning;
}

// What a finding says of its subject, whatever the rule.
struct Subject {
  std::string name;
  std::optional<std::int64_t> gpu_ns;
  SubjectRef row;
  bool in_run = true;  // false: the run's GPU time is without it, and no share of it means anything
};

class FindingsBuilder {
 public:
  FindingsBuilder(double run_ns, const Thresholds& thresholds) : run_ns_(run_ns), thresholds_(thresholds) {}

  // Whether a rule that left a finding explains what later kernels read again.
  template <class View>
  bool apply(std::span<const Rule<View>* const> rules, const View& view, const Subject& subject,
             std::span<const LineRow* const> lines = {}) {
    bool explains_rereads = false;
    for (const auto* rule : rules) {
      const Measure value = rule->measure(view);
      if (!value.value)
        note_unjudged(rule->about, value.why_not, subject);
      else if (*value.value >= rule->about.limit && add_finding(*rule, view, *value.value, subject, lines))
        explains_rereads = explains_rereads || rule->explains_rereads;
    }
    return explains_rereads;
  }

  Judgement finish(const Report& report) {
    rank();
    merge_shapes(judgement_.findings, report);
    for (Finding& finding : judgement_.findings)
      if (finding.kernel_ids.size() > 1 && finding.lost_ns)
        finding.level = level_of(shares_of(finding, run_ns_));
    rank();
    const auto catalogue = rule_catalogue();
    for (const RuleAbout* about : catalogue) {
      std::vector<NotJudged> of_rule;
      for (auto& [key, row] : unjudged_)
        if (key.first == about) of_rule.push_back(std::move(row));
      std::ranges::stable_sort(of_rule, std::greater{},
                               [](const NotJudged& row) { return row.gpu_ns.value_or(0); });
      for (auto& row : of_rule) judgement_.not_judged.push_back(std::move(row));
    }
    return std::move(judgement_);
  }

 private:
  void rank() {
    std::ranges::stable_sort(judgement_.findings, std::greater{}, [](const Finding& finding) {
      return std::tuple(finding.lost_ns.has_value(), finding.lost_ns.value_or(0),
                        finding.subject_ns.value_or(0));
    });
  }

  template <class View>
  bool add_finding(const Rule<View>& rule, const View& view, double value, const Subject& subject,
                   std::span<const LineRow* const> lines) {
    Cost cost = rule.cost(view);
    if (!cost.lost_ns && value < rule.about.unpriced_limit) return false;
    Finding finding;
    finding.rule = rule.about.id;
    finding.title = rule.about.title;
    finding.subject = subject.name;
    finding.subject_ns = cost.of_ns ? cost.of_ns : subject.gpu_ns;
    finding.subjects = {subject.row};
    if (subject.row.kind == SubjectKind::kernel) finding.kernel_id = subject.row.row;
    finding.lost_ns = cost.lost_ns;
    finding.basis = std::move(cost.basis);
    const Shares shares = subject.in_run ? shares_of(finding, run_ns_) : Shares{};
    finding.lost_share = shares.lost_of_run;
    finding.level = rule.about.note && !finding.lost_ns ? Level::note : level_of(shares);
    if (!worth_reporting(finding, shares, thresholds_)) return false;
    finding.evidence = rule.evidence(view);
    finding.advice = rule.advice(view);
    if (rule.blame != nullptr) name_line(finding, rule.blame, lines);
    judgement_.findings.push_back(std::move(finding));
    return true;
  }

  // The line that is to blame for most; of equals the first, which has most surplus sectors. CUPTI names the
  // header of an inlined function and not its caller: no line is better than that one.
  static void name_line(Finding& finding, std::optional<double> (*blame)(const LineRow&),
                        std::span<const LineRow* const> lines) {
    const LineRow* worst = nullptr;
    double most = -1;
    for (const LineRow* line : lines) {
      const auto part = blame(*line);
      if (!part || *part <= most || in_toolkit(*line)) continue;
      worst = line;
      most = *part;
    }
    if (worst == nullptr) return;
    finding.file = worst->file;
    finding.line = worst->line;
  }

  void note_unjudged(const RuleAbout& about, const std::string& why, const Subject& subject) {
    auto& row = unjudged_[{&about, why}];
    if (row.subjects == 0) {
      row.rule = about.id;
      row.title = about.title;
      row.why = why;
      row.subject = subject.name;  // subjects come with most GPU time first
    }
    ++row.subjects;
    if (subject.gpu_ns) row.gpu_ns = base::sum_of(row.gpu_ns.value_or(0), *subject.gpu_ns);
  }

  double run_ns_;
  Thresholds thresholds_;
  Judgement judgement_;
  std::map<std::pair<const RuleAbout*, std::string>, NotJudged> unjudged_;
};

template <class Row>
std::unordered_map<std::int64_t, std::vector<const Row*>> by_kernel(const std::vector<Row>& rows) {
  std::unordered_map<std::int64_t, std::vector<const Row*>> map;
  for (const auto& row : rows) map[row.kernel_id].push_back(&row);
  return map;
}

// Rows, machines and devices of a report by the ids that its subjects carry.
class ReportIndex {
 public:
  ReportIndex(const Report& report, const Machines& machines)
      : machines_(machines), lines_(by_kernel(report.lines)), pointers_(by_kernel(report.program.pointers)) {
    for (const auto& device : report.devices) devices_[device.properties.id.value] = &device.properties;
    for (const auto& kernel : report.kernels) kernels_[kernel.id] = &kernel;
  }

  [[nodiscard]] const Machine& machine(std::int64_t device_id) const {
    static const Machine kUnknown;
    const auto found = machines_.find(device_id);
    return found == machines_.end() ? kUnknown : found->second;
  }
  [[nodiscard]] const model::Device* device(std::int64_t device_id) const {
    const auto found = devices_.find(device_id);
    return found == devices_.end() ? nullptr : found->second;
  }
  [[nodiscard]] std::span<const LineRow* const> lines(std::int64_t kernel_id) const {
    return of(lines_, kernel_id);
  }
  [[nodiscard]] std::span<const PointerRow* const> pointers(std::int64_t kernel_id) const {
    return of(pointers_, kernel_id);
  }
  [[nodiscard]] std::vector<KernelUse> uses(const std::vector<KernelPart>& parts) const {
    std::vector<KernelUse> list;
    for (const KernelPart& part : parts)
      if (const auto found = kernels_.find(part.kernel_id); found != kernels_.end())
        list.push_back({found->second, part.share});
    return list;
  }

 private:
  template <class Row>
  static std::span<const Row* const> of(const std::unordered_map<std::int64_t, std::vector<const Row*>>& rows,
                                        std::int64_t kernel_id) {
    const auto found = rows.find(kernel_id);
    return found == rows.end() ? std::span<const Row* const>{} : found->second;
  }

  const Machines& machines_;
  std::unordered_map<std::int64_t, std::vector<const LineRow*>> lines_;
  std::unordered_map<std::int64_t, std::vector<const PointerRow*>> pointers_;
  std::unordered_map<std::int64_t, const model::Device*> devices_;
  std::unordered_map<std::int64_t, const KernelRow*> kernels_;
};

std::string window_name(const WindowRow& row) {
  const std::string bytes = base::format_bytes(static_cast<double>(row.window.bytes));
  if (row.window.stream) return fmt::format("L2 window of {} on stream {}", bytes, *row.window.stream);
  return fmt::format("L2 window of {} on a {}", bytes,
                     row.window.target == model::WindowTarget::graph_node ? "graph node" : "launch");
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
  std::int64_t allocations = 0;
  std::int64_t first = 0;  // its place in the rows
};
std::vector<ManagedPlace> by_place(const std::vector<AllocationRow>& rows) {
  std::map<std::pair<std::optional<std::int64_t>, std::optional<std::string>>, std::size_t> places;
  std::vector<ManagedPlace> list;
  for (const auto& row : rows) {
    const auto [place, fresh] = places.emplace(std::pair(row.device_id, row.place), list.size());
    if (fresh) list.push_back({row, 0, &row - rows.data()});
    ManagedPlace& at = list[place->second];
    ++at.allocations;
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
  for (const auto* rule : managed_rules()) {
    const std::span<const Rule<ManagedSubject>* const> one(&rule, 1);
    if (rule->sums_places)
      for (const auto& [sum, allocations, first] : by_place(report.program.migrations))
        builder.apply(one, ManagedSubject{sum, machine(sum), kernel_ns},
                      {managed_name(sum, allocations), std::nullopt, {SubjectKind::allocation, first}});
    else
      for (std::int64_t place = 0; const auto& row : report.program.migrations)
        builder.apply(one, ManagedSubject{row, machine(row)},
                      {managed_name(row), std::nullopt, {SubjectKind::allocation, place++}});
  }
}

std::string timeline_name(const TimelineRow& row, const NamesOfProcesses& names) {
  const auto name = names.find(row.process_id);
  return names.size() < 2 || name == names.end() ? "copies and kernels"
                                                 : "copies and kernels of " + name->second;
}

// Windows come before kernels: what these read again because of a window is said once. Returns them.
std::set<std::int64_t> apply_window_rules(FindingsBuilder& builder, const ReportIndex& index,
                                          const Program& program) {
  std::set<std::int64_t> kernels;
  for (std::int64_t place = 0; const auto& row : program.windows) {
    const std::int64_t device_id = row.device_id.value_or(0);
    const auto users = index.uses(row.users), later = index.uses(row.later),
               together = index.uses(row.together);
    const WindowSubject subject{row,     index.machine(device_id), index.device(device_id), users, later,
                                together};
    const bool explained = builder.apply(window_rules(), subject,
                                         {window_name(row), row.gpu_ns, {SubjectKind::window, place++}});
    for (const KernelPart& part : row.users) kernels.insert(part.kernel_id);
    if (!explained) continue;
    const auto* device = index.device(device_id);
    const std::int64_t l2_bytes = device ? device->l2_bytes.value_or(0) : 0;
    for (const KernelUse& use : later)
      if (use.kernel->footprint_bytes.value_or(0) <= l2_bytes) kernels.insert(use.kernel->id);
  }
  return kernels;
}

}  // namespace

Judgement judge(const Report& report, const Machines& machines, const Thresholds& thresholds) {
  const ReportIndex index(report, machines);
  FindingsBuilder builder(static_cast<double>(report.totals.kernel_ns + report.totals.transfer_ns),
                          thresholds);
  const auto under_windows = apply_window_rules(builder, index, report.program);
  for (const auto& row : report.kernels) {
    const KernelSubject subject{row,
                                index.machine(row.device_id),
                                index.lines(row.id),
                                index.pointers(row.id),
                                index.device(row.device_id),
                                under_windows.contains(row.id)};
    builder.apply(kernel_rules(), subject, {row.name, row.gpu_ns, {SubjectKind::kernel, row.id}},
                  subject.lines);
  }
  for (const auto& row : report.transfers)
    builder.apply(
        transfer_rules(), TransferSubject{row, index.machine(row.device_id)},
        {transfer_class_name(row), row.gpu_ns, {SubjectKind::transfers, row.id}, !row.through_host});
  const auto names = names_of_processes(report.processes);
  for (std::int64_t place = 0; const auto& row : report.program.timelines)
    builder.apply(timeline_rules(),
                  TimelineSubject{row, index.machine(row.device_id), index.device(row.device_id)},
                  {timeline_name(row, names), row.busy_ns, {SubjectKind::timeline, place++}});
  apply_managed_rules(builder, index, report);
  return builder.finish(report);
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
  if (row.direction == model::Direction::peer_to_peer)
    return fmt::format("device to another device{}, {}", row.through_host ? " through the host" : "", bytes);
  return fmt::format("{} to {}, {}", place(row.source_memory), place(row.destination_memory), bytes);
}

}  // namespace coalescope::analysis
