#pragma once
// Everything that was dropped, refused, discarded or unsupported. Loss is data: the report shows it on top.

#include <cstdint>
#include <optional>
#include <string>

#include "core/model/enums.h"
#include "core/model/ids.h"

namespace coalescope::model {

struct Diagnostic {
  std::int64_t id = 0;
  std::optional<ProcessId> process_id;  // NULL: about the run as a whole
  Severity severity = Severity::info;
  std::string origin;  // the part that speaks: "record", "bytes", "trace", "resolve"
  std::string code;    // stable, for programs: "no_cuda", "cupti_35"
  std::int64_t count = 1;
  std::string text;  // for people: what happened, and what to do
};

}  // namespace coalescope::model
