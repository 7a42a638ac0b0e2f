#include "tool/settings.h"

#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <regex.h>

#include "core/base/duration.h"
#include "core/model/enums.h"
#include "core/model/setting_values.h"

namespace coalescope::tool {

namespace {

namespace option = model::option;

bool is_positive_number(const std::string& text) {
  return model::read_number(text, 1).has_value();
}

bool is_number(const std::string& text) {
  return model::read_number(text, 0).has_value();
}

bool is_phase_list(const std::string& text) {
  return model::read_phases(text).has_value();
}

bool is_duration(const std::string& text) {
  return base::parse_duration_ns(text).has_value();
}

bool is_budget(const std::string& text) {
  return model::read_budget(text).has_value();
}

bool is_stacks(const std::string& text) {
  return model::read_stacks(text).has_value();
}

bool is_trace(const std::string& text) {
  return model::read_trace(text).has_value();
}

template <const model::Choice& choice>
bool is_one_of(const std::string& text) {
  return model::read_choice(text, choice).has_value();
}

// In the dialect of the injected library.
bool is_regular_expression(const std::string& text) {
  regex_t compiled{};
  if (regcomp(&compiled, text.c_str(), REG_EXTENDED | REG_NOSUB) != 0) return false;
  regfree(&compiled);
  return true;
}

bool is_on(const std::string& text) {
  return text == "on";
}

bool is_allocations(const std::string& text) {
  return model::is_allocations(text);
}

bool is_range_name(const std::string& text) {
  return !text.empty();
}

// Names follow Nsight Compute's and perf's where those have one; theirs stand second.
constexpr std::array kSettings{
    Setting{option::kSamples, "--samples",
            "Launches to measure of each kernel, in each phase (of bytes and lines half as many)",
            "a positive number", is_positive_number},
    Setting{option::kPhases, "--only,--phases",
            "What to measure: lines, counters (bytes,traffic,hits), trace (times alone), or a list of them",
            "some of lines,counters,bytes,traffic,hits,trace", is_phase_list},
    Setting{option::kBudget, "--budget",
            "How much longer measuring may make the run: auto, 10% (of it, and a second), 2s, or none for "
            "no limit",
            "auto, a share of the run such as 10%, a time such as 2s, or none", is_budget},
    Setting{option::kTrace, "--trace",
            "Launches and transfers to list one by one before a long run is sampled (1000000; 50000 where "
            "they follow fast), or all",
            "a positive number or all", is_trace},
    Setting{option::kReplay, "--replay,--replay-mode",
            "kernel: repeat a launch of each kernel until all its counters are read", "kernel or none",
            is_one_of<model::kReplayChoice>},
    Setting{option::kKernel, "-k,--kernel,--kernel-name",
            "Measure only kernels whose name, mangled or not, matches this expression",
            "a POSIX extended regular expression", is_regular_expression},
    Setting{option::kExclude, "--exclude", "Never measure kernels whose name matches this expression",
            "a POSIX extended regular expression", is_regular_expression},
    Setting{option::kSkip, "-s,--skip,--launch-skip",
            "Launches to let pass before the first that is measured", "a number", is_number},
    Setting{option::kLaunches, "-c,--launches,--launch-count", "Measure only among so many launches",
            "a positive number", is_positive_number},
    Setting{option::kAfter, "--after,--delay", "Measure nothing before this time of the run",
            "a time such as 30s or 500ms", is_duration},
    Setting{option::kFor, "--for", "Stop measuring after this time", "a time such as 60s or 500ms",
            is_duration},
    Setting{option::kRange, "--range,--nvtx-include",
            "Measure only inside NVTX ranges of this name (NAME or NAME@DOMAIN)", "a name", is_range_name},
    Setting{option::kFromStart, "--profile-from-start",
            "off: measure only between cudaProfilerStart and cudaProfilerStop", "on or off",
            is_one_of<model::kFromStartChoice>},
    Setting{option::kTimed, "--timed",
            "avoid: leave launches alone whose times may decide which kernel the program uses; measure: "
            "measure them",
            "avoid or measure", is_one_of<model::kTimedChoice>},
    Setting{option::kGraphs, "--graph-profiling",
            "node: replace some launches of CUDA graphs by launches of their nodes, to measure the kernels; "
            "graph: leave graphs alone",
            "node or graph", is_one_of<model::kGraphsChoice>},
    Setting{option::kStacks, "--stacks",
            "Whose calls to name in the report: all (Python's and native ones), python, or none",
            "all, python or none", is_stacks},
    Setting{option::kModules, "--modules",
            "Name the modules of PyTorch (torch.nn.Module) that launch: hooks in Python, for 'report --by "
            "module'",
            "on", is_on, "on", true},
    Setting{
        option::kAllocations,
        "--allocations",
        "pytorch: name the lines that asked PyTorch's caching allocator for what kernels read and write: a "
        "hook in Python",
        "pytorch",
        is_allocations,
        {},
        true},
};

}  // namespace

std::span<const Setting> settings() {
  return kSettings;
}

base::Result<void> check(const Settings& chosen) {
  for (const Setting& setting : kSettings) {
    const auto value = chosen.find(setting.variable);
    if (value != chosen.end() && !setting.accepts(value->second))
      return base::failure(base::ErrorCode::usage,
                           fmt::format("'{}' is not a value for {}", value->second,
                                       setting.flags.substr(0, setting.flags.find(','))),
                           fmt::format("give {}", setting.form));
  }
  const auto stacks = chosen.find(option::kStacks);
  if (stacks == chosen.end() || model::read_stacks(stacks->second) != model::Stacks::none) return {};
  // What the hook in Python tells belongs to stacks.
  for (const Setting& setting : kSettings)
    if (setting.hooks_python && chosen.contains(setting.variable))
      return base::failure(base::ErrorCode::usage, fmt::format("{} needs stacks", setting.flags),
                           "leave --stacks none out");
  return {};
}

std::string settings_json(const std::vector<std::string>& environment) {
  nlohmann::json values = nlohmann::json::object();
  for (const std::string& entry : environment) {
    const std::string_view name = std::string_view(entry).substr(0, entry.find('='));
    for (const Setting& setting : kSettings)
      if (name == setting.variable) values[std::string(name)] = entry.substr(name.size() + 1);
  }
  return values.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace coalescope::tool
