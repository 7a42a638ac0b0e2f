#pragma once
// How far L2 served what L1 asked of it, by kernel and for the run.

#include <vector>

#include "reports/analysis/report.h"

namespace coalescope::analysis {

// A kernel's row, all launches.
struct L2Use {
  const KernelRow* kernel = nullptr;
  double l2_bytes = 0;
  double hit_ratio = 0;
};

struct L2Hits {
  std::vector<L2Use> kernels;       // most bytes first; those whose hits were measured
  std::optional<double> hit_ratio;  // of all of them together; nullopt: there is none
  double share = 0;                 // of the kernels' GPU time that is theirs
};

// Points into the report.
[[nodiscard]] L2Hits l2_hits(const Report& report);

}  // namespace coalescope::analysis
