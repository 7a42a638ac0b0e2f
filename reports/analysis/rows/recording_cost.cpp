#include "reports/analysis/rows/recording_cost.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "core/base/units.h"
#include "core/base/whole.h"
#include "core/model/options.h"
#include "core/model/setting_values.h"
#include "reports/analysis/rows/kernel_families.h"
#include "reports/analysis/rows/unmeasured.h"

namespace coalescope::analysis {
namespace {

using model::CoverageReason;
using model::Phase;

constexpr double kLittleTime = 0.01;  // of the kernels' time
// That CUPTI takes of a launch whose kernel has a record (docs/decisions/012).
constexpr std::int64_t kCuptiLaunchNs = 1'200;

struct RecordingCost {
  std::int64_t cost_ns = 0;
  std::optional<std::int64_t> measuring_ns;  // of these; the rest goes to launches that were not measured
  std::int64_t process_ns = 0;               // since cuInit
  std::int64_t run_ns = 0;                   // since the recording began
  [[nodiscard]] double share() const {
    return static_cast<double>(cost_ns) / static_cast<double>(process_ns);
  }
};

// Of the process that it held up most.
std::optional<RecordingCost> greatest(const Report& report) {
  std::optional<RecordingCost> most;
  for (const auto& process : report.processes) {
    if (!process.recorder_cost_ns || !process.ended_ns || *process.ended_ns <= process.began_ns) continue;
    const RecordingCost cost{*process.recorder_cost_ns, process.measuring_cost_ns,
                             *process.ended_ns - process.began_ns, *process.ended_ns};
    if (cost.cost_ns >= 0 && (!most || cost.share() > most->share())) most = cost;
  }
  return most;
}

std::string budget_of(const std::string& options) {
  constexpr const char* kDefault = "auto";
  const auto json = nlohmann::json::parse(options, nullptr, false);
  if (!json.is_object()) return kDefault;
  const auto found = json.find(model::option::kBudget);
  return found != json.end() && found->is_string() ? found->get<std::string>() : kDefault;
}

// ": measuring 356 ms (1.19 s allowed), tracing 56.0 ms"; older captures do not tell them apart.
std::string parts_of(const RecordingCost& cost, std::optional<std::int64_t> allowed_ns) {
  if (!cost.measuring_ns) return "";
  return fmt::format(": measuring {} ({}), tracing {}", base::format_ns(*cost.measuring_ns),
                     allowed_ns ? base::format_ns(*allowed_ns) + " allowed" : "no limit",
                     base::format_ns(std::max<std::int64_t>(0, cost.cost_ns - *cost.measuring_ns)));
}

// "source lines of 2 kernels, L2 hits of 5 kernels": in some of their shapes. "kernels that take 0.2 % ..."
// where that is all.
std::string given_up(const Report& report) {
  std::map<Phase, std::set<FamilyKey>> kernels;
  std::int64_t gpu_ns = 0;
  for (const auto& row : report.kernels) {
    if (row.origin == Origin::tool) continue;  // nobody asked for its counts
    bool any = false;
    for (const auto& missing : row.unmeasured)
      if (missing.reason == CoverageReason::budget_spent) {
        kernels[missing.phase].insert(family_key(row));
        any = true;
      }
    if (any) base::add_to(gpu_ns, row.gpu_ns.value_or(0));
  }
  const double share =
      static_cast<double>(gpu_ns) / std::max(1.0, static_cast<double>(own_kernel_ns(report.totals)));
  if (gpu_ns > 0 && share < kLittleTime)
    return fmt::format("kernels that take {} of the kernels' time", base::format_share(share));
  std::string text;
  for (const auto& [phase, of_phase] : kernels)
    text +=
        fmt::format("{}{} of {} {}", text.empty() ? "" : ", ", subject_of(phase),
                    base::format_count(std::ssize(of_phase)), of_phase.size() == 1 ? "kernel" : "kernels");
  return text;
}

}  // namespace

std::optional<std::int64_t> allowed_cost_ns(const std::string& options, std::int64_t run_ns) {
  const auto budget = model::read_budget(budget_of(options));
  if (!budget || !budget->limit) return std::nullopt;
  return budget->limit->allowed_for_first_ns(run_ns);
}

std::int64_t all_launches(std::span<const KernelRow> kernels) {
  std::int64_t launches = 0;
  for (const KernelRow& row : kernels) base::add_to(launches, row.launches);
  return launches;
}

std::int64_t recorded_launch_ns(std::span<const model::Process> processes,
                                std::span<const KernelRow> kernels) {
  std::int64_t tracing_ns = 0;
  for (const model::Process& process : processes)
    if (process.recorder_cost_ns && process.measuring_cost_ns)
      base::add_to(tracing_ns,
                   std::max<std::int64_t>(0, *process.recorder_cost_ns - *process.measuring_cost_ns));
  return tracing_ns / std::max<std::int64_t>(1, all_launches(kernels)) + kCuptiLaunchNs;
}

std::optional<std::string> recording_cost(const Report& report) {
  const auto cost = greatest(report);
  if (!cost) return std::nullopt;
  const auto allowed_ns = allowed_cost_ns(report.capture.options, cost->run_ns);
  const std::string text =
      fmt::format("Recording took {} of {} after cuInit{} ({}){}.", base::format_ns(cost->cost_ns),
                  base::format_ns(cost->process_ns),
                  report.processes.size() > 1 ? " in the process that it slowed most" : "",
                  base::format_share(cost->share()), parts_of(*cost, allowed_ns));
  const std::string left_out = given_up(report);
  if (!allowed_ns) return text;
  if (left_out.empty()) return text + " Nothing was left out to save time.";
  return text + fmt::format(" With more time it would also have measured: {}.", left_out);
}

}  // namespace coalescope::analysis
