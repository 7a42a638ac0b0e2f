#pragma once
// The fields of source lines, transfers and findings. Their order is that of CSV's columns, which never
// changes: what is new comes last.

#include "reports/analysis/kernel_fields.h"

namespace coalescope::analysis {

template <>
struct Fields<LineRow> {
  static constexpr std::string_view
      kName = "line",
      kAbout = "Memory instructions of one source line of one kernel; counts are per launch.";
  static constexpr Lack<LineRow> kCount{
      model::Phase::lines, {}, nullptr, "the counter was not collected for this line"},
      kRatio{model::Phase::lines,
             {},
             [](const LineRow&row) { return row.sectors == 0; },
             "the counter was not collected for this line"};
  static constexpr auto kAll = base::pack(
      Field{"kernel_id", &LineRow::kernel_id, "kernel_id"},
      Field{"kernel_name", &LineRow::kernel_name, "kernel", "Kernel", Show::name, "",
            "The kernel group in which it was measured."},
      Field{"file", &LineRow::file, "file", "File", Show::name, "", ""},
      Field{"line", &LineRow::line, "line", "Line", Show::text, "", ""},
      Field{"pc_offset", &LineRow::pc_offset, "pc_offset_bytes", "Offset", Show::address, "",
            "In the kernel's machine code, where the line is not known."},
      Field{"instructions", &LineRow::instructions, "memory_instructions", "Memory instructions", Show::count,
            "instructions", "Of this line; several may stand on one."},
      Field{"loads", &LineRow::loads, "loads_per_launch", "Loads", Show::count, "loads",
            "Executions, once per warp, per launch.", kCount},
      Field{"stores", &LineRow::stores, "stores_per_launch", "Stores", Show::count, "stores",
            "Executions, once per warp, per launch.", kCount},
      Field{"sectors", &LineRow::sectors, "sectors_per_launch", "Sectors: moved", Show::count,
            "sectors per launch", "Pieces of 32 bytes that the line moved per launch.", kCount},
      Field{"ideal_sectors", &LineRow::ideal_sectors, "ideal_sectors_per_launch", "Sectors: ideal",
            Show::count, "sectors per launch", definition_of("ideal sectors"), kCount},
      Field{"surplus_sectors", &LineRow::surplus_sectors, "surplus_sectors_per_launch", "Sectors: surplus",
            Show::count, "sectors per launch", definition_of("surplus sectors"), kCount},
      Field{"sector_efficiency", &LineRow::sector_efficiency, "sector_efficiency_ratio", "Sector efficiency",
            Show::share, "of the sectors were needed", definition_of("sector efficiency"), kRatio},
      Field{"sectors_per_request", &LineRow::sectors_per_request, "sectors_per_request",
            "Sectors per request", Show::ratio, "sectors per request",
            "Sectors moved per memory instruction of a warp.", kRatio},
      Field{"atomics", &LineRow::atomics, "atomics_per_launch", "Atomics", Show::count, "atomics",
            "With a result, per launch.", kCount},
      Field{"reductions", &LineRow::reductions, "reductions_per_launch", "Reductions", Show::count,
            "reductions", "Atomics without a result, per launch.", kCount},
      Field{"async_copies", &LineRow::async_copies, "async_copies_per_launch", "Asynchronous copies",
            Show::count, "copies", "To shared memory (cp.async), per launch.", kCount},
      Field{"threads", &LineRow::threads, "threads_per_launch", "Threads", Show::count, "threads",
            "That took part in requests to global memory, per launch.", kCount},
      Field{"lanes", &LineRow::lanes, "threads_per_request", "Threads per request", Show::ratio,
            "threads per request", "Threads that take part, per request.", kRatio},
      Field{"least_degree", &LineRow::least_degree, "least_degree_of_coalescing_ratio",
            "Degree of coalescing: at least", Show::share, "of the bytes moved were requested, at least",
            "Degree of coalescing of its loads and stores; it lies between these two.", kRatio},
      Field{"greatest_degree", &LineRow::greatest_degree, "greatest_degree_of_coalescing_ratio",
            "Degree of coalescing: at most", Show::share, "of the bytes moved were requested, at most",
            "Per-instruction counters give only a range for the degree.", kRatio},
      Field{"local_sectors", &LineRow::local_sectors, "local_sectors_per_launch", "Local sectors",
            Show::count, "sectors per launch", "Of local memory.", kCount},
      Field{"shared", &LineRow::shared, "shared", "Shared memory", Show::parts, "", ""},
      Field{"broadcast_loads", &LineRow::broadcast_loads, "broadcast_loads_per_launch", "Broadcast loads",
            Show::count, "loads", "Loads of a word that many lanes share.", kCount},
      Field{"indexed", &LineRow::indexed, "indexed", "Indexed", Show::flag, "",
            "Loaded data say where one of its loads goes."},
      Field{"narrow_loads", &LineRow::narrow_loads, "narrow_loads_per_launch", "Narrow loads", Show::count,
            "loads", "Contiguous loads of 1 or 2 bytes per lane, by the machine code.", kCount},
      Field{"scattered_loads", &LineRow::scattered_loads, "scattered_loads_per_launch", "Scattered loads",
            Show::count, "loads", "Loads that go where data say, each lane to a sector of its own.", kCount},
      Field{"scattered_stores", &LineRow::scattered_stores, "scattered_stores_per_launch", "Scattered stores",
            Show::count, "stores", "Stores that go where data say, each lane to a sector of its own.",
            kCount},
      Field{"parameter", &LineRow::parameter, "parameter", "Parameter", Show::count, "",
            "The kernel's parameter, from 0, through which the accesses with most surplus go, by the machine "
            "code."},
      Field{"decoded", &LineRow::decoded, "decoded", "Decoded", Show::flag, "",
            "The machine code was read; else counts suggest what is indexed."},
      Field{"traits", &LineRow::traits, "traits", "Accesses", Show::text, "",
            "What shape its accesses have, and which other kinds of access the line has."},
      Field{"text", &LineRow::text, "source", "Source", Show::name, "",
            "The line as it was recorded; if it was not, as the file has it now."});
};

template <>
struct Fields<TransferRow> {
  static constexpr std::string_view kName = "transfer",
                                    kAbout = "A class of transfers; sizes within a factor of four.";
  static constexpr Lack<TransferRow> kTime{
      model::Phase::trace,
      {},
      nullptr,
      "copied through the host: CUPTI tells the time of a part of such "
      "a copy only; some memory sets have no time in CUPTI's records; copies "
      "from host to host take no GPU time"},
      kShare{{}, {}, nullptr, "it has no time, or the run has no GPU time to compare with"},
      kReference{{}, {}, nullptr, "there is no figure of pinned memory for this kind of transfer"},
      kCallSite{{}, {}, nullptr, kNoCallSite};
  static constexpr auto kAll = base::pack(
      Field{"device_id", &TransferRow::device_id, "device_id"},
      Field{"direction", &TransferRow::direction, "direction", "Direction", Show::text, "", ""},
      Field{"source_memory", &TransferRow::source_memory, "source_memory", "From", Show::text, "",
            "Kind of memory."},
      Field{"destination_memory", &TransferRow::destination_memory, "destination_memory", "To", Show::text,
            "", "Kind of memory."},
      Field{"asynchronous", &TransferRow::asynchronous, "asynchronous", "Async", Show::flag, "",
            "Yes: an …Async call. With most other calls the host waits until the transfer ends."},
      Field{"smallest_bytes", &TransferRow::smallest_bytes, "smallest_bytes", "Size: smallest", Show::bytes,
            "bytes", "Size of the smallest; a class spans at most a factor of four."},
      Field{"largest_bytes", &TransferRow::largest_bytes, "largest_bytes", "Size: largest", Show::bytes,
            "bytes", "Size of the largest."},
      Field{"transfers", &TransferRow::transfers, "transfers", "Transfers", Show::count, "transfers",
            "How many. None is sampled."},
      Field{"bytes", &TransferRow::bytes, "bytes", "Bytes", Show::bytes, "bytes", "Total bytes."},
      Field{"gpu_ns", &TransferRow::gpu_ns, "gpu_ns", "GPU time", Show::ns, "ns", "Total GPU time.", kTime},
      Field{"share", &TransferRow::share, "share_of_run_ratio", "Share", Show::share, "of the run's GPU time",
            "Of the GPU time of all kernels and transfers.", kShare},
      Field{"bandwidth", &TransferRow::bandwidth, "bytes_per_s", "Bandwidth", Show::bandwidth, "",
            "Bytes / GPU time. GB means 1,000,000,000 bytes.", kTime},
      Field{"reference_bandwidth", &TransferRow::reference_bandwidth, "reference_bytes_per_s", "Reference",
            Show::bandwidth, "", "What pinned memory reaches here.", kReference},
      Field{"reference", &TransferRow::reference, "reference", "Reference was", Show::text, "",
            "Where that figure is from.", kReference},
      Field{"through_host", &TransferRow::through_host, "through_host", "Through the host", Show::flag, "",
            "A copy between two GPUs without peer access, whose time is not known."},
      Field{"call_site", &TransferRow::call_site, "call_site", "Requested by", Show::name, "",
            "The calls behind most of its time: the author's own frames, the innermost last.", kCallSite},
      Field{"timed_transfers", &TransferRow::timed_transfers, "timed_transfers", "Timed", Show::count,
            "transfers", "Those with a time. Copies without one count as their mean."},
      Field{"call_sites", &TransferRow::call_sites, "", "", Show::hidden, "", "Most GPU time first."});
};

template <>
struct Fields<Fact> {
  static constexpr std::string_view kName = "fact", kAbout = "A figure, and what it is.";
  static constexpr auto kAll = base::pack(
      Field{"key", &Fact::key, "", "", Show::hidden, "",
            "Such as sectors_per_request; a key keeps its meaning and its unit."},
      Field{"value", &Fact::value, ""},
      Field{"unit", &Fact::unit, "", "", Show::hidden, "",
            "share: 0 to 1; ratio: without a unit, such as a degree, which a cache may raise above 1; times: "
            "how many times "
            "as much; count: how often; ns, bytes, bytes_per_s; else what is counted: sectors, threads, "
            "lanes, registers, ..."});
};

template <>
struct Fields<Finding> {
  static constexpr std::string_view kName = "finding",
                                    kAbout = "What is wrong, where, what it costs, what to change.";
  static constexpr Lack<Finding> kCost{{}, {}, nullptr, "the cost could not be predicted"};
  static constexpr auto kAll = base::pack(
      Field{"rule", &Finding::rule, "rule", "Rule", Show::text, "", ""},
      Field{"level", &Finding::level, "level", "Level", Show::text, "", ""},
      Field{"title", &Finding::title, "title", "Finding", Show::text, "", ""},
      Field{"subject", &Finding::subject, "subject", "Kernel or transfers", Show::name, "", ""},
      Field{"kernel_id", &Finding::kernel_id, "kernel_id", "", Show::hidden, "",
            "Of several shapes the costliest; null: it is about no kernel, or about several together."},
      Field{"file", &Finding::file, "file", "File", Show::name, "", ""},
      Field{"line", &Finding::line, "line", "Line", Show::text, "", ""},
      Field{"lost_ns", &Finding::lost_ns, "lost_ns", "Lost", Show::ns, "ns",
            "null: the cost could not be predicted; basis says why.", kCost},
      Field{"least_lost_ns", &Finding::least_lost_ns, "least_lost_ns", "", Show::hidden, "ns",
            "With most_lost_ns the range within which four of five predictions of this kind came true.",
            kCost},
      Field{"most_lost_ns", &Finding::most_lost_ns, "most_lost_ns", "", Show::hidden, "ns", "", kCost},
      Field{"lost_share", &Finding::lost_share, "lost_share_of_run_ratio", "Share", Show::share,
            "of the run's GPU time", "", kCost},
      Field{"subject_ns", &Finding::subject_ns, "subject_gpu_ns", "GPU time", Show::ns, "ns", ""},
      Field{"evidence", &Finding::evidence, "evidence", "Seen", Show::text, "",
            "A sentence for people; its wording may change. Programs read facts."},
      Field{"advice", &Finding::advice, "advice", "Change", Show::text, "",
            "A sentence for people; its wording may change. Programs read advice_id."},
      Field{"basis", &Finding::basis, "basis", "Because", Show::text, "", ""},
      Field{"advice_id", &Finding::advice_id, "advice_id", "", Show::hidden, "",
            "Which advice of the rule it is, such as G03.block_multiple. An id keeps its meaning; new ones "
            "may come."},
      Field{"kernel_ids", &Finding::kernel_ids, "", "", Show::hidden, "",
            "All kernels that have it: shapes of one, or several together; empty: it is about none."},
      Field{"facts", &Finding::facts, "", "", Show::hidden, "",
            "The figures of the evidence; of several shapes those of the costliest. What was not measured is "
            "left out."},
      Field{"advice_parameters", &Finding::advice_parameters, "", "", Show::hidden, "",
            "The figures of the advice."},
      Field{"call_site_id", &Finding::call_site_id, "", "", Show::hidden, "",
            "The call site behind most of the time."},
      Field{"call_site", &Finding::call_site, "call_site", "Called by", Show::name, "",
            "Its stack: the author's own frames, the innermost last."},
      Field{"call_file", &Finding::call_file, "call_file", "Calling file", Show::name, "",
            "The author's own line that led to the kernel or transfer."},
      Field{"call_line", &Finding::call_line, "call_line", "Calling line", Show::text, "", ""},
      Field{"aside", &Finding::aside, "aside", "Aside", Show::text, "",
            "Why it is shown only with --all: library, tool, small, note; null: it is shown in any case."});
};

template <>
struct Fields<SiteTimes> {
  static constexpr std::string_view kName = "site_times", kAbout = "What a call site is the cause of.";
  static constexpr auto kAll = base::pack(
      Field{"kernel_ns", &SiteTimes::kernel_ns, "kernel_ns", "Kernels", Show::ns, "ns",
            "Without kernels of autotuners and other tools."},
      Field{"transfer_ns", &SiteTimes::transfer_ns, "transfer_ns", "Transfers", Show::ns, "ns", ""},
      Field{"wait_ns", &SiteTimes::wait_ns, "wait_ns", "Waits", Show::ns, "ns",
            "Time of the host in calls that wait for the GPU."});
};

template <>
struct Fields<CallSiteRow> {
  static constexpr std::string_view kName = "call_site",
                                    kAbout =
                                        "A frame of a call stack with what called it: the sites of a process "
                                        "form a tree.";
  static constexpr auto kAll =
      base::pack(Field{"id", &CallSiteRow::id, "call_site_id"},
                 Field{"process_id", &CallSiteRow::process_id, "process_id"},
                 Field{"caller_id", &CallSiteRow::caller_id, "caller_id", "", Show::hidden, "",
                       "The frame that called this one; null: it is the outermost that is known."},
                 Field{"kind", &CallSiteRow::kind, "kind", "Kind", Show::text, "", ""},
                 Field{"function", &CallSiteRow::function, "function", "Function", Show::name, "",
                       "Demangled; of a module of PyTorch its qualified name; empty: not known."},
                 Field{"file", &CallSiteRow::file, "file", "File", Show::name, "", ""},
                 Field{"line", &CallSiteRow::line, "line", "Line", Show::text, "", ""},
                 Field{"module", &CallSiteRow::module, "module", "Module", Show::name, "",
                       "The program or library that holds it; empty: no native code."},
                 Field{"own", &CallSiteRow::own, "own", "Own code", Show::flag, "",
                       "The author's own code, as far as its file tells."},
                 Field{"exclusive", &CallSiteRow::exclusive, "exclusive", "Itself", Show::parts, "", ""},
                 Field{"inclusive", &CallSiteRow::inclusive, "inclusive", "With all that it called",
                       Show::parts, "", ""});
};

}  // namespace coalescope::analysis
