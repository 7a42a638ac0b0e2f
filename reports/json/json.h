#pragma once
// The report as data: the members of analysis::Report by their names, enumerations by theirs, what was not
// measured as null. docs/report.schema.json describes it; `schema_version` changes when a reader must change.

#include <string>

#include "reports/analysis/report.h"

namespace coalescope::json {

inline constexpr int kSchemaVersion = 1;

// `indent` below 0 puts all on one line. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string to_json(const analysis::Report& report, int indent);

}  // namespace coalescope::json
