#pragma once
// The rows of kernels: a group of launches, and the family of all shapes of its function. As report.h says, a
// member that is std::nullopt was not measured.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/enums.h"
#include "reports/analysis/call_sites.h"

namespace coalescope::analysis {

// A number of launches measured out of those seen.
struct Samples {
  std::int64_t measured = 0;
  std::int64_t seen = 0;
};

// One way in which a kernel group uses global memory: loads, stores, atomics.
struct Access {
  std::optional<std::int64_t> data_bytes;  // distinct bytes asked for, a launch
  std::optional<std::int64_t> sectors;     // a launch
  std::optional<std::int64_t> requests;    // a launch
  std::optional<double> degree;            // degree of coalescing: data bytes / (32 x sectors)
  std::optional<double> sectors_per_request;
  std::optional<double> sector_efficiency;  // ideal sectors / sectors of its instructions (phase lines)
  // The same with the sectors that contiguous accesses with idle lanes need: idle lanes leave gaps, and the
  // others touch what the whole warp would.
  std::optional<double> needed_sector_share;
  std::optional<double> lanes;              // threads that take part, a request (phase lines)
  std::optional<double> lines_per_request;  // of 128 bytes, by the shapes of its instructions (phase lines)
  std::optional<double> width_bytes;  // of one lane, as the machine code has it: the mean of its requests
  // The degree further down: distinct bytes asked for / bytes that L2, or DRAM, moved that way. Above 1 the
  // level before it served bytes more than once. Waste that is in `degree` and not in these was absorbed by a
  // cache.
  std::optional<double> l2_degree, dram_degree;
};

// What a kernel group does in shared memory, a launch (phase lines).
struct SharedAccess {
  std::optional<std::int64_t> requests;
  std::optional<std::int64_t> wavefronts;
  std::optional<std::int64_t> ideal_wavefronts;    // without bank conflicts
  std::optional<std::int64_t> surplus_wavefronts;  // sum over instructions of max(0, wavefronts - ideal)
};

// Why a phase has nothing for a group, in words, ready to print: "ran once, and that launch went to bytes".
struct Unmeasured {
  model::Phase phase = model::Phase::trace;
  model::CoverageReason reason = model::CoverageReason::measured;
  std::string text;
};

// What the memory below L1 moved for a launch, and how many instructions its warps executed.
struct Traffic {
  double l2_read_sectors = 0, l2_write_sectors = 0;
  double dram_read_bytes = 0, dram_write_bytes = 0;
  double instructions = 0;
};

// Launches of a kernel group that differ by more than noise, and that nothing tells apart: no mean of theirs
// is shown.
struct Mixed {
  struct Part {
    std::int64_t launches = 0;  // measured
    std::int64_t value = 0;     // the median
  };
  std::string count;                     // "l2_read_sectors": what differs
  std::int64_t least = 0, greatest = 0;  // of one launch
  std::int64_t launches = 0;             // measured
  std::vector<Part> parts;               // launches of about the same value, by rising value
  std::optional<Traffic> mean;           // for prices, which are for all launches together
};

// Whose code a kernel is.
enum class Origin {
  user,       // written by the program's author
  generated,  // made for him out of his Python code
  library,    // called by his code or by the framework that he uses
  tool        // runs beside the program's work: autotuning, delays, the driver's copies
};
inline constexpr std::array kOriginNames{
    model::EnumName{Origin::user, "user"}, model::EnumName{Origin::generated, "generated"},
    model::EnumName{Origin::library, "library"}, model::EnumName{Origin::tool, "tool"}};
constexpr std::string_view name_of(Origin value) {
  return model::name_in(kOriginNames, value);
}

// Launches of one group that take twice its median and more, and may not have been measured: see
// rows/long_launches.h.
struct LongLaunches {
  std::int64_t launches = 0, listed = 0;  // of all that have times of their own
  double share = 0;                       // of the time of these
};

struct KernelRow {
  std::int64_t id = 0;    // the kernel group's
  std::string name;       // demangled and shortened: "transpose<32>"
  std::string full_name;  // demangled, whole
  std::string mangled_name;
  std::int64_t process_id = 0;
  std::int64_t device_id = 0;
  std::array<std::int64_t, 3> grid{};
  std::array<std::int64_t, 3> block{};
  std::int64_t dynamic_shared_bytes = 0;
  std::int64_t of_that_name = 1;  // its number among the kernels of that name in its process
  // One of several rows of a kernel and shape, whose launches do different things; nullopt: the only one.
  std::optional<std::int64_t> variant;    // from 1
  std::optional<std::string> parameters;  // how they differ from those of variant 1: "parameter 2: 32, not 1"
  std::optional<std::int64_t> static_shared_bytes;
  std::optional<std::int64_t> registers_per_thread;
  std::optional<std::int64_t> local_bytes_per_thread;
  std::int64_t launches = 0;
  std::int64_t timed_launches = 0;
  std::optional<std::int64_t> first_launch_ns, last_launch_ns;  // when they began, since the recording did
  std::optional<std::int64_t> median_gpu_ns;
  std::optional<std::int64_t> gpu_ns;  // of all launches: timed ones, the rest at the median
  std::optional<double> share;         // of the run's GPU time (kernels and transfers)
  Access load, store;
  Access atomic, reduction;  // with a result, without; requests are of phase lines
  Access async_copy;         // to shared memory (cp.async); not among the loads
  SharedAccess shared;
  std::vector<std::string> traits;             // what its accesses are, in words: "loads: strided"
  std::optional<std::int64_t> atomic_sectors;  // atomics with and without a result, a launch
  std::optional<std::int64_t> local_sectors;   // spills and run-time indexed arrays, a launch
  std::optional<std::int64_t> local_load_sectors, local_store_sectors;
  std::optional<std::int64_t> tma_instructions;  // what they moved is not counted anywhere
  // Loads of constant memory at several addresses, once a warp, a launch; and how many these are.
  std::optional<std::int64_t> constant_divergent_loads;
  std::optional<double> constant_addresses;
  std::optional<std::int64_t> instructions;  // of all kinds, once a warp, a launch
  std::optional<double> sector_efficiency;   // ideal sectors / sectors over all its instructions
  std::optional<std::int64_t> l2_sectors;    // read and written, a launch
  std::optional<std::int64_t> l2_read_sectors, l2_write_sectors;
  std::optional<double> l2_hit_ratio;
  std::optional<std::int64_t> dram_read_bytes;  // a launch
  std::optional<std::int64_t> dram_write_bytes;
  std::optional<std::int64_t> sysmem_sectors;  // a launch
  // Memory that its pointer parameters lead to: whole allocations, each once, on devices and on the host.
  std::optional<std::int64_t> footprint_bytes, host_footprint_bytes;
  std::optional<std::int64_t> loaded_footprint_bytes;  // of footprint_bytes; what is only stored left out
  bool has_loaded_pointers = false;  // and loads from where they lead, which no footprint covers
  std::optional<std::int64_t>
      least_atomic_bytes;                   // the smallest allocation that its atomics go to, by the code
  std::optional<double> launches_per_wait;  // of the process: waits of the host, synchronous copies included
  std::optional<double> beside_ratio;       // share of its time in which other kernels ran, too
  std::optional<double> asked_bandwidth;    // distinct bytes asked for / median time
  std::optional<double> dram_bandwidth;     // DRAM bytes / median time
  Samples bytes_samples, lines_samples, traffic_samples, hits_samples;
  std::optional<Mixed> mixed;  // L2, DRAM and hits are those of no launch, and missing
  bool completed = false;      // counts of another size stand in for some: see complete_sizes.h
  std::vector<Unmeasured> unmeasured;
  std::optional<std::string> worst_file;  // the line with the most surplus sectors
  std::optional<std::int64_t> worst_line;
  bool reads_given_apart = false;   // see rows/given_arrays.h
  std::vector<SiteUse> call_sites;  // most GPU time first
  std::optional<std::string>
      call_site;  // the stack behind most of it: "train.py:37 step() > ..."; nullopt: not known
  Origin origin = Origin::user;
  std::string owner;                     // the library, compiler or tool that it is of; empty: the user's own
  std::optional<std::string> code_file;  // the program or library that holds its code
  std::optional<std::string> code_loader;  // of code that no file holds: who loaded it
  // How far the measured launches differ: see launch_spread.h.
  std::optional<double> launch_spread;
  std::optional<LongLaunches> long_launches;
  std::optional<std::int64_t> code_crc;  // of the cubin that holds its code; known where lines were measured
};

// Of the shapes of a family that have the ratio; equal where one does.
struct Spread {
  std::optional<double> least, greatest;
};

// A count over all launches of a family.
struct FamilyTotal {
  std::string count;                     // "load_bytes"
  std::optional<std::int64_t> measured;  // of the shapes that were measured: a launch, times launches
  // Of all shapes; nullopt: every shape was measured, or fewer than two sizes were.
  std::optional<std::int64_t> estimated;
  std::optional<double> error;  // of the estimate of a single shape, relative; nullopt: not known
};

// How much of a family a phase has measured.
struct FamilyPhase {
  model::Phase phase = model::Phase::trace;
  std::int64_t shapes = 0;
  std::optional<double> share;  // of its GPU time, in the shapes that were measured
};

struct ProcessTime {
  std::int64_t process_id = 0;
  std::optional<std::int64_t> gpu_ns;
};

// One function with one block size: see kernel_families.h.
struct KernelFamily {
  std::string name, full_name, mangled_name;  // as KernelRow has them, without the process
  std::array<std::int64_t, 3> block{};
  std::vector<std::int64_t> kernel_ids;  // KernelRow::id of its shapes, most GPU time first
  std::int64_t shapes = 0;               // different grids
  std::int64_t variants = 0;             // rows of shapes that have several: see KernelRow::variant
  std::int64_t launches = 0, timed_launches = 0;
  std::optional<std::int64_t> gpu_ns;  // of the shapes that have one
  std::optional<double> share;
  Spread load_degree, store_degree, load_sectors_per_request, store_sectors_per_request, l2_hit_ratio;
  bool has_loads = true, has_stores = true;  // false: measured, and there are none
  bool uses_tma = false;                     // then these do not say that it moves nothing
  bool mixed = false;                        // launches of one of its shapes differ: see KernelRow::mixed
  std::vector<FamilyPhase> phases;
  std::vector<FamilyTotal> totals;
  std::vector<ProcessTime> processes;  // most GPU time first; one where only one launched it
  std::optional<double> imbalance;     // of several processes: the most GPU time / the mean - 1
};

}  // namespace coalescope::analysis
