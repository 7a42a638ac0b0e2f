#pragma once
// The catalogue of everything that is counted: one row a metric. Values are keyed by MetricId everywhere,
// never by position: a list from which an unsupported metric was dropped would shift every later value.

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/model/enums.h"

namespace coalescope::model {

enum class MetricId : std::int64_t {
  global_load_bytes = 1,
  global_load_sectors,
  global_load_requests,
  global_store_bytes,
  global_store_sectors,
  global_store_requests,
  global_atomic_bytes,
  global_atomic_sectors,
  global_reduction_bytes,
  global_reduction_sectors,
  local_load_sectors,
  local_store_sectors,
  instruction_sectors,
  instruction_ideal_sectors,
  instruction_loads,
  instruction_stores,
  l2_read_sectors,
  l2_write_sectors,
  l2_sysmem_sectors,
  dram_read_bytes,
  dram_write_bytes,
  traffic_ns,
  l2_hit_sectors,
  async_copy_bytes,
  async_copy_sectors,
  async_copy_requests,
  tma_instructions,
  instruction_atomics,
  instruction_reductions,
  instruction_async_copies,
  instruction_threads,
  instruction_local_sectors,
  instruction_shared_requests,
  instruction_shared_wavefronts,
  instruction_shared_ideal_wavefronts,
  constant_divergent_loads,
  constant_replays,
  l1_load_sectors,
  l1_store_sectors,
  executed_instructions,
  end,  // no metric
};

enum class Unit : std::int64_t { bytes, sectors, requests, nanoseconds, threads, wavefronts, instructions };

// `cupti_names` are alternatives in order of preference: chips differ (DRAM bytes on GB20x, system memory on
// Blackwell), and the name that a chip accepted is stored in the capture. All of them add up over launches.
struct Metric {
  MetricId id;
  std::string_view key;
  Phase phase;
  Unit unit;
  std::array<std::string_view, 2> cupti_names;
  std::string_view doc;
};

std::span<const Metric> metric_catalogue();
const Metric& metric(MetricId id);
std::string_view name_of(Unit unit);

}  // namespace coalescope::model
