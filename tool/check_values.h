#pragma once
// What a policy's values may say, on the command line as in the file. std::nullopt: it is no such value.

#include <optional>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "reports/gate/policy.h"

namespace coalescope::tool {

// "5%" or "0.05"; from 0 to 1.
[[nodiscard]] std::optional<double> read_share(std::string_view text);
// A share, or "2ms".
[[nodiscard]] std::optional<gate::LostTime> read_lost_time(std::string_view text);
[[nodiscard]] std::optional<gate::Severity> read_severity(std::string_view text);

// The id of a report's rule or of the gate's own, whatever its case; the error names the nearest one.
[[nodiscard]] base::Result<std::string> gate_rule_named(const std::string& word);

}  // namespace coalescope::tool
