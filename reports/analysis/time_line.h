#pragma once
// When kernels, copies, waits and ranges ran, in no more stretches than a screen can show. Times are
// nanoseconds since the recording began.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/memory.h"

namespace coalescope::analysis {

// A stretch lies within one bin, unless it is busy throughout; then it is exact, however long it is.
struct BusyStretch {
  std::int64_t began_ns = 0;
  std::int64_t ended_ns = 0;
  std::int64_t busy_ns = 0;  // of the time between
};

// What a process ran on a device, as far as it was listed one by one.
struct DeviceStretches {
  std::int64_t process_id = 0;
  std::int64_t device_id = 0;
  std::vector<BusyStretch> kernels;
  std::vector<BusyStretch> copies;   // and memory sets
  std::vector<BusyStretch> at_once;  // a kernel and a copy
};

struct ProcessStretches {
  std::int64_t process_id = 0;
  std::vector<BusyStretch> waits;      // of the host for the GPU, 10 us or more
  std::vector<BusyStretch> unlisted;   // launches and transfers were counted, or not seen, but not listed
  std::vector<BusyStretch> measuring;  // launches that were measured have no time of their own
};

// A range that the program named.
struct RangeBand {
  std::int64_t process_id = 0;
  std::int64_t thread = 0;
  std::int64_t depth = 0;
  std::optional<std::string> domain;
  std::string name;
  std::int64_t began_ns = 0;
  std::optional<std::int64_t> ended_ns;  // nullopt: its end was not seen
};

struct TimeLine {
  std::int64_t began_ns = 0, ended_ns = 0;  // from the first of all that follows to the last
  std::int64_t bin_ns = 0;
  std::vector<DeviceStretches> devices;
  std::vector<ProcessStretches> processes;
  std::vector<RangeBand> ranges;  // the longest, in the order of their beginnings
  std::int64_t ranges_left_out = 0;
  std::vector<BusyStretch> short_ranges;  // those left out, all together: one of them was open
};

// Bytes that were allocated at a time.
struct LiveBytes {
  std::int64_t at_ns = 0;
  std::int64_t bytes = 0;  // from then on
};

// Allocations of one kind on one device, or of the host's memory, over time.
struct MemoryCourse {
  model::AllocationKind kind = model::AllocationKind::unknown;
  std::optional<std::int64_t> device_id;  // nullopt: host memory
  // Of many changes within a bin the highest and the last are here.
  std::vector<LiveBytes> steps;
};

// The allocations that one place in the program asked for.
struct AllocationPlace {
  std::optional<std::string> place;          // nullopt: not known
  std::optional<std::int64_t> call_site_id;  // CallSiteRow::id of the largest
  std::int64_t allocations = 0;
  std::int64_t bytes = 0;       // of all together
  std::int64_t most_bytes = 0;  // at one time
  std::int64_t largest_bytes = 0;
  std::int64_t freed = 0;
};

}  // namespace coalescope::analysis
