#pragma once
// The recorder's settings, read once from the environment that `coalescope record` sets.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/model/enums.h"

namespace coalescope::recorder {

struct RecorderOptions {
  std::string directory;             // where this process leaves its part
  std::int64_t started_unix_ns = 0;  // the capture's zero
  int samples = 2;                   // launches wanted of each group in each phase
  bool measure_bytes = true;
  bool measure_lines = true;
  bool measure_traffic = true;
  bool measure_hits = true;
  std::optional<double> budget_share = 0.10;  // of wall time, beside the start grant; nullopt: no limit
  std::string exclude;                        // POSIX extended regular expression over kernel names
  std::string cupti_folder;                   // where libcupti lies; empty: the usual places

  [[nodiscard]] bool wants(model::Phase phase) const;
};

using ReadVariable = std::function<std::optional<std::string>(std::string_view)>;

// nullopt: nobody asked for a recording (the library was preloaded by hand). An Error names the variable.
[[nodiscard]] base::Result<std::optional<RecorderOptions>> read_options(const ReadVariable& read);

}  // namespace coalescope::recorder
