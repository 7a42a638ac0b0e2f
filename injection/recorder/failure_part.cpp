#include "injection/recorder/failure_part.h"

#include <fmt/format.h>

#include "core/ring/note.h"
#include "core/ring/row_writer.h"
#include "injection/recorder/diagnostics.h"
#include "injection/recorder/part_file.h"

namespace coalescope::recorder {

// Each row takes the place of one that a recording which came further may have written.
base::Result<void> write_failure_part(ring::RingWriter& ring, const RecorderOptions& options,
                                      const model::Process& process, std::string_view origin,
                                      const base::Error& error) {
  ring::RowWriter writer(ring);
  Diagnostics diagnostics;
  diagnostics.add(model::diagnostic_kind("", "not_started"), error, origin);
  auto done = writer.replace(new_part(options));
  // Nothing was recorded, so nothing can be missing from it: this part is complete as it is.
  model::Process ended = process;
  ended.ended_ns = process.began_ns;
  ended.clean = true;
  if (done) done = writer.replace(ended);
  for (const auto& row : diagnostics.take_changed()) {
    if (done) done = writer.replace(row);
  }
  return done ? writer.publish() : done;
}

void leave_unrecorded(const RecorderOptions& options, const model::Process& process,
                      const base::Error& error) noexcept {
  try {
    ring::leave_note(options.directory, part_name(process),
                     fmt::format("Process {} ({}) on {} was not recorded: {}.", process.pid,
                                 process.executable, process.host, error.text()));
  } catch (...) {  // no memory for it: it runs on unrecorded, and nobody is told
  }
}

}  // namespace coalescope::recorder
