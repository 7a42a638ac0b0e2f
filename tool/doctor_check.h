#pragma once
// One line of `coalescope doctor`, and what its checks look at: the machine's files and environment, and what
// coalescope_probe answers. Tests give another machine.

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace coalescope::tool {

// missing: recording lacks what it needs; degraded: it goes on with less, or may.
enum class CheckState { ok, degraded, missing };
[[nodiscard]] std::string_view name_of(CheckState state);

struct Check {
  std::string name;  // stable, for programs: "counters"
  CheckState state = CheckState::ok;
  std::string text;
  std::string mend = {};  // a command, or what to do; empty: nothing
};
using Checks = std::vector<Check>;

// The fields of each line that coalescope_probe answered.
using ProbeLines = std::vector<std::vector<std::string>>;

struct Machine {
  std::filesystem::path root = "/";
  std::function<std::optional<std::string>(const std::string&)> environment;
  std::function<base::Result<ProbeLines>(const std::vector<std::string>&)> probe;

  [[nodiscard]] std::filesystem::path at(std::string_view path) const { return root / path; }  // without "/"
  [[nodiscard]] std::string text_of(std::string_view path) const;  // empty: it cannot be read
  [[nodiscard]] std::string variable(const std::string& name) const { return environment(name).value_or(""); }
};

// This one.
[[nodiscard]] Machine this_machine();

// What a probe's or another program's question may take.
inline constexpr std::chrono::seconds kQuestionLimit{30};

}  // namespace coalescope::tool
