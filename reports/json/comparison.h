#pragma once
// A comparison as data, as docs/comparison.schema.json describes it.

#include <string>

#include "reports/comparison/comparison.h"

namespace coalescope::json {

// The version of the schema; it rises when a member goes or means something else.
inline constexpr std::int64_t kComparisonVersion = 1;

[[nodiscard]] std::string to_json(const comparison::Comparison& comparison, int indent);

}  // namespace coalescope::json
