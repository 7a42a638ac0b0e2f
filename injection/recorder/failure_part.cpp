#include "injection/recorder/failure_part.h"

#include "core/capture/writer.h"
#include "injection/recorder/diagnostics.h"
#include "injection/recorder/part_file.h"

namespace coalescope::recorder {

base::Result<void> write_failure_part(const RecorderOptions& options, const model::Process& process,
                                      std::string_view origin, const base::Error& error) {
  auto writer = capture::Writer::create(part_stem(options, process) + ".part.coal");
  if (!writer) return tl::unexpected(writer.error());
  Diagnostics diagnostics;
  diagnostics.add(origin, "not_started", error);
  auto done = writer->insert(new_part(options));
  // Nothing was recorded, so nothing can be missing from it: this part is complete as it is.
  model::Process ended = process;
  ended.ended_ns = process.began_ns;
  ended.clean = true;
  if (done) done = writer->insert(ended);
  for (const auto& row : diagnostics.take_changed()) {
    if (done) done = writer->insert(row);
  }
  return done ? writer->commit() : done;
}

}  // namespace coalescope::recorder
