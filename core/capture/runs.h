#pragma once
// A program that was run several times, each time measured in another way, shown as one run: every query that
// names a table sees the first run's processes, times, launches and transfers, with the readings of all runs.

#include <cstdint>

#include "core/base/error.h"
#include "core/capture/database.h"

namespace coalescope::capture {

// What this took: the first run's groups stand for the same kernel in the same shape of the later ones, in
// the process with the same host, program and rank (or place among those that have none).
struct UnitedRuns {
  std::int64_t runs = 1;
  std::int64_t groups_only_later = 0;  // launched in no first run: what is known of them is left out
};

// Sets temporary views in front of the tables of `main`; a capture of one run is left as it is.
[[nodiscard]] base::Result<UnitedRuns> unite_runs(Database& database);

}  // namespace coalescope::capture
