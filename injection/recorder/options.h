#pragma once
// The recorder's settings, read once from the environment that `coalescope record` sets.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/model/options.h"
#include "core/model/setting_values.h"
#include "injection/recorder/scheduler.h"

namespace coalescope::recorder {

// Which launches may be measured; the others are traced. All that is set must hold.
struct Selection {
  std::string kernel;     // POSIX extended regular expression over names, mangled or not; empty: all
  std::string exclude;    // the same, of kernels that are never measured
  std::int64_t skip = 0;  // launches of selected kernels to let pass first
  std::optional<std::int64_t> launches;  // and how many after those; nullopt: all
  std::int64_t after_ns = 0;             // since the capture began
  std::optional<std::int64_t> for_ns;
  std::string range;       // inside NVTX ranges of this name; empty: anywhere
  bool from_start = true;  // false: between cudaProfilerStart and cudaProfilerStop
};

struct RecorderOptions {
  std::string directory;             // where the parts lie
  std::string ring;                  // the way to whoever writes them
  std::int64_t started_unix_ns = 0;  // the capture's zero
  // Launches and transfers that are listed before a long run is sampled; nullopt: all.
  std::optional<std::int64_t> most_listed = model::kMostListed;
  std::optional<std::int64_t> most_listed_busy = model::kMostListedBusy;
  bool measure_timed = false;  // also what the program times itself and may choose by
  model::Stacks stacks = model::Stacks::all;
  bool torch_allocations = false;  // a hook in Python tells of what PyTorch's caching allocator hands out
  bool graph_nodes = true;         // some launches of graphs are replaced by launches of their nodes
  SchedulerOptions scheduling;
  Selection selection;
};

using ReadVariable = std::function<std::optional<std::string>(std::string_view)>;

// nullopt: nobody asked for a recording (the library was preloaded by hand). An Error names the variable.
[[nodiscard]] base::Result<std::optional<RecorderOptions>> read_options(const ReadVariable& read);

}  // namespace coalescope::recorder
