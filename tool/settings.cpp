#include "tool/settings.h"

#include <array>
#include <charconv>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <regex.h>

#include "core/base/duration.h"
#include "core/model/enums.h"
#include "core/model/options.h"

namespace coalescope::tool {

namespace {

namespace option = model::option;

template <class Number>
bool parses_fully(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool is_positive_number(const std::string& text) {
  int value = 0;
  return parses_fully(text, value) && value > 0;
}

bool is_number(const std::string& text) {
  std::int64_t value = 0;
  return parses_fully(text, value) && value >= 0;
}

bool is_phase(std::string_view name) {
  if (name == "counters") return true;
  for (const auto& phase : model::kPhaseNames)
    if (phase.name == name && phase.value != model::Phase::replay)
      return true;  // it is not asked for by itself
  return false;
}

bool is_phase_list(const std::string& text) {
  std::string_view rest = text;
  for (;;) {
    const std::size_t comma = rest.find(',');
    if (!is_phase(rest.substr(0, comma))) return false;
    if (comma == std::string_view::npos) return true;
    rest.remove_prefix(comma + 1);
  }
}

bool is_duration(const std::string& text) {
  return base::parse_duration_ns(text).has_value();
}

bool is_budget(const std::string& text) {
  double percent = 0;
  const bool is_share = text.ends_with('%') &&
                        parses_fully(std::string_view(text).substr(0, text.size() - 1), percent) &&
                        percent >= 0;
  return text == "none" || is_share || is_duration(text);
}

// In the dialect of the injected library.
bool is_regular_expression(const std::string& text) {
  regex_t compiled{};
  if (regcomp(&compiled, text.c_str(), REG_EXTENDED | REG_NOSUB) != 0) return false;
  regfree(&compiled);
  return true;
}

bool is_range_name(const std::string& text) {
  return !text.empty();
}

bool is_replay(const std::string& text) {
  return text == "kernel" || text == "none";
}

bool is_trace(const std::string& text) {
  return text == "all" || is_positive_number(text);
}

bool is_timed(const std::string& text) {
  return text == "avoid" || text == "measure";
}

bool is_graphs(const std::string& text) {
  return text == "node" || text == "graph";
}

bool is_switch(const std::string& text) {
  return text == "on" || text == "off";
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
            "How much longer measuring may make the run: 5% (of it, and a second), 2s, or none for no limit",
            "a share of the run such as 10%, a time such as 2s, or none", is_budget},
    Setting{option::kTrace, "--trace",
            "Launches and transfers to list one by one before a long run is sampled (1000000; 50000 where "
            "they follow fast), or all",
            "a positive number or all", is_trace},
    Setting{option::kReplay, "--replay,--replay-mode",
            "kernel: repeat a launch of each kernel until all its counters are read", "kernel or none",
            is_replay},
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
            "off: measure only between cudaProfilerStart and cudaProfilerStop", "on or off", is_switch},
    Setting{option::kTimed, "--timed",
            "avoid: leave launches alone whose times may decide which kernel the program uses; measure: "
            "measure them",
            "avoid or measure", is_timed},
    Setting{option::kGraphs, "--graph-profiling",
            "node: replace some launches of CUDA graphs by launches of their nodes, to measure the kernels; "
            "graph: leave graphs alone",
            "node or graph", is_graphs},
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
