#include "tool/settings.h"

#include <array>
#include <charconv>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <regex>

#include "core/model/enums.h"
#include "core/model/options.h"

namespace coalescope::tool {

namespace {

namespace option = model::option;

bool is_positive_number(const std::string& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value > 0;
}

bool is_phase(std::string_view name) {
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

bool is_budget(const std::string& text) {
  if (text == "none") return true;
  double percent = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, percent);
  return error == std::errc() && stop + 1 == end && *stop == '%' && percent >= 0;
}

bool is_regular_expression(const std::string& text) {
  try {
    const std::regex compiled(text);
    return true;
  } catch (const std::regex_error&) {
    return false;
  }
}

constexpr std::array kSettings{
    Setting{option::kSamples, "--samples", "Launches to measure of each kernel, in each phase",
            "a positive number", is_positive_number},
    Setting{option::kPhases, "--phases", "What to measure: trace,bytes,lines,traffic,hits",
            "some of trace,bytes,lines,traffic,hits", is_phase_list},
    Setting{option::kBudget, "--budget",
            "How much longer measuring may make the run: 10%, or none for no limit",
            "a share of the run such as 10%, or none", is_budget},
    Setting{option::kExclude, "--exclude", "Kernels to leave unmeasured, by their mangled names",
            "a regular expression", is_regular_expression},
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
                           fmt::format("'{}' is not a value for {}", value->second, setting.flag),
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
