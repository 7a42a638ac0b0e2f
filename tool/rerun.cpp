#include "tool/rerun.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

#include "core/model/diagnostic_kinds.h"
#include "core/model/enums.h"
#include "core/model/options.h"
#include "core/model/phases.h"
#include "core/model/setting_values.h"
#include "tool/collect.h"

namespace coalescope::tool {

namespace {

namespace option = model::option;

constexpr std::string_view kTrace = "trace";
constexpr std::string_view kNoBudget = "none";

std::optional<std::string> value_in(const std::vector<std::string>& environment, std::string_view name) {
  for (const std::string& entry : environment)
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=')
      return entry.substr(name.size() + 1);
  return std::nullopt;
}

std::string text_of(const Ending& ending) {
  if (ending.signal) return fmt::format("by signal {}", *ending.signal);
  return fmt::format("with exit status {}", ending.exit_status.value_or(0));
}

bool same_end(const Ending& a, const Ending& b) {
  return a.exit_status == b.exit_status && a.signal == b.signal;
}

}  // namespace

std::vector<Run> plan_runs(const std::vector<std::string>& environment) {
  std::vector<Run> runs{{std::string(kTrace), {{option::kPhases, std::string(kTrace)}}}};
  const auto list = value_in(environment, option::kPhases);
  const auto asked = list ? model::read_phases(*list) : std::nullopt;
  const bool has_budget = value_in(environment, option::kBudget).has_value();
  for (const model::WayOfMeasuring& way : model::kWaysOfMeasuring) {
    if (!way.in_turn) continue;
    if (asked && !(*asked)[static_cast<std::size_t>(way.phase)]) continue;
    const std::string name(model::name_of(way.phase));
    Run run{name, {{option::kPhases, name}}};
    if (!has_budget) run.settings[option::kBudget] = kNoBudget;
    runs.push_back(std::move(run));
  }
  return runs;
}

base::Result<RepeatedInput> RepeatedInput::of_stdin() {
  struct stat status {};
  if (::fstat(STDIN_FILENO, &status) != 0 || S_ISCHR(status.st_mode)) return RepeatedInput(-1);
  const off_t start = S_ISREG(status.st_mode) ? ::lseek(STDIN_FILENO, 0, SEEK_CUR) : -1;
  if (start < 0)
    return base::failure(
        base::ErrorCode::usage, "cannot run the program again: its input can be read only once",
        "give the input as a file, as in 'coalescope record --rerun PROGRAM <FILE', or none, with "
        "</dev/null");
  return RepeatedInput(start);
}

void RepeatedInput::rewind() const {
  if (start_ >= 0) ::lseek(STDIN_FILENO, start_, SEEK_SET);
}

Ending ending_of(const std::vector<Ended>& runs) {
  const auto failed =
      std::find_if(runs.begin(), runs.end(), [](const Ended& run) { return run.ending.exit_status != 0; });
  return failed == runs.end() ? runs.front().ending : failed->ending;
}

std::vector<model::Diagnostic> remarks_on(const std::vector<Ended>& runs, std::size_t planned) {
  std::vector<model::Diagnostic> remarks;
  std::string measured;
  for (const Ended& run : runs) measured += (measured.empty() ? "" : ", ") + run.run.measures;
  remarks.push_back(
      make_diagnostic(model::diagnostic_kind("record", "rerun"), {std::to_string(runs.size()), measured}));
  for (std::size_t i = 1; i < runs.size(); ++i) {
    if (same_end(runs[i].ending, runs.front().ending)) continue;
    remarks.push_back(make_diagnostic(model::diagnostic_kind("record", "rerun_differs"),
                                      {std::to_string(i + 1), std::to_string(planned), runs[i].run.measures,
                                       text_of(runs[i].ending), text_of(runs.front().ending)}));
  }
  if (runs.size() < planned)
    remarks.push_back(make_diagnostic(model::diagnostic_kind("record", "rerun_stopped"),
                                      {std::to_string(planned - runs.size()), std::to_string(planned),
                                       std::to_string(runs.size()), text_of(runs.back().ending)}));
  return remarks;
}

}  // namespace coalescope::tool
