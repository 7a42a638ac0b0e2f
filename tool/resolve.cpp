#include "tool/resolve.h"

#include <algorithm>

#include "core/base/log.h"
#include "core/capture/reader.h"
#include "core/capture/seal.h"
#include "tool/exit_status.h"
#include "tool/helper.h"
#include "tool/program.h"

namespace coalescope::tool {

namespace {

using base::Result;

// How many instructions still wait for their line.
Result<std::int64_t> waiting_in(const std::string& path) {
  return capture::Reader::open(path)
      .and_then([](capture::Reader reader) { return reader.rows<model::Instruction>(); })
      .map([](const std::vector<model::Instruction>& rows) {
        return static_cast<std::int64_t>(
            std::count_if(rows.begin(), rows.end(), [](const model::Instruction& row) {
              return row.source_state == model::SourceState::unresolved;
            }));
      });
}

// The helper may have left the file open for more.
Result<void> look_up(const std::string& path) {
  const auto program = find_companion("coalescope_resolve");
  if (!program) return base::relay(program);
  const auto resolved = run_helper(*program, {path});
  const auto sealed = capture::seal(path);
  return resolved ? sealed : resolved;
}

}  // namespace

int run(const ResolveOptions& options) {
  const auto before = waiting_in(options.capture);
  if (!before) {
    base::log_error(before.error());
    return kUnreadable;
  }
  if (*before == 0) {
    base::log_note("no instruction of {} waits for its source line", options.capture);
    return kDone;
  }
  const auto done = look_up(options.capture);
  const auto after = waiting_in(options.capture);
  if (after)
    base::log_note("found out about {} of {} instructions in {}", *before - *after, *before, options.capture);
  if (done) return kDone;
  base::log_error(done.error());
  return kUnresolved;
}

}  // namespace coalescope::tool
