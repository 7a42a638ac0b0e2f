#pragma once
// After the target's end: makes one capture of the parts that its processes left.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/model/diagnostic.h"
#include "core/model/run.h"

namespace coalescope::tool {

// What came of it, for the closing line.
struct Collected {
  std::int64_t processes = 0;                     // that used CUDA in the first run
  model::Severity worst = model::Severity::info;  // of the remarks that `record` made
  bool parts_left = false;                        // parts that could not be read lie where they were
};

enum class Sources { kept, left_out };

// Where the parts of a run lie: in `folder` itself for the first, whose number is 0.
[[nodiscard]] std::filesystem::path run_folder(const std::filesystem::path& folder, std::int64_t run);

// A row that `record` itself adds to a capture.
[[nodiscard]] model::Diagnostic remark(model::Severity severity, std::string code, std::string text);

// Merges every *.part.coal of `folder` and of its later runs' folders into the new file `draft`, with
// `capture` as its capture row (`clean` is decided here), `remarks` and a diagnostic row for everything that
// is missing. Merged parts are removed.
[[nodiscard]] base::Result<Collected> collect(const std::filesystem::path& folder,
                                              const std::filesystem::path& draft, model::Capture capture,
                                              std::vector<model::Diagnostic> remarks = {},
                                              Sources sources = Sources::kept);

}  // namespace coalescope::tool
