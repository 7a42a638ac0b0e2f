#pragma once
// What a person can tell the injected library: one row a setting, from which come the options of `record`,
// their checks, and what the capture says of them. The library reads them from the environment.

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace coalescope::tool {

// By the names in core/model/options.h.
using Settings = std::map<std::string_view, std::string>;

struct Setting {
  std::string_view variable;
  std::string_view flags;  // "--samples", or several: "-k,--kernel"
  std::string_view help;
  std::string_view form;                // what a value looks like, for the error message
  bool (*accepts)(const std::string&);  // checked before the target starts: afterwards it is too late
  std::string_view flag = {};           // the value of an option that takes none; empty: it takes one
  bool hooks_python = false;            // through the hook in Python (injection/modules), which needs stacks
};

std::span<const Setting> settings();

[[nodiscard]] base::Result<void> check(const Settings& chosen);

// The settings in an environment ("NAME=value"), wherever they came from, as a JSON object.
std::string settings_json(const std::vector<std::string>& environment);

}  // namespace coalescope::tool
