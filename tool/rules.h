#pragma once
// `coalescope rules`: what reports look for.

#include <string>

#include "core/base/error.h"

namespace coalescope::tool {

struct RulesOptions {
  bool json = false;
};

// The subcommand: its exit status.
int run(const RulesOptions& options);

// The list as text, wrapped to `width`, or as data.
[[nodiscard]] std::string rules_text(std::size_t width);
[[nodiscard]] std::string rules_json();

// The id that `word` means, whatever its case; the error names the nearest one.
[[nodiscard]] base::Result<std::string> rule_named(const std::string& word);

}  // namespace coalescope::tool
