#pragma once
// What the program did beside kernels and copies, as the report shows it: what it allocated and where its
// kernels' pointers lead, what managed memory did, L2 windows, its own named ranges, and its waits. Of the
// first run only, as all that is not counted.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/model/activity.h"
#include "core/model/memory.h"
#include "reports/analysis/call_sites.h"
#include "reports/analysis/time_line.h"

namespace coalescope::analysis {

struct AllocationSum {
  model::AllocationKind kind = model::AllocationKind::unknown;
  std::optional<std::int64_t> device_id;  // nullopt: host memory
  std::int64_t allocations = 0;
  std::int64_t bytes = 0;
  std::int64_t largest_bytes = 0;
  std::int64_t most_bytes = 0;  // at one time
  std::int64_t freed = 0;
};

// What unified memory did with a stretch of addresses.
struct Migration {
  std::int64_t bytes_to_device = 0;
  std::int64_t bytes_to_host = 0;
  std::int64_t bytes_between_devices = 0;
  std::int64_t cpu_faults = 0;
  std::int64_t gpu_faults = 0;
  std::int64_t thrashing = 0, throttling = 0, remote_maps = 0;  // records of each
  std::int64_t fault_ns = 0;                                    // time in which the GPU's faults were served
  // Of the bytes in each direction, those of pages that had not gone there before.
  std::int64_t first_bytes_to_device = 0, first_bytes_to_host = 0;
  std::int64_t pieces_to_device = 0;  // in so many records: a prefetch moves 2 MiB at once, faults less
  // The time in which they came, with the pauses while faults were served; of the first bytes and the others.
  std::int64_t first_ns = 0, again_ns = 0;
  std::optional<std::int64_t> began_ns, ended_ns;  // the first record and the end of the last
  // Where recording stopped at its limit: GPU time of the kernels with pointers to managed memory, until then
  // and in the whole run. 0: everything was recorded.
  std::int64_t recorded_kernel_ns = 0, kernel_ns = 0;
};

void add(Migration& sum, const Migration& other);

struct AllocationRow {
  std::int64_t id = 0;  // allocation.id; 0 in `Program::migrations`: of no allocation that is listed
  model::AllocationKind kind = model::AllocationKind::unknown;
  std::optional<std::int64_t> device_id;
  std::int64_t bytes = 0;
  std::optional<std::int64_t> allocated_ns, freed_ns;
  std::optional<std::string> place;    // "train.cu's function, or library+offset"; nullopt: not looked up
  std::optional<std::string> callers;  // the calls around it, innermost first, a line each
  std::optional<std::int64_t> call_site_id;  // CallSiteRow::id
  Migration migration;
};

struct PointerRow {
  std::int64_t kernel_id = 0;  // KernelRow::id
  std::string kernel_name;
  std::int64_t parameter = 0;
  model::MemoryKind memory = model::MemoryKind::unknown;
  std::optional<std::int64_t> device_id;
  std::optional<std::int64_t> allocation_bytes;
  std::optional<std::int64_t> offset_bytes;  // from the allocation's beginning
  // Who asked for the memory: of PyTorch's pool for the tensor, where that was recorded, or "inside PyTorch's
  // pool". nullopt: not known.
  std::optional<std::string> place;
  std::optional<std::int64_t> call_site_id;  // CallSiteRow::id
};

struct NamedRange {
  std::optional<std::string> domain;
  std::string name;
  std::int64_t ranges = 0;
  std::int64_t open = 0;      // of them, those whose end was not seen
  std::int64_t host_ns = 0;   // of those with an end
  std::int64_t launches = 0;  // timed kernels that began on the GPU while one was open
  std::int64_t gpu_ns = 0;    // their time
};

struct WaitRow {
  model::SynchronizationKind kind = model::SynchronizationKind::unknown;
  std::int64_t calls = 0;
  std::int64_t wait_ns = 0;
  std::int64_t listed = 0;  // calls that waited 10 us or more
  std::int64_t longest_ns = 0;
  std::vector<SiteUse> call_sites;       // most time first
  std::optional<std::string> call_site;  // the stack behind most of it; nullopt: not known
};

// Copies into shared memory that run beside the kernel's instructions, of the launches measured for bytes.
struct AsyncCopyRow {
  std::int64_t kernel_id = 0;
  std::string kernel_name;
  std::int64_t launches = 0;                   // measured
  std::optional<std::int64_t> bytes, sectors;  // cp.async; nullopt: this chip does not count it
  std::optional<std::int64_t> requests;
  std::optional<std::int64_t> tma_instructions;  // what they moved is not counted anywhere
};

// Kernels and copies of a process on a device, in the order of time. What measuring slowed down or took apart
// is left out: times in and beside its windows count for nothing here.
struct TimelineRow {
  std::int64_t process_id = 0;
  std::int64_t device_id = 0;
  std::int64_t copies = 0;      // and memory sets, that are listed
  std::int64_t busy_ns = 0;     // a kernel or a copy ran
  std::int64_t overlap_ns = 0;  // a kernel and a copy ran at once
  // Idle moments before or after a copy that its caller waited for.
  std::int64_t synchronous_copies = 0;
  std::int64_t all_synchronous_copies = 0;  // with those of a long run that are not listed
  std::int64_t waits = 0;
  std::int64_t wait_ns = 0;
  std::int64_t wait_busy_ns = 0;  // a kernel or a copy ran between such moments that follow each other
  // Longer moments before such uploads, in which the host brings the data together.
  std::int64_t preparations = 0;
  std::int64_t preparation_ns = 0;  // each counts up to twice the median
  // And behind downloads of more than a few values, in which the host works on these.
  std::int64_t evaluations = 0;
  std::int64_t evaluation_ns = 0;  // as above
  // Upload, kernels, download, each of which waited for the one before.
  std::int64_t rounds = 0;
  std::int64_t round_upload_ns = 0, round_kernel_ns = 0, round_download_ns = 0;
  std::int64_t round_busy_ns = 0;  // as the three together, but what ran at once counts once
  std::int64_t round_idle_ns = 0;  // before and between their steps
  bool rounds_queued = false;      // the host queues most of them before the one before has ended
  bool round_streams = false;      // their copies are in several
  std::string round_kernel_apart;  // in a stream of none of these copies, unlike other kernels; empty: none
  bool round_pageable = false;     // some of these copies were of pageable memory
  std::int64_t all_rounds = 0;     // with those that overlap others
  std::int64_t rounds_began_ns = 0, rounds_ended_ns = 0;  // the first of `rounds` and the last
  // Downloads of which the host uploaded at once what it got, or much less that it made of that.
  std::int64_t round_trips = 0;
  std::int64_t round_trip_bytes = 0;           // to the host, of all
  std::int64_t round_trip_bytes_back = 0;      // from it
  std::int64_t round_trip_ns = 0;              // both ways and the pauses between, of all
  std::string round_trip_from, round_trip_to;  // the kernels around the first
  // Idle moments before kernels that had not been launched yet, although no call kept the host.
  std::int64_t launch_gaps = 0;
  std::int64_t launch_gap_ns = 0;
  // The same behind calls that waited for the GPU, although nothing had gone to the host since the last one.
  // None where kernels use memory of the host, and of one rank of several: others may use the results.
  std::int64_t plain_waits = 0;
  std::int64_t plain_wait_idle_ns = 0;
  std::int64_t plain_wait_gap_ns = 0;  // of it, what the host would gain natively without the waits
  double waits_for_each_met = 1;  // all waits of that kind / those of which the pause behind them is known
  std::map<std::int64_t, std::int64_t> plain_wait_sites;  // CallSiteRow::id: how many, as far as looked up
  std::int64_t launch_extra_ns = 0;                       // that recording takes of a launch
  // Of a long run only a part is listed.
  double launches_for_each_listed = 1, copies_for_each_listed = 1;
};

// A part of a kernel's launches.
struct KernelPart {
  std::int64_t kernel_id = 0;  // KernelRow::id
  double share = 0;            // of its timed launches
};

// An L2 access-policy window while it was in force, with the launches that it concerns.
struct L2WindowRow {
  std::int64_t process_id = 0;
  std::optional<std::int64_t> device_id;  // nullopt: nothing ran under it
  model::L2Window window;
  std::optional<std::int64_t> ended_ns;         // replaced, taken away or reset; nullopt: never
  std::optional<std::int64_t> set_aside_bytes;  // asked for before it; nullopt: not while recording
  std::int64_t other_bytes =
      0;  // bytes x hit ratio of persisting L2 windows of other streams at the same time
  std::int64_t other_windows = 0;
  bool pointers_known = false;      // of all kernels that ran under it
  std::int64_t launches = 0;        // under it, with a pointer into it
  std::int64_t gpu_ns = 0;          // of those
  std::int64_t later_launches = 0;  // after one of those, while its lines still persisted, and without
  std::int64_t later_gpu_ns = 0;
  std::int64_t uses_after_later = 0;     // times that the L2 window was used again after such launches
  std::vector<KernelPart> users, later;  // the kernels of both
  bool first_of_all = true;              // no other that was in force at the same time was set before
  std::vector<KernelPart> together;      // of that one: the kernels under all of them
  double at_once = 1;                    // how many of their launches ran at one time
};

// Memory that one call allocates or pins, and did again where memory of that size had been given back. Or, if
// `emptied`, memory that one call gives back, out of a pool that would have kept it.
struct AllocatedAgainRow {
  std::int64_t process_id = 0;
  model::AllocationKind kind = model::AllocationKind::pinned;  // registered, device or managed
  std::optional<std::int64_t> call_site_id;                    // CallSiteRow::id; nullopt: not looked up
  std::optional<std::string> place;                            // as AllocationRow's
  bool emptied = false;
  std::int64_t allocations = 0;  // by this call; if `emptied`, that it gave back
  std::int64_t again = 0;        // of them, those that could have used memory that had been given back
  std::int64_t largest_bytes = 0;
  std::optional<std::int64_t> calls_ns;  // of the calls for these, and of those that gave back before them
  std::int64_t idle_ns = 0;              // of the GPU, behind these calls: see rows/idle_behind_calls.h
  std::int64_t unlisted = 0;             // allocations of the process that the capture does not list
};

// Element-wise operations of a library that follow each other on a stream, each on what the one before wrote
// as far as the capture tells; the last may reduce it.
struct OperationChainRow {
  std::int64_t process_id = 0;
  std::int64_t device_id = 0;
  std::vector<std::int64_t> kernel_ids;  // KernelRow::id of each operation, in their order
  std::int64_t times = 0;                // how often they ran like this
  bool attention = false;  // a softmax, and what else lies between two matrix products; else two or more
};

// Kernels that follow each other on a stream and read the same arrays, independently of each other.
struct ReadAgainRow {
  std::int64_t process_id = 0;
  std::int64_t device_id = 0;
  std::vector<std::int64_t> kernel_ids;   // KernelRow::id, in their order
  std::vector<std::int64_t> again_bytes;  // of each: of the allocations that one before it reads, too
  std::int64_t times = 0;                 // how often they ran like this
};

// Launches of one kernel that follow each other and read the same array, independently of each other.
struct ReadByEachRow {
  std::int64_t process_id = 0;
  std::int64_t device_id = 0;
  std::int64_t kernel_id = 0;  // KernelRow::id
  std::int64_t launches = 0;
  double in_a_row = 0;           // on average
  std::int64_t array_bytes = 0;  // of its allocation; of a matrix what a launch reads from DRAM
  bool product = false;          // a library's matrix product
};

// Of a kernel and the one behind it, per launch.
struct HandedOnLink {
  std::int64_t handed_bytes = 0;  // that the first one stores and the second one loads
  std::int64_t kept_bytes = 0;    // of these, stored for a later launch, too
  std::int64_t shared_bytes = 0;  // that both load
  double readers = 1;             // threads that load what one has stored
};

// Kernels that follow each other, each of which alone loads or changes what the one before stores.
struct HandedOnRow {
  std::int64_t process_id = 0;
  std::int64_t device_id = 0;
  std::vector<std::int64_t> kernel_ids;  // KernelRow::id, in their order
  std::vector<HandedOnLink> links;       // one fewer than kernels
  std::int64_t times = 0;                // how often they ran like this
};

// Fills of memory that a kernel then overwrites and does not load.
struct OverwrittenFillRow {
  std::int64_t process_id = 0;
  std::int64_t device_id = 0;
  // What fills: a kernel (KernelRow::id), or memory sets (TransferRow::id of their class).
  std::optional<std::int64_t> kernel_id, transfer_id;
  std::optional<std::int64_t> call_site_id;  // who asks for the fills; nullopt: several calls, or not known
  std::int64_t overwritten_by = 0;           // KernelRow::id; of several the one that does so most often
  std::int64_t times = 0;                    // how often a fill was overwritten
  double share = 1;                          // that is of the fills that are listed
  std::int64_t bytes = 0;                    // of each
  std::int64_t gpu_ns = 0;                   // of all these fills
};

// Gradients that PyTorch fills with zeros, so that the backward pass adds to them instead of storing.
struct ZeroedGradientsRow {
  std::int64_t process_id = 0;
  std::int64_t device_id = 0;
  std::optional<std::int64_t> call_site_id;  // of most of the fills; nullopt: not known
  std::vector<std::int64_t> kernel_ids;      // KernelRow::id: those that fill, then those that add
  std::int64_t fills = 0;                    // launches and memory sets
  std::int64_t bytes = 0;                    // of all fills
  std::int64_t fill_ns = 0;
  std::int64_t add_ns = 0;  // of additions to as many bytes
};

// Gradients of a table that are stored for a few of its rows, in an array of the table's size.
struct TableGradientsRow {
  std::int64_t process_id = 0;
  std::int64_t device_id = 0;
  std::optional<std::int64_t> call_site_id;  // where the rows are looked up; nullopt: not known
  std::vector<std::int64_t> kernel_ids;  // KernelRow::id: that stores rows, those that fill, the optimiser's
  std::int64_t steps = 0;
  std::int64_t table_bytes = 0;   // that are filled, a step
  std::int64_t row_bytes = 0;     // that are stored, a step
  std::int64_t fill_ns = 0;       // of all steps
  std::int64_t optimiser_ns = 0;  // for arrays of the table's size
};

// Tensors that PyTorch's autocast converts to another type in each call, in a process without gradients.
struct AutocastRow {
  std::int64_t process_id = 0;
  std::int64_t device_id = 0;
  std::int64_t call_site_id = 0;         // that calls the model, of most of their time
  std::vector<std::int64_t> kernel_ids;  // KernelRow::id
  std::int64_t conversions = 0;          // launches
  std::optional<double> bytes;           // loaded and stored; nullopt: not measured for each kernel
  std::int64_t gpu_ns = 0;
};

// What copies of arrays within a device do, as far as kernels and counters tell.
enum class ArrayCopy : std::uint8_t {
  plain,       // as it is
  rearranged,  // into another layout
  converted,   // to another type
  repeated,    // its elements many times
  joined,      // several arrays to one
};

// Copies within a device that one function of the author's asks for.
struct ArrayCopiesRow {
  std::int64_t process_id = 0;
  std::int64_t device_id = 0;
  std::int64_t call_site_id = 0;           // of most of their time
  ArrayCopy what = ArrayCopy::plain;       // most of their time
  bool by_torch = false;                   // PyTorch makes them
  bool only_stored = false;                // kernels store to what is copied, and load none of it
  std::vector<std::int64_t> kernel_ids;    // KernelRow::id
  std::vector<std::int64_t> transfer_ids;  // TransferRow::id of their classes
  std::int64_t copies = 0;
  std::int64_t gpu_ns = 0;
  double share = 0;  // of the time of all the process's kernels and such copies on the device
};

struct Program {
  std::vector<AllocationSum> allocations;  // most bytes first
  std::vector<AllocationRow> largest;      // at most 20
  std::vector<MemoryCourse> memory;
  std::vector<AllocationPlace> allocation_places;  // most bytes at one time first; at most 20
  std::vector<PointerRow> pointers;                // in the order of the kernels
  std::vector<AsyncCopyRow> async_copies;          // kernels that use any, in the order of the kernels
  std::vector<AllocationRow> migrations;           // managed allocations that moved, most bytes moved first
  std::vector<model::L2Window> set_l2_windows;
  std::vector<model::L2Setting> l2_settings;
  std::vector<NamedRange> ranges;  // most host time first
  std::vector<WaitRow> waits;      // most time first
  // For how long the host would wait for the GPU natively: see host_waits.h. nullopt: not known.
  std::optional<std::int64_t> host_wait_ns;
  std::vector<TimelineRow> timelines;
  std::vector<L2WindowRow> l2_windows;  // persisting ones, in the order in which they were set
  std::int64_t l2_windows_left_out = 0;
  std::vector<AllocatedAgainRow> allocated_again;  // most time first
  std::vector<OperationChainRow> operation_chains;
  std::vector<ReadAgainRow> read_again;
  std::vector<ReadByEachRow> read_by_each;  // most launches first
  std::vector<HandedOnRow> handed_on;
  std::vector<OverwrittenFillRow> overwritten_fills;  // most time first
  std::vector<ZeroedGradientsRow> zeroed_gradients;   // one for each process and device
  std::vector<TableGradientsRow> table_gradients;
  std::vector<AutocastRow> autocasts;        // the same
  std::vector<ArrayCopiesRow> array_copies;  // most time first
};

}  // namespace coalescope::analysis
