#include "reports/analysis/view/l2_hits.h"

#include <algorithm>

#include "reports/analysis/figures/ratios.h"

namespace coalescope::analysis {

L2Hits l2_hits(const Report& report) {
  L2Hits hits;
  double all_bytes = 0, hit_bytes = 0, all_ns = 0, measured_ns = 0;
  for (const auto& row : report.kernels) {
    all_ns += real(row.gpu_ns);
    if (!row.l2_hit_ratio || !row.l2_sectors) continue;
    const double bytes = real(row.l2_sectors) * kSectorBytes * static_cast<double>(row.launches);
    hits.kernels.push_back({&row, bytes, *row.l2_hit_ratio});
    all_bytes += bytes;
    hit_bytes += bytes * *row.l2_hit_ratio;
    measured_ns += real(row.gpu_ns);
  }
  std::ranges::stable_sort(hits.kernels, std::greater{}, &L2Use::l2_bytes);
  if (all_bytes > 0) hits.hit_ratio = hit_bytes / all_bytes;
  if (all_ns > 0) hits.share = measured_ns / all_ns;
  return hits;
}

}  // namespace coalescope::analysis
