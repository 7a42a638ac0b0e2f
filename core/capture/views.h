#pragma once
// What the reader makes of queries/*.sql: one struct a query. NULL stays std::nullopt. Sums are over the
// measured launches only; `..._launches` says how many those were.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/model/enums.h"
#include "core/model/ids.h"
#include "core/model/instruction.h"
#include "core/model/metric.h"

namespace coalescope::capture {

// queries/groups.sql: one row a kernel group, most GPU time first.
struct GroupView {
  model::GroupId group_id;
  model::ProcessId process_id;
  model::DeviceId device_id;
  model::KernelId kernel_id;
  std::string kernel_name;  // mangled
  std::array<std::int64_t, 3> grid{};
  std::array<std::int64_t, 3> block{};
  std::int64_t dynamic_shared_bytes = 0;
  std::optional<std::int64_t> variant;  // model::KernelGroup's, as the next
  std::optional<std::string> parameters;
  std::optional<std::int64_t> static_shared_bytes;
  std::optional<std::int64_t> registers_per_thread;
  std::optional<std::int64_t> local_bytes_per_thread;
  std::optional<std::string> code_file, code_loader;  // model::Kernel's
  std::int64_t launches = 0;                          // seen, timed or not
  std::int64_t timed_launches = 0;                    // with a time of their own
  std::int64_t counted_launches = 0;                  // of a long recording, which timed only others
  std::optional<std::int64_t> timed_gpu_ns;           // sum over the timed launches
  std::optional<std::int64_t> median_gpu_ns;          // of the timed launches
  std::optional<std::int64_t> shortest_gpu_ns;
  std::optional<std::int64_t> first_start_ns, last_start_ns;  // of the listed launches
};

// From queries/group_readings.sql: one a group and metric, added up by the reader.
struct MetricSum {
  std::int64_t launches = 0;  // launches summed
  std::int64_t sum = 0;
  std::int64_t least = 0, greatest = 0;  // of one launch
  std::vector<std::int64_t> values;      // of the first launches: kMostValues
};
inline constexpr std::size_t kMostValues = 64;
using GroupReadings = std::unordered_map<model::MetricId, MetricSum>;

// What phase `lines` counts of an instruction. An instruction is patched only for what can apply to it: a
// load has 0 stores. std::nullopt: this chip or this recording did not have the counter.
struct InstructionCounts {
  std::optional<std::int64_t> sectors;
  std::optional<std::int64_t> ideal_sectors;
  std::optional<std::int64_t> loads;  // warp executions as a load
  std::optional<std::int64_t> stores;
  std::optional<std::int64_t> atomics;  // with a result
  std::optional<std::int64_t> reductions;
  std::optional<std::int64_t> async_copies;
  std::optional<std::int64_t> threads;  // that took part in its executions on global memory
  std::optional<std::int64_t> local_sectors;
  std::optional<std::int64_t> shared_requests;
  std::optional<std::int64_t> shared_wavefronts;
  std::optional<std::int64_t> shared_ideal_wavefronts;
};

// From queries/instruction_readings.sql: one row a group and instruction, summed over the group's `lines`
// windows.
struct InstructionView : InstructionCounts {
  model::GroupId group_id;
  model::KernelId kernel_id;
  std::int64_t module_crc = 0;
  std::int64_t pc_offset = 0;
  model::SourceState source_state = model::SourceState::unresolved;
  std::optional<std::string> file;
  std::optional<std::int64_t> line;
  std::int64_t launches = 0;  // in the windows summed
  std::optional<model::InstructionCode> code;
};

// queries/measured_lines.sql
struct MeasuredLine {
  std::string file;
  std::int64_t line = 0;
};

// From queries/transfers.sql: one row a class of transfers: device, direction, memory at both ends, sync or
// async, and size to the power of four (so that many small copies do not hide behind one large).
struct TransferView {
  model::DeviceId device_id;
  model::Direction direction = model::Direction::unknown;
  model::MemoryKind source_memory = model::MemoryKind::unknown;
  model::MemoryKind destination_memory = model::MemoryKind::unknown;
  bool asynchronous = false;
  std::int64_t smallest_bytes = 0;
  std::int64_t largest_bytes = 0;
  std::int64_t transfers = 0;
  std::int64_t bytes = 0;
  std::int64_t timed = 0;   // of those transfers
  std::int64_t gpu_ns = 0;  // of all: those without a time count as the mean of the others; 0: none has one
};

// queries/launch_times.sql: one row a launch that has a time. Narrow: there may be millions.
struct LaunchPlace {
  std::int64_t start_ns = 0;
  std::uint32_t gpu_ns = 0;  // 4.3 s at most
  std::int32_t group = 0;    // index of its group's view
};
struct LaunchPlaces {
  std::vector<LaunchPlace> launches;
  std::vector<LaunchPlace> measured;  // those without a time of their own: when the host launched them
  std::vector<std::int32_t> streams;  // of each of `launches`: CUPTI's number
};

// queries/transfer_places.sql: one row a transfer.
struct TransferPlace {
  std::int64_t start_ns = 0;
  std::int64_t bytes = 0;
  std::uint32_t gpu_ns = 0;  // 4.3 s at most
  std::int32_t process = 0, device = 0;
  std::int32_t stream = 0;  // CUPTI's number
  model::Direction direction = model::Direction::unknown;
  model::MemoryKind source_memory = model::MemoryKind::unknown;
  model::MemoryKind destination_memory = model::MemoryKind::unknown;
  bool asynchronous = false;
  std::int64_t call_site = 0;  // 0: not looked at
  std::int64_t address = 0;    // as in model::Transfer; 0: not known
};

// queries/windows.sql: one row a phase and outcome: what measuring did and cost.
struct WindowView {
  model::Phase phase = model::Phase::trace;
  model::CoverageReason outcome = model::CoverageReason::measured;
  std::int64_t windows = 0;
  std::int64_t launches = 0;
  std::int64_t cost_ns = 0;
  std::optional<std::int64_t> launches_cost_ns;
};

}  // namespace coalescope::capture
