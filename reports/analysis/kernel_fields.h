#pragma once
// The fields of kernels. Their order is that of CSV's columns, which never changes: what is new comes last.

#include "reports/analysis/fields.h"
#include "reports/analysis/glossary.h"
#include "reports/analysis/report.h"

namespace coalescope::analysis {

inline constexpr std::string_view kNoCallSite = "its call stack was not looked at, or nothing names it";

template <>
struct Fields<SiteUse> {
  static constexpr std::string_view kName = "site_use",
                                    kAbout =
                                        "What one call site has to do with a kernel, transfers or waits.";
  static constexpr auto kAll = base::pack(
      Field{"call_site_id", &SiteUse::call_site_id, "", "", Show::hidden, "", "A row of call_sites."},
      Field{
          "role", &SiteUse::role, "", "", Show::hidden, "",
          "launch: made the call itself; graph_launch: launched a graph with the kernel; graph_node: put it "
          "into the graph."},
      Field{"calls", &SiteUse::calls, "", "", Show::hidden, "", "Those whose stack was looked at."},
      Field{"bytes", &SiteUse::bytes, "", "", Show::hidden, "", "Of transfers; null: of launches and waits."},
      Field{"gpu_ns", &SiteUse::gpu_ns, "", "", Show::hidden, "", "Of waits the time of the host."},
      Field{"share", &SiteUse::share, "", "", Show::hidden, "", "Of all sites in this role."},
      Field{"estimated_ns", &SiteUse::estimated_ns, "", "", Show::hidden, "",
            "gpu_ns with a part of the calls whose stack was not looked at: the row's time, divided as the "
            "known "
            "part is."},
      Field{
          "compared", &SiteUse::compared, "", "", Show::hidden, "",
          "Copies to the device whose bytes were compared with those of earlier ones of their size from this "
          "call; null: none was."},
      Field{"repeated", &SiteUse::repeated, "", "", Show::hidden, "",
            "Those of them that moved the same bytes as one before."});
};

template <>
struct Fields<Samples> {
  static constexpr std::string_view kName = "samples", kAbout = "Launches measured out of those seen.";
  static constexpr auto kAll = base::pack(Field{"measured", &Samples::measured, "launches_measured"},
                                          Field{"seen", &Samples::seen, ""});
};

constexpr bool no_such_access(const Access& row) {
  return row.sectors == 0 || row.requests == 0;
}

template <>
struct Fields<Access> {
  static constexpr std::string_view
      kName = "access",
      kAbout = "One way in which a kernel uses global memory: loads, stores, atomics, asynchronous copies.";
  static constexpr Lack<Access> kBytes{model::Phase::bytes, {}, no_such_access},
      kLines{model::Phase::lines, {}, no_such_access},
      kTraffic{model::Phase::bytes, model::Phase::traffic, no_such_access};
  static constexpr auto kAll = base::pack(
      Field{"data_bytes", &Access::data_bytes, "data_bytes_per_launch", "Data bytes", Show::bytes, "bytes",
            definition_of("data bytes"), kBytes},
      Field{"sectors", &Access::sectors, "sectors_per_launch", "Sectors", Show::count, "sectors",
            "Per launch.", kBytes},
      Field{"requests", &Access::requests, "requests_per_launch", "Requests", Show::count, "requests",
            "Per launch.", kBytes},
      Field{"degree", &Access::degree, "degree_of_coalescing_ratio", "Degree of coalescing", Show::share,
            "of the bytes moved were requested", definition_of("degree of coalescing"), kBytes},
      Field{"sectors_per_request", &Access::sectors_per_request, "sectors_per_request", "Sectors per request",
            Show::ratio, "sectors per request",
            "Sectors moved per memory instruction of a warp. 4 is perfect for 4-byte words, 32 the worst.",
            kBytes},
      Field{"sector_efficiency", &Access::sector_efficiency, "sector_efficiency_ratio", "Sector efficiency",
            Show::share, "of the sectors were needed", definition_of("sector efficiency"), kLines},
      Field{"lanes", &Access::lanes, "threads_per_request", "Threads per request", Show::ratio,
            "threads per request", "Threads that take part, per request.", kLines},
      Field{"l2_degree", &Access::l2_degree, "l2_degree_ratio", "Degree at L2", Show::degree,
            "of the bytes that L2 moved were requested",
            "Bytes requested / bytes that L2 moved; above 1 L1 served bytes again.", kTraffic},
      Field{"dram_degree", &Access::dram_degree, "dram_degree_ratio", "Degree at DRAM", Show::degree,
            "of the bytes that DRAM moved were requested",
            "Bytes requested / bytes that DRAM moved; above 1 a cache served bytes again.", kTraffic});
};

template <>
struct Fields<SharedAccess> {
  static constexpr std::string_view kName = "shared_access",
                                    kAbout = "What a kernel does in shared memory, per launch.";
  static constexpr Lack<SharedAccess> kLines{model::Phase::lines};
  static constexpr auto kAll =
      base::pack(Field{"requests", &SharedAccess::requests, "requests_per_launch", "Requests", Show::count,
                       "requests", "Per launch.", kLines},
                 Field{"wavefronts", &SharedAccess::wavefronts, "wavefronts_per_launch", "Wavefronts",
                       Show::count, "wavefronts", definition_of("wavefront"), kLines},
                 Field{"ideal_wavefronts", &SharedAccess::ideal_wavefronts, "ideal_wavefronts_per_launch",
                       "Ideal wavefronts", Show::count, "wavefronts", "Without bank conflicts.", kLines},
                 Field{"surplus_wavefronts", &SharedAccess::surplus_wavefronts,
                       "surplus_wavefronts_per_launch", "Surplus wavefronts", Show::count, "wavefronts",
                       "Sum over instructions of what exceeds the ideal.", kLines});
};

template <>
struct Fields<Unmeasured> {
  static constexpr std::string_view kName = "unmeasured", kAbout = "A phase that has no samples, and why.";
  static constexpr auto kAll =
      base::pack(Field{"phase", &Unmeasured::phase, ""}, Field{"reason", &Unmeasured::reason, ""},
                 Field{"text", &Unmeasured::text, "", "", Show::hidden, "", "The reason in words."});
};

template <>
struct Fields<Mixed::Part> {
  static constexpr std::string_view kName = "mixed_part", kAbout = "Launches of about the same value.";
  static constexpr auto kAll =
      base::pack(Field{"launches", &Mixed::Part::launches, "", "", Show::hidden, "", "Measured."},
                 Field{"value", &Mixed::Part::value, "", "", Show::hidden, "", "Their median."});
};

template <>
struct Fields<Mixed> {
  static constexpr std::string_view
      kName = "mixed",
      kAbout = "Launches that differ by more than noise, so that no mean of L2 and DRAM traffic is shown.";
  static constexpr auto kAll = base::pack(
      Field{"count", &Mixed::count, "", "", Show::hidden, "", "What differs, such as l2_read_sectors."},
      Field{"least", &Mixed::least, "", "", Show::hidden, "", "Of one launch."},
      Field{"greatest", &Mixed::greatest, ""},
      Field{"launches", &Mixed::launches, "", "", Show::hidden, "", "Measured."},
      Field{"parts", &Mixed::parts, "", "", Show::hidden, "", "By rising value."});
};

template <>
struct Fields<KernelRow> {
  static constexpr std::string_view
      kName = "kernel",
      kAbout = "A kernel group: launches that share kernel, grid, block and shared memory.";
  static constexpr Lack<KernelRow> kTrace{model::Phase::trace}, kBytes{model::Phase::bytes},
      kLines{model::Phase::lines}, kTraffic{model::Phase::traffic},
      kDriver{{}, {}, nullptr, "the driver did not say it"},
      kHits{model::Phase::hits, model::Phase::traffic,
            [](const KernelRow&row) { return row.l2_sectors == 0; }},
      kConstants{
          model::Phase::traffic, {}, [](const KernelRow&row) { return row.constant_divergent_loads == 0; }},
      kPointers{{}, {}, nullptr, "where its pointers lead was not recorded"},
      kCallSite{{}, {}, nullptr, kNoCallSite};
  static constexpr auto kAll = base::pack(
      Field{"id", &KernelRow::id, "kernel_id"},
      Field{"name", &KernelRow::name, "name", "Kernel", Show::name, "", "Short."},
      Field{"full_name", &KernelRow::full_name, "full_name", "", Show::hidden, "", "Demangled."},
      Field{"mangled_name", &KernelRow::mangled_name, "mangled_name"},
      Field{"process_id", &KernelRow::process_id, "process_id"},
      Field{"device_id", &KernelRow::device_id, "device_id"},
      Field{"grid", &KernelRow::grid, "grid", "Grid", Show::shape, "blocks", "Blocks of a launch."},
      Field{"block", &KernelRow::block, "block", "Block", Show::shape, "threads", "Threads of a block."},
      Field{"dynamic_shared_bytes", &KernelRow::dynamic_shared_bytes, "dynamic_shared_bytes",
            "Dynamic shared memory", Show::bytes, "bytes", "Per block, as the launch requested it."},
      Field{"variant", &KernelRow::variant, "variant", "Variant", Show::count, "",
            "One of several rows of a kernel and shape, whose launches do different things, from 1; null: "
            "the only one."},
      Field{"parameters", &KernelRow::parameters, "parameters", "Parameters", Show::text, "",
            "How the parameters of its launches differ from those of variant 1."},
      Field{"static_shared_bytes", &KernelRow::static_shared_bytes, "static_shared_bytes",
            "Static shared memory", Show::bytes, "bytes", "Per block.", kDriver},
      Field{"registers_per_thread", &KernelRow::registers_per_thread, "registers_per_thread", "Registers",
            Show::count, "registers per thread", "Per thread.", kDriver},
      Field{"local_bytes_per_thread", &KernelRow::local_bytes_per_thread, "local_bytes_per_thread",
            "Local memory", Show::bytes, "bytes per thread",
            "Per thread: spilled registers, and arrays that are indexed at run time.", kDriver},
      Field{"launches", &KernelRow::launches, "launches", "Launches", Show::count, "launches",
            "How often it was launched."},
      Field{"timed_launches", &KernelRow::timed_launches, "timed_launches", "Timed", Show::count, "launches",
            "Launches that have a time."},
      Field{"first_launch_ns", &KernelRow::first_launch_ns, "first_launch_ns", "First launch at", Show::ns,
            "ns", "When the first listed launch began, since the recording did.", kTrace},
      Field{"last_launch_ns", &KernelRow::last_launch_ns, "last_launch_ns", "Last launch at", Show::ns, "ns",
            "When the last listed launch began.", kTrace},
      Field{"median_gpu_ns", &KernelRow::median_gpu_ns, "median_gpu_ns", "Median time", Show::ns, "ns",
            "Median GPU time of one launch.", kTrace},
      Field{"gpu_ns", &KernelRow::gpu_ns, "gpu_ns", "GPU time", Show::ns, "ns",
            "Of all launches; those without a time count as the median.", kTrace},
      Field{"share", &KernelRow::share, "share_of_run_ratio", "Share", Show::share, "of the run's GPU time",
            "Of the GPU time of all kernels and transfers.", kTrace},
      Field{"load", &KernelRow::load, "load", "Loads", Show::parts, "", ""},
      Field{"store", &KernelRow::store, "store", "Stores", Show::parts, "", ""},
      Field{"atomic", &KernelRow::atomic, "atomic", "Atomics", Show::parts, "", "With a result."},
      Field{"reduction", &KernelRow::reduction, "reduction", "Reductions", Show::parts, "",
            "Atomics without a result."},
      Field{"async_copy", &KernelRow::async_copy, "async_copy", "Asynchronous copies", Show::parts, "",
            "To shared memory (cp.async); not among the loads."},
      Field{"shared", &KernelRow::shared, "shared", "Shared memory", Show::parts, "", ""},
      Field{"atomic_sectors", &KernelRow::atomic_sectors, "all_atomic_sectors_per_launch", "Atomic sectors",
            Show::count, "sectors", "Of atomics with and without a result, per launch.", kBytes},
      Field{"local_sectors", &KernelRow::local_sectors, "local_sectors_per_launch", "Local sectors",
            Show::count, "sectors", "Of local memory, per launch.", kBytes},
      Field{"local_load_sectors", &KernelRow::local_load_sectors, "local_load_sectors_per_launch",
            "Local sectors loaded", Show::count, "sectors", "Per launch.", kBytes},
      Field{"local_store_sectors", &KernelRow::local_store_sectors, "local_store_sectors_per_launch",
            "Local sectors stored", Show::count, "sectors", "Per launch.", kBytes},
      Field{"tma_instructions", &KernelRow::tma_instructions, "tma_instructions_per_launch",
            "TMA instructions", Show::count, "instructions", "Per launch. What they moved is not counted.",
            kBytes},
      Field{"sector_efficiency", &KernelRow::sector_efficiency, "sector_efficiency_ratio",
            "Sector efficiency", Show::share, "of the sectors were needed",
            "Over all its instructions: ideal sectors / sectors moved.", kLines},
      Field{"l2_sectors", &KernelRow::l2_sectors, "l2_sectors_per_launch", "L2: sectors", Show::count,
            "sectors", "Read and written, per launch.", kTraffic},
      Field{"l2_read_sectors", &KernelRow::l2_read_sectors, "l2_read_sectors_per_launch", "L2: sectors read",
            Show::count, "sectors", "Per launch.", kTraffic},
      Field{"l2_write_sectors", &KernelRow::l2_write_sectors, "l2_write_sectors_per_launch",
            "L2: sectors written", Show::count, "sectors", "Per launch.", kTraffic},
      Field{"l2_hit_ratio", &KernelRow::l2_hit_ratio, "l2_hit_ratio", "L2: hits", Show::share,
            "of the sectors requested from L2 were there",
            "Sectors that L2 already held / sectors requested from it.", kHits},
      Field{"dram_read_bytes", &KernelRow::dram_read_bytes, "dram_read_bytes_per_launch", "DRAM: read",
            Show::bytes, "bytes", "Bytes read from device memory per launch.", kTraffic},
      Field{"dram_write_bytes", &KernelRow::dram_write_bytes, "dram_write_bytes_per_launch", "DRAM: written",
            Show::bytes, "bytes", "Bytes written to device memory per launch.", kTraffic},
      Field{"sysmem_sectors", &KernelRow::sysmem_sectors, "sysmem_sectors_per_launch", "Host memory sectors",
            Show::count, "sectors",
            "Between L2 and host memory, per launch; a few of them are of every kernel.", kTraffic},
      Field{"footprint_bytes", &KernelRow::footprint_bytes, "footprint_bytes", "Footprint", Show::bytes,
            "bytes", "Device allocations that its pointers lead to, each once.", kPointers},
      Field{"loaded_footprint_bytes", &KernelRow::loaded_footprint_bytes, "loaded_footprint_bytes",
            "Footprint of loads", Show::bytes, "bytes",
            "Device allocations that it loads from, by its machine code, each once.", kPointers},
      Field{"host_footprint_bytes", &KernelRow::host_footprint_bytes, "host_footprint_bytes",
            "Footprint on the host", Show::bytes, "bytes",
            "Host allocations that its pointers lead to, each once.", kPointers},
      Field{"asked_bandwidth", &KernelRow::asked_bandwidth, "asked_bytes_per_s", "Requested bandwidth",
            Show::bandwidth, "", "Data bytes / median time.", kBytes},
      Field{"dram_bandwidth", &KernelRow::dram_bandwidth, "dram_bytes_per_s", "DRAM: bandwidth",
            Show::bandwidth, "", "DRAM bytes / median time.", kTraffic},
      Field{"bytes", &KernelRow::bytes_samples, "bytes", "Measured: bytes", Show::count, "",
            "Launches measured in phase bytes."},
      Field{"lines", &KernelRow::lines_samples, "lines", "Measured: lines", Show::count, "",
            "Launches measured in phase lines."},
      Field{"traffic", &KernelRow::traffic_samples, "traffic", "Measured: traffic", Show::count, "",
            "Launches measured in phase traffic."},
      Field{"hits", &KernelRow::hits_samples, "hits", "Measured: hits", Show::count, "",
            "Launches measured in phase hits."},
      Field{"worst_file", &KernelRow::worst_file, "worst_file", "Worst file", Show::name, "",
            "Of the line with the most surplus sectors."},
      Field{"worst_line", &KernelRow::worst_line, "worst_line", "Worst line", Show::text, "",
            "The line with the most surplus sectors."},
      Field{"traits", &KernelRow::traits, "traits", "Accesses", Show::text, "",
            "What its accesses are, in words."},
      Field{"unmeasured", &KernelRow::unmeasured, "not_measured"},
      Field{"constant_divergent_loads", &KernelRow::constant_divergent_loads,
            "constant_divergent_loads_per_launch", "Divergent constant loads", Show::count, "loads",
            "Loads of constant memory at several addresses of a warp.", kTraffic},
      Field{"constant_addresses", &KernelRow::constant_addresses, "constant_addresses_per_load",
            "Constant addresses per load", Show::ratio, "addresses per load",
            "How many addresses those read.", kConstants},
      Field{"instructions", &KernelRow::instructions, "instructions_per_launch", "Instructions", Show::count,
            "instructions", "Instructions of all kinds, counted once per warp.", kTraffic},
      Field{"mixed", &KernelRow::mixed, "", "Mixed", Show::text, "",
            "Its launches differ by more than noise, so that no mean of L2 and DRAM traffic is shown; null: "
            "they do not, or "
            "fewer than two were measured."},
      Field{
          "call_site", &KernelRow::call_site, "call_site", "Launched by", Show::name, "",
          "The calls behind most of its time: the author's own frames, the innermost last. Of a kernel in a "
          "graph, who put it there.",
          kCallSite},
      Field{"call_sites", &KernelRow::call_sites, "", "", Show::hidden, "",
            "Who launched it, the graphs that it is in, or put it into them; most GPU time first."},
      Field{"origin", &KernelRow::origin, "origin", "", Show::hidden, "",
            "As its name and its files tell: user; generated (from Python code of the user); library; tool "
            "(runs "
            "beside the program's work)."},
      Field{"owner", &KernelRow::owner, "owner", "Code of", Show::text, "",
            "The library, compiler or tool; empty: the user's own."},
      Field{
          "code_file", &KernelRow::code_file, "code_file", "Code in", Show::text, "",
          "The program, library or code file that holds its code; null: the code was made while the program "
          "ran, or the file is not known."});
};

}  // namespace coalescope::analysis
