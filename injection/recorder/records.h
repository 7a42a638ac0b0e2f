#pragma once
// What travels to the writer thread.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/model/activity.h"
#include "core/model/enums.h"
#include "core/model/instruction.h"
#include "core/model/kernel.h"
#include "core/model/launch.h"
#include "core/model/memory.h"
#include "core/model/transfer.h"
#include "injection/recorder/code_files.h"
#include "injection/recorder/launch_info.h"
#include "injection/recorder/phase_probe.h"

namespace coalescope::recorder {

// A buffer of activity records as the vendor filled it; decoded, then handed back, by the writer thread.
struct ActivityBuffer {
  std::uint8_t* data = nullptr;
  std::size_t valid_bytes = 0;
  bool launches_counted = true;  // by before_launch()
};

// A context of this device was created for the first time.
struct DeviceSeen {
  std::int32_t ordinal = 0;
};

// A launch that was measured in a window.
struct WindowLaunch {
  model::GroupId group_id;
  std::int64_t stream = 0;
  std::int64_t began_ns = 0;  // when the host launched it
};

// A finished window with what was read in it; without readings if it was discarded.
struct WindowRecord {
  model::PhaseWindow window;
  std::vector<WindowLaunch> launches;
  WindowReadings readings;
};

// Where the code of a kernel comes from.
struct KernelCode {
  model::KernelId kernel_id;
  CodeSource source;
};

using WorkItem =
    std::variant<model::Kernel, model::KernelGroup, KernelCode, DeviceSeen, WindowRecord, ActivityBuffer>;

// A kernel's run as the trace tells it. Times are nanoseconds since the capture began.
struct KernelRun {
  std::string_view kernel_name;
  std::int32_t device = 0;
  Shape shape;
  std::int64_t stream = 0;
  std::optional<std::int64_t> start_ns;
  std::optional<std::int64_t> gpu_ns;
  std::int64_t registers_per_thread = 0;
  std::int64_t static_shared_bytes = 0;
  std::int64_t local_bytes_per_thread = 0;
  std::optional<std::int64_t> graph_id;
  std::uint64_t graph_node = 0;
  std::uint32_t correlation = 0;  // LaunchInfo::correlation; of a graph's kernel that of the graph launch
  bool counted = true;            // by before_launch(), which knows no kernel of a graph
};

// Receives the records of a buffer, one by one, on the writer thread.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual void kernel(const KernelRun& run) = 0;
  // Without an id. `correlation`: of the call that asked for it; 0: not known.
  virtual void transfer(const model::Transfer& transfer, std::uint32_t correlation) = 0;
  virtual void unified_memory(const model::UnifiedMemory& record) = 0;  // without an id
  virtual void dropped(std::int64_t records) = 0;
};

}  // namespace coalescope::recorder
