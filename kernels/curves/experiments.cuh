#pragma once
// The functions of all experiments, and the sizes that several of them share.

#include "kernels/curves/bench.cuh"

namespace coalescope::kernels {

// More than ten times the L2 of the largest GPUs.
inline constexpr std::int64_t kStreamBytes = 1024 * kMiB;

// What stays in L2 beside everything else: a quarter of it, and not more than 16 MiB.
inline std::int64_t resident_bytes(const Bench& bench) {
  std::int64_t bytes = 16 * kMiB;
  while (bytes > kMiB && bytes > bench.device().l2CacheSize / 4) bytes /= 2;
  return bytes;
}

void measure_ceilings(Bench& bench);
void measure_sectors(Bench& bench);
void measure_launches(Bench& bench);
void measure_shared_conflicts(Bench& bench);
void measure_constant_loads(Bench& bench);
void measure_atomics(Bench& bench);
void measure_footprint(Bench& bench);
void measure_hit_rate(Bench& bench);
void measure_residency(Bench& bench);
void measure_residency_tuned(Bench& bench);
void measure_after_use(Bench& bench);
void measure_concurrent_l2_windows(Bench& bench);
void measure_graph_l2_window(Bench& bench);
void measure_copy_calls(Bench& bench);
void measure_copy_both_ways(Bench& bench);
void measure_small_copies(Bench& bench);
void measure_idle_gpu(Bench& bench);
void measure_staged(Bench& bench);
void measure_round_trip(Bench& bench);
void measure_touches(Bench& bench);
void measure_managed(Bench& bench);
void measure_pointer_kinds(Bench& bench);
void measure_peer_copies(Bench& bench);

}  // namespace coalescope::kernels
