#pragma once
// After the target's end: makes one capture of the parts that its processes left.

#include <cstdint>
#include <filesystem>
#include <optional>
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
  std::vector<std::filesystem::path> merged;      // parts, which are not needed any more
  bool parts_left = false;                        // others could not be read
  std::string obstacle;  // why something could not be recorded at all; empty: nothing stood in the way
};

// What a capture may carry of the program itself.
struct Carried {
  bool sources = true;  // its source lines
  bool code = true;     // machine code of kernels whose source lines could not be looked up
};
// `found` parts lie in a folder that anybody may have made: no library that they name is loaded.
enum class Parts { of_this_run, found };

// Where the parts of a run lie: in `folder` itself for the first, whose number is 0.
[[nodiscard]] std::filesystem::path run_folder(const std::filesystem::path& folder, std::int64_t run);

// Merges every *.part.coal of `folder` and of its later runs' folders into the new file `draft`, with
// `capture` as its capture row (`clean` is decided here), `remarks` and a diagnostic row for everything that
// is missing. The parts stay until the draft has its name: whoever is killed before can begin again.
[[nodiscard]] base::Result<Collected> collect(const std::filesystem::path& folder,
                                              const std::filesystem::path& draft, model::Capture capture,
                                              std::vector<model::Diagnostic> remarks = {},
                                              Carried carried = {}, Parts origin = Parts::of_this_run);

// A part that some process still writes, if there is one.
[[nodiscard]] std::optional<std::filesystem::path> part_in_use(const std::filesystem::path& folder);

// The closing line: what was written, and whether some of it is missing. Of several obstacles it names the
// one that `coalescope doctor` helps with first.
void say_outcome(const Collected& collected, const std::string& path);

// Removes what was merged, with the files beside it.
void remove_parts(const Collected& collected);

}  // namespace coalescope::tool
