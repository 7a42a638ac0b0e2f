#pragma once
// The fields of kernels, source lines, transfers and findings. Their order is that of CSV's columns, which
// never changes: what is new comes last.

#include "reports/analysis/fields.h"
#include "reports/analysis/report.h"

namespace coalescope::analysis {

template <>
struct Fields<Samples> {
  static constexpr std::string_view kName = "samples", kAbout = "Launches measured out of those seen.";
  static constexpr std::tuple kAll{Field{"measured", &Samples::measured, "launches_measured", ""},
                                   Field{"seen", &Samples::seen, "", ""}};
};

template <>
struct Fields<Access> {
  static constexpr std::string_view kName = "access",
                                    kAbout =
                                        "One way in which a kernel uses global memory: loads, stores, "
                                        "atomics, asynchronous copies.";
  static constexpr std::tuple kAll{
      Field{"data_bytes", &Access::data_bytes, "data_bytes_per_launch",
            "Distinct bytes requested per launch."},
      Field{"sectors", &Access::sectors, "sectors_per_launch", "Per launch."},
      Field{"requests", &Access::requests, "requests_per_launch", "Per launch."},
      Field{"degree", &Access::degree, "degree_of_coalescing_ratio", "Data bytes / (32 x sectors)."},
      Field{"sectors_per_request", &Access::sectors_per_request, "sectors_per_request", ""},
      Field{"sector_efficiency", &Access::sector_efficiency, "sector_efficiency_ratio",
            "Ideal sectors / sectors of its instructions."},
      Field{"lanes", &Access::lanes, "threads_per_request", "Threads that take part, per request."},
      Field{"l2_degree", &Access::l2_degree, "l2_degree_ratio",
            "Bytes requested / bytes that L2 moved; above 1 L1 served bytes again."},
      Field{"dram_degree", &Access::dram_degree, "dram_degree_ratio",
            "Bytes requested / bytes that DRAM moved; above 1 a cache served bytes again."}};
};

template <>
struct Fields<SharedAccess> {
  static constexpr std::string_view kName = "shared_access",
                                    kAbout = "What a kernel does in shared memory, per launch.";
  static constexpr std::tuple kAll{
      Field{"requests", &SharedAccess::requests, "requests_per_launch", ""},
      Field{"wavefronts", &SharedAccess::wavefronts, "wavefronts_per_launch", ""},
      Field{"ideal_wavefronts", &SharedAccess::ideal_wavefronts, "ideal_wavefronts_per_launch",
            "Without bank conflicts."},
      Field{"surplus_wavefronts", &SharedAccess::surplus_wavefronts, "surplus_wavefronts_per_launch",
            "Sum over instructions of what exceeds the ideal."}};
};

template <>
struct Fields<Unmeasured> {
  static constexpr std::string_view kName = "unmeasured", kAbout = "A phase that has no samples, and why.";
  static constexpr std::tuple kAll{Field{"phase", &Unmeasured::phase, "", ""},
                                   Field{"reason", &Unmeasured::reason, "", ""},
                                   Field{"text", &Unmeasured::text, "", "The reason in words."}};
};

template <>
struct Fields<Mixed::Part> {
  static constexpr std::string_view kName = "mixed_part", kAbout = "Launches of about the same value.";
  static constexpr std::tuple kAll{Field{"launches", &Mixed::Part::launches, "", "Measured."},
                                   Field{"value", &Mixed::Part::value, "", "Their median."}};
};

template <>
struct Fields<Mixed> {
  static constexpr std::string_view kName = "mixed",
                                    kAbout =
                                        "Launches that differ by more than noise, so that no mean of "
                                        "L2 and DRAM traffic is shown.";
  static constexpr std::tuple kAll{
      Field{"count", &Mixed::count, "", "What differs, such as l2_read_sectors."},
      Field{"least", &Mixed::least, "", "Of one launch."}, Field{"greatest", &Mixed::greatest, "", ""},
      Field{"launches", &Mixed::launches, "", "Measured."},
      Field{"parts", &Mixed::parts, "", "By rising value."}};
};

template <>
struct Fields<KernelRow> {
  static constexpr std::string_view kName = "kernel",
                                    kAbout =
                                        "A kernel group: launches that share kernel, grid, block and "
                                        "shared memory.";
  static constexpr std::tuple kAll{
      Field{"id", &KernelRow::id, "kernel_id", ""},
      Field{"name", &KernelRow::name, "name", "Short."},
      Field{"full_name", &KernelRow::full_name, "full_name", "Demangled."},
      Field{"mangled_name", &KernelRow::mangled_name, "mangled_name", ""},
      Field{"process_id", &KernelRow::process_id, "process_id", ""},
      Field{"device_id", &KernelRow::device_id, "device_id", ""},
      Field{"grid", &KernelRow::grid, "grid", ""},
      Field{"block", &KernelRow::block, "block", ""},
      Field{"dynamic_shared_bytes", &KernelRow::dynamic_shared_bytes, "dynamic_shared_bytes", ""},
      Field{
          "variant", &KernelRow::variant, "variant",
          "One of several rows of a kernel and shape, whose launches do different things, from 1; null: the "
          "only one."},
      Field{"parameters", &KernelRow::parameters, "parameters",
            "How the parameters of its launches differ from those of variant 1."},
      Field{"static_shared_bytes", &KernelRow::static_shared_bytes, "static_shared_bytes", ""},
      Field{"registers_per_thread", &KernelRow::registers_per_thread, "registers_per_thread", ""},
      Field{"local_bytes_per_thread", &KernelRow::local_bytes_per_thread, "local_bytes_per_thread", ""},
      Field{"launches", &KernelRow::launches, "launches", ""},
      Field{"timed_launches", &KernelRow::timed_launches, "timed_launches", ""},
      Field{"median_gpu_ns", &KernelRow::median_gpu_ns, "median_gpu_ns", ""},
      Field{"gpu_ns", &KernelRow::gpu_ns, "gpu_ns",
            "Of all launches; those without a time count as the median."},
      Field{"share", &KernelRow::share, "share_of_run_ratio", "Of the run's GPU time."},
      Field{"load", &KernelRow::load, "load", ""},
      Field{"store", &KernelRow::store, "store", ""},
      Field{"atomic", &KernelRow::atomic, "atomic", "With a result."},
      Field{"reduction", &KernelRow::reduction, "reduction", "Atomics without a result."},
      Field{"async_copy", &KernelRow::async_copy, "async_copy",
            "To shared memory (cp.async); not among the loads."},
      Field{"shared", &KernelRow::shared, "shared", ""},
      Field{"atomic_sectors", &KernelRow::atomic_sectors, "atomic_sectors_per_launch",
            "With and without a result."},
      Field{"local_sectors", &KernelRow::local_sectors, "local_sectors_per_launch", ""},
      Field{"local_load_sectors", &KernelRow::local_load_sectors, "local_load_sectors_per_launch", ""},
      Field{"local_store_sectors", &KernelRow::local_store_sectors, "local_store_sectors_per_launch", ""},
      Field{"tma_instructions", &KernelRow::tma_instructions, "tma_instructions_per_launch",
            "What they moved is not counted."},
      Field{"sector_efficiency", &KernelRow::sector_efficiency, "sector_efficiency_ratio",
            "Ideal sectors / sectors over all its instructions."},
      Field{"l2_sectors", &KernelRow::l2_sectors, "l2_sectors_per_launch", ""},
      Field{"l2_read_sectors", &KernelRow::l2_read_sectors, "l2_read_sectors_per_launch", ""},
      Field{"l2_write_sectors", &KernelRow::l2_write_sectors, "l2_write_sectors_per_launch", ""},
      Field{"l2_hit_ratio", &KernelRow::l2_hit_ratio, "l2_hit_ratio", ""},
      Field{"dram_read_bytes", &KernelRow::dram_read_bytes, "dram_read_bytes_per_launch", ""},
      Field{"dram_write_bytes", &KernelRow::dram_write_bytes, "dram_write_bytes_per_launch", ""},
      Field{"sysmem_sectors", &KernelRow::sysmem_sectors, "sysmem_sectors_per_launch", ""},
      Field{"footprint_bytes", &KernelRow::footprint_bytes, "footprint_bytes",
            "Device allocations that its pointers lead to, each once."},
      Field{"host_footprint_bytes", &KernelRow::host_footprint_bytes, "host_footprint_bytes", ""},
      Field{"asked_bandwidth", &KernelRow::asked_bandwidth, "asked_bytes_per_s", "Bytes per second."},
      Field{"dram_bandwidth", &KernelRow::dram_bandwidth, "dram_bytes_per_s", "Bytes per second."},
      Field{"bytes", &KernelRow::bytes, "bytes", ""},
      Field{"lines", &KernelRow::lines, "lines", ""},
      Field{"traffic", &KernelRow::traffic, "traffic", ""},
      Field{"hits", &KernelRow::hits, "hits", ""},
      Field{"worst_file", &KernelRow::worst_file, "worst_file", ""},
      Field{"worst_line", &KernelRow::worst_line, "worst_line", ""},
      Field{"traits", &KernelRow::traits, "traits", "What its accesses are, in words."},
      Field{"unmeasured", &KernelRow::unmeasured, "not_measured", ""},
      Field{"constant_divergent_loads", &KernelRow::constant_divergent_loads,
            "constant_divergent_loads_per_launch",
            "Loads of constant memory at several addresses of a warp; counted with --replay kernel only."},
      Field{"constant_addresses", &KernelRow::constant_addresses, "constant_addresses_per_load",
            "How many addresses those read."},
      Field{"mixed", &KernelRow::mixed, "",
            "Its launches differ by more than noise, so that no mean of L2 and DRAM traffic is shown; null: "
            "they "
            "do not, or fewer than two were measured."}};
};

template <>
struct Fields<LineRow> {
  static constexpr std::string_view kName = "line",
                                    kAbout =
                                        "Memory instructions of one source line of one kernel; counts are "
                                        "per launch.";
  static constexpr std::tuple kAll{
      Field{"kernel_id", &LineRow::kernel_id, "kernel_id", ""},
      Field{"kernel_name", &LineRow::kernel_name, "kernel", ""},
      Field{"file", &LineRow::file, "file", ""},
      Field{"line", &LineRow::line, "line", ""},
      Field{"pc_offset", &LineRow::pc_offset, "pc_offset_bytes", "Where the line is not known."},
      Field{"instructions", &LineRow::instructions, "memory_instructions", ""},
      Field{"loads", &LineRow::loads, "loads_per_launch", ""},
      Field{"stores", &LineRow::stores, "stores_per_launch", ""},
      Field{"sectors", &LineRow::sectors, "sectors_per_launch", ""},
      Field{"ideal_sectors", &LineRow::ideal_sectors, "ideal_sectors_per_launch", ""},
      Field{"surplus_sectors", &LineRow::surplus_sectors, "surplus_sectors_per_launch", ""},
      Field{"sector_efficiency", &LineRow::sector_efficiency, "sector_efficiency_ratio", ""},
      Field{"sectors_per_request", &LineRow::sectors_per_request, "sectors_per_request", ""},
      Field{"atomics", &LineRow::atomics, "atomics_per_launch", ""},
      Field{"reductions", &LineRow::reductions, "reductions_per_launch", ""},
      Field{"async_copies", &LineRow::async_copies, "async_copies_per_launch", ""},
      Field{"threads", &LineRow::threads, "threads_per_launch", ""},
      Field{"lanes", &LineRow::lanes, "threads_per_request", "Threads per request."},
      Field{"least_degree", &LineRow::least_degree, "least_degree_of_coalescing_ratio",
            "Degree of coalescing of its loads and stores; it lies between these two."},
      Field{"greatest_degree", &LineRow::greatest_degree, "greatest_degree_of_coalescing_ratio", ""},
      Field{"local_sectors", &LineRow::local_sectors, "local_sectors_per_launch", ""},
      Field{"shared", &LineRow::shared, "shared", ""},
      Field{"broadcast_loads", &LineRow::broadcast_loads, "broadcast_loads_per_launch",
            "Loads of a word that many lanes share."},
      Field{"indexed", &LineRow::indexed, "indexed", "One of its loads gives the index of another."},
      Field{"traits", &LineRow::traits, "traits", ""},
      Field{"text", &LineRow::text, "source", ""}};
};

template <>
struct Fields<TransferRow> {
  static constexpr std::string_view kName = "transfer",
                                    kAbout = "A class of transfers; sizes within a factor of four.";
  static constexpr std::tuple kAll{
      Field{"device_id", &TransferRow::device_id, "device_id", ""},
      Field{"direction", &TransferRow::direction, "direction", ""},
      Field{"source_memory", &TransferRow::source_memory, "source_memory", ""},
      Field{"destination_memory", &TransferRow::destination_memory, "destination_memory", ""},
      Field{"asynchronous", &TransferRow::asynchronous, "asynchronous", ""},
      Field{"smallest_bytes", &TransferRow::smallest_bytes, "smallest_bytes", ""},
      Field{"largest_bytes", &TransferRow::largest_bytes, "largest_bytes", ""},
      Field{"transfers", &TransferRow::transfers, "transfers", ""},
      Field{"bytes", &TransferRow::bytes, "bytes", ""},
      Field{"gpu_ns", &TransferRow::gpu_ns, "gpu_ns", ""},
      Field{"share", &TransferRow::share, "share_of_run_ratio", ""},
      Field{"bandwidth", &TransferRow::bandwidth, "bytes_per_s", ""},
      Field{"reference_bandwidth", &TransferRow::reference_bandwidth, "reference_bytes_per_s",
            "What pinned memory reaches here."},
      Field{"reference", &TransferRow::reference, "reference", "Where that figure is from."},
      Field{"through_host", &TransferRow::through_host, "through_host",
            "A copy between two GPUs without peer access, whose time is not known."}};
};

template <>
struct Fields<Fact> {
  static constexpr std::string_view kName = "fact", kAbout = "A figure, and what it is.";
  static constexpr std::tuple kAll{
      Field{"key", &Fact::key, "", "Such as sectors_per_request; a key keeps its meaning and its unit."},
      Field{"value", &Fact::value, "", ""},
      Field{"unit", &Fact::unit, "",
            "share: 0 to 1; ratio: without a unit, such as a degree, which a cache may raise above 1; times: "
            "how "
            "many times as much; count: how often; ns, bytes, bytes_per_s; else what is counted: sectors, "
            "threads, lanes, registers, ..."}};
};

template <>
struct Fields<Finding> {
  static constexpr std::string_view kName = "finding",
                                    kAbout = "What is wrong, where, what it costs, what to change.";
  static constexpr std::tuple kAll{
      Field{"rule", &Finding::rule, "rule", ""},
      Field{"level", &Finding::level, "level", ""},
      Field{"title", &Finding::title, "title", ""},
      Field{"subject", &Finding::subject, "subject", ""},
      Field{"kernel_id", &Finding::kernel_id, "kernel_id", "Of several shapes the costliest."},
      Field{"file", &Finding::file, "file", ""},
      Field{"line", &Finding::line, "line", ""},
      Field{"lost_ns", &Finding::lost_ns, "lost_ns",
            "null: the cost could not be predicted; basis says why."},
      Field{"lost_share", &Finding::lost_share, "lost_share_of_run_ratio", ""},
      Field{"subject_ns", &Finding::subject_ns, "subject_gpu_ns", ""},
      Field{"evidence", &Finding::evidence, "evidence",
            "A sentence for people; its wording may change. Programs read facts."},
      Field{"advice", &Finding::advice, "advice",
            "A sentence for people; its wording may change. Programs read advice_id."},
      Field{"basis", &Finding::basis, "basis", ""},
      Field{
          "advice_id", &Finding::advice_id, "advice_id",
          "Which advice of the rule it is, such as G03.block_multiple. An id keeps its meaning; new ones may "
          "come."},
      Field{"kernel_ids", &Finding::kernel_ids, "",
            "All shapes of the kernel that have it; empty: it is about no kernel."},
      Field{"facts", &Finding::facts, "",
            "The figures of the evidence; of several shapes those of the costliest. What was not measured is "
            "left "
            "out."},
      Field{"advice_parameters", &Finding::advice_parameters, "", "The figures of the advice."}};
};

}  // namespace coalescope::analysis
