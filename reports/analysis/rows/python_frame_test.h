#pragma once
// A frame of Python for tests.

#include <cstdint>
#include <optional>

#include "reports/analysis/call_sites.h"

namespace coalescope::analysis::test {

// Of process 1.
inline CallSiteRow python_frame(std::int64_t id, std::optional<std::int64_t> caller, const char* file,
                                const char* function, bool own) {
  CallSiteRow row;
  row.id = id;
  row.process_id = 1;
  row.caller_id = caller;
  row.kind = model::FrameKind::python;
  row.file = file;
  row.function = function;
  row.line = 1;
  row.own = own;
  return row;
}

}  // namespace coalescope::analysis::test
