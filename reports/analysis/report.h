#pragma once
// Everything that a report shows, as plain data: no SQL, no markup. Text, JSON and HTML print the same
// Report, so the same numbers stand in all of them. Times are nanoseconds, shares and ratios are 0..1,
// bandwidths are bytes a second. A member that is std::nullopt was not measured; the reason stands in the
// row's `unmeasured`.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/whole.h"
#include "core/model/calibration.h"
#include "core/model/device.h"
#include "core/model/diagnostic.h"
#include "core/model/enums.h"
#include "core/model/run.h"
#include "reports/analysis/call_sites.h"
#include "reports/analysis/finding.h"
#include "reports/analysis/kernels.h"
#include "reports/analysis/program.h"
#include "reports/analysis/time_line.h"

namespace coalescope::analysis {

// One source line of one kernel, keyed by (kernel, file, line).
struct LineRow {
  std::int64_t kernel_id = 0;  // KernelRow::id of the group measured
  std::string kernel_name;
  std::optional<std::string> file;  // nullopt: the code has no line information
  std::optional<std::int64_t> line;
  std::optional<std::int64_t> pc_offset;      // only without a line
  std::int64_t instructions = 0;              // memory instructions of this line
  std::optional<std::int64_t> loads, stores;  // executions, once a warp, a launch
  std::optional<std::int64_t> sectors;        // a launch
  std::optional<std::int64_t> ideal_sectors;
  std::optional<std::int64_t> surplus_sectors;  // sum over instructions of max(0, sectors - ideal)
  std::optional<double> sector_efficiency;      // ideal sectors / sectors
  std::optional<double> sectors_per_request;
  std::optional<std::int64_t> atomics, reductions, async_copies;  // executions, once a warp, a launch
  std::optional<std::int64_t> threads;                            // on global memory, a launch
  std::optional<double> lanes;                                    // threads a request
  // Degree of coalescing of its loads and stores. Counters of instructions leave it open between these two;
  // where they are equal it is known.
  std::optional<double> least_degree, greatest_degree;
  std::optional<std::int64_t> local_sectors;  // a launch
  SharedAccess shared;
  // Executions of loads that touch one sector for 16 lanes or more, and ask for at most a quarter of it where
  // the kernel's other loads are full.
  std::optional<std::int64_t> broadcast_loads;
  std::optional<std::int64_t>
      narrow_loads;  // executions of contiguous loads of 1 or 2 bytes a lane, by the code
  std::optional<std::int64_t>
      scattered_loads;  // of loads that go where data say, each lane to a sector of its own
  std::optional<std::int64_t> scattered_stores;  // the same of stores, by the code
  // Surplus sectors of loads that go where data say, each by itself: no run of a thread that begins there.
  std::optional<std::int64_t> gathered_surplus;
  // Sectors of loads whose addresses are loaded data, however close together they lie, by the code.
  std::optional<std::int64_t> indexed_sectors;
  // Sectors of accesses through parameters that lead to the host's memory, by the code.
  std::optional<std::int64_t> host_sectors;
  // Executions of loads and stores of which each thread makes several within a line of 128 bytes, by the
  // code.
  std::optional<std::int64_t> piecewise;
  // The kernel's parameter, from 0, through which the accesses with most of the surplus go, by the code.
  std::optional<std::int64_t> parameter;
  // Its local memory holds spilled registers: by the code, its kernel has no array there.
  bool spilled = false;
  bool indexed = false;             // its loads go where data say: x[index[i]]
  bool decoded = false;             // the code was read, which says so; else counts suggest it
  std::vector<std::string> traits;  // "strided", "shared by lanes", "bank conflicts"
  std::optional<std::string> text;  // the source line, when the file could be read
};

// A stretch of source around lines of interest.
struct SourceExcerpt {
  std::string file;
  struct Line {
    std::int64_t number = 0;
    std::string text;
    std::optional<std::int64_t> sectors, ideal_sectors;  // nullopt: no memory instruction measured here
  };
  std::vector<Line> lines;  // a jump in `number` is a gap
};

// Transfers of one class: direction, memory at both ends, sync or async, size within a factor of four.
struct TransferRow {
  std::int64_t id = 0;  // of this report, from 1
  std::int64_t device_id = 0;
  model::Direction direction = model::Direction::unknown;
  model::MemoryKind source_memory = model::MemoryKind::unknown;
  model::MemoryKind destination_memory = model::MemoryKind::unknown;
  bool asynchronous = false;
  bool waited_for =
      false;  // the program went on when each was done: see is_waited_for() and take_call_sites()
  bool waited_apart = false;  // these are downloads, and the program calls another function to wait for each
  std::int64_t smallest_bytes = 0, largest_bytes = 0;
  std::int64_t transfers = 0, timed_transfers = 0;
  std::int64_t bytes = 0;
  // Bursts of copies with kernels in between, what the first of them moved, and what a byte of the later ones
  // takes in the median; nullopt: they are not listed one by one.
  std::optional<std::int64_t> bursts, first_burst_bytes;
  // Share of them that keep no kernel waiting: kernels, or for downloads copies to the device as well, run
  // all the time; or they are results in a stream without kernels, and kernels run between them.
  std::optional<double> beside_others;
  std::optional<double> time_beside_kernels;   // share of their time in which kernels run
  std::optional<std::int64_t> idle_before_ns;  // how long the GPU idles before one of them, on average
  std::optional<double> later_ns_per_byte;
  // Share of them that follow another one of their stream and direction without a kernel in between, and how
  // long the GPU idles before one of these, in the median.
  std::optional<double> in_a_row;
  std::optional<std::int64_t> idle_in_a_row_ns;
  // KernelRow::id: right behind nearly each copy it changes a part of that.
  std::optional<std::int64_t> changed_by;
  // Between two GPUs without peer access: CUPTI tells it as two copies, and of each the time of a part only.
  bool through_host = false;
  std::optional<std::int64_t> gpu_ns;         // nullopt: of copies through the host
  std::optional<double> share;                // of the run's GPU time
  std::optional<double> bandwidth;            // bytes / gpu_ns
  std::optional<double> reference_bandwidth;  // what pinned memory reaches here; see `reference`
  std::optional<std::string> reference;       // where that figure is from
  std::vector<SiteUse> call_sites;            // most GPU time first
  std::optional<std::string>
      call_site;  // the stack behind most of it: "train.py:37 step() > ..."; nullopt: not known
};

// What measuring cost.
struct PhaseCost {
  model::Phase phase = model::Phase::trace;
  model::CoverageReason outcome = model::CoverageReason::measured;
  std::int64_t windows = 0;
  std::int64_t launches = 0;
  std::int64_t cost_ns = 0;                      // of entering and leaving
  std::optional<std::int64_t> launches_cost_ns;  // of the launches; nullopt: an older capture
};
[[nodiscard]] inline std::int64_t whole_cost_ns(const PhaseCost& row) {
  return base::sum_of(row.cost_ns, row.launches_cost_ns.value_or(0));
}

// The best that a path of the machine is known to do; costs are computed with it.
struct Ceiling {
  std::string path;  // "DRAM", "L2", "pinned host to device"
  double bandwidth = 0;
  std::string source;  // "calibration in this capture", "the device's properties"
};

// The bandwidth of copies between host and device over their size.
struct CopyCurve {
  model::Direction direction = model::Direction::unknown;
  model::MemoryKind host_memory = model::MemoryKind::unknown;
  std::string source;  // as Ceiling::source
  struct Point {
    double bytes = 0, bandwidth = 0;
  };
  std::vector<Point> points;  // sizes rise
};

// A device with what follows from its properties.
struct DeviceRow {
  model::Device properties;
  std::optional<double> peak_dram_bandwidth;  // 2 x memory clock x bus width / 8
  std::vector<Ceiling> ceilings;              // a path that is not here is not known
  std::vector<CopyCurve> copy_curves = {};    // likewise
};

// Rows that the reader asked not to see (view.h). They still count in sums over all rows, and rows that are
// shown may refer to them.
struct Hidden {
  // Findings and kernels that stand aside by default; they are among those below.
  struct ByDefault {
    std::int64_t library = 0, tool = 0, note = 0;  // findings, by Aside
    std::int64_t kernels = 0, lines = 0;           // of tools
    [[nodiscard]] std::int64_t findings() const { return library + tool + note; }
  } by_default;
  std::vector<Finding> findings;
  std::vector<KernelRow> kernels;
  std::vector<KernelFamily> kernel_families;
  std::vector<LineRow> lines;
  std::vector<TransferRow> transfers;
};

enum class SortKey { lost, time, launches, degree, bytes, name };

struct Totals {
  std::optional<std::int64_t> wall_ns;
  std::int64_t kernel_ns = 0;  // sum of KernelRow::gpu_ns
  std::int64_t transfer_ns = 0;
  std::int64_t tool_ns = 0;  // of the kernels, those of tools; no share of the run counts them
  std::int64_t launches = 0;
  std::int64_t kernel_groups = 0;
  std::int64_t kernel_families = 0;
  std::int64_t shapes = 0;  // of all families
  std::int64_t transfers = 0;
  std::int64_t untimed_transfers = 0;
  std::int64_t untimed_groups = 0;  // groups of which no launch has a time
};

// The GPU time of the program's own kernels.
[[nodiscard]] inline std::int64_t own_kernel_ns(const Totals& totals) {
  return totals.kernel_ns - totals.tool_ns;
}
// The GPU time of the program's own work: what shares of the run are of.
[[nodiscard]] inline std::int64_t run_ns(const Totals& totals) {
  return own_kernel_ns(totals) + totals.transfer_ns;
}

struct Report {
  std::string capture_path;
  model::Capture capture;
  std::vector<std::string> command;  // decoded from capture.command
  std::int64_t runs = 1;  // how often the program was run; all but the counters is of the first run
  std::int64_t groups_only_later = 0;  // kernel groups that the first run did not have: not shown
  std::vector<model::Process> processes;
  std::map<model::ProcessId, std::int64_t> measuring_ns;  // that measuring held each process up
  std::vector<DeviceRow> devices;
  Totals totals;
  std::vector<model::Diagnostic> notices;     // what belongs on top: no CUDA calls, cut off, losses
  std::optional<std::string> recording_cost;  // in a sentence; nullopt: nothing told it
  std::vector<Finding> findings;              // most time lost first
  std::optional<std::size_t> ranked;  // so many of them, the first; nullopt: all. The others are small
  std::vector<NotJudged> not_judged;  // in the order of the rules, most GPU time first
  std::vector<KernelRow> kernels;     // most GPU time first
  std::vector<KernelFamily> kernel_families;  // most GPU time first
  std::vector<LineRow> lines;                 // most surplus sectors first
  std::vector<SourceExcerpt> sources;
  std::vector<TransferRow> transfers;  // most time first
  std::vector<CallSiteRow> call_sites;
  std::vector<CallLineRow> call_lines;  // most GPU time first
  Program program;
  TimeLine time_line;
  std::vector<PhaseCost> phases;
  std::vector<model::Diagnostic> diagnostics;   // worst first
  std::vector<model::Calibration> calibration;  // of a capture made by `calibrate`
  Hidden hidden;                                // empty unless a part was asked for
  std::optional<SortKey> sorted_by;             // nullopt: each table has the order that stands beside it
};

// What rankings for people have of the findings.
[[nodiscard]] inline std::span<const Finding> ranked_findings(const Report& report) {
  return std::span(report.findings).first(report.ranked.value_or(report.findings.size()));
}

// What the repair saves: of the run's duration where it shortens waits, of its GPU time otherwise.
[[nodiscard]] inline std::optional<double> saved_share(const Finding& finding, const Report& report) {
  const auto wall_ns = report.totals.wall_ns.value_or(0);
  if (!is_of_waits(finding) || !finding.lost_ns || wall_ns <= 0) return finding.lost_share;
  return static_cast<double>(*finding.lost_ns) / static_cast<double>(wall_ns);
}

}  // namespace coalescope::analysis
