#pragma once
// The gate's answer as data, as docs/check.schema.json describes it.

#include <string>

#include "reports/gate/gate.h"

namespace coalescope::json {

// The version of the schema; it rises when a member goes or means something else.
inline constexpr std::int64_t kCheckVersion = 1;

[[nodiscard]] std::string to_json(const gate::Result& result, int indent);

}  // namespace coalescope::json
