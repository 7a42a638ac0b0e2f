#include "reports/analysis/view/measure_more.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "reports/analysis/view/summary.h"

namespace coalescope::analysis {
namespace {

using model::CoverageReason;

struct Remedy {
  CoverageReason reason;
  std::string_view option;
};
// Reasons that are not here have no option that would help.
constexpr std::array kRemedies{Remedy{CoverageReason::too_few_launches, "--rerun"},
                               Remedy{CoverageReason::budget_spent, "--budget none"},
                               Remedy{CoverageReason::size_measured, "--budget none"},
                               Remedy{CoverageReason::phase_off, "--only lines,counters"},
                               Remedy{CoverageReason::timed_by_program, "--timed measure"},
                               Remedy{CoverageReason::only_counted, "--trace all"}};

// A regular expression that its name matches: the function's name without what stands behind it.
std::string expression_for(const KernelRow& row) {
  const auto stop =
      std::ranges::find_if(row.name, [](unsigned char c) { return std::isalnum(c) == 0 && c != '_'; });
  return {row.name.begin(), stop};
}

}  // namespace

std::optional<std::string> measure_more(const Report& report, std::span<const KernelRow* const> kernels,
                                        bool only_them) {
  std::set<std::string_view> options;
  std::set<std::string> names;
  for (const KernelRow* row : kernels)
    for (const Unmeasured& missing : row->unmeasured) {
      const auto* remedy = std::ranges::find(kRemedies, missing.reason, &Remedy::reason);
      if (remedy == kRemedies.end()) continue;
      options.insert(remedy->option);
      names.insert(expression_for(*row));
    }
  if (options.empty()) return std::nullopt;
  std::string command = "coalescope record";
  for (const auto option : options) command.append(" ").append(option);
  if (only_them && names.size() == 1 && !names.begin()->empty()) command += " -k " + *names.begin();
  const std::string program = command_text(report);
  return command + " -- " + (program.empty() ? "PROGRAM" : program);
}

}  // namespace coalescope::analysis
