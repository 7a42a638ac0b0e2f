#pragma once
// How long a launch would take if one resource alone held it up, for each resource whose rate is known. The
// longest is what bounds the kernel; repaired work is priced in the same way.

#include <optional>
#include <string_view>
#include <vector>

#include "reports/analysis/machine/machine.h"
#include "reports/analysis/report.h"

namespace coalescope::analysis {

enum class Operation { load, store };

// What a launch asks of the memory system; a kernel's own work comes from its counters, a repaired kernel's
// from what the repair takes away.
struct Work {
  double dram_bytes = 0;
  double dram_read_share = 0.5;
  double l2_read_bytes = 0, l2_write_bytes = 0;
  double read_alone = 0, write_alone = 0;  // part of the sectors that have a line of 128 bytes for themselves
  double passes = 0;        // of L1: lines that requests touch, and wavefronts of shared memory
  double thread_bytes = 0;  // that each thread asks for, where accesses are contiguous; else 0
  double blocks = 0;        // 0: not known. Few blocks leave multiprocessors idle
};

enum class MemoryLevel { dram, l2, l1 };
[[nodiscard]] std::string_view name_of(MemoryLevel level);  // "DRAM"

struct Bound {
  MemoryLevel level = MemoryLevel::dram;
  double amount = 0;  // bytes, or passes
  double ns = 0;
};

// std::nullopt: its sectors or its traffic were not measured.
[[nodiscard]] std::optional<Work> work_of(const KernelRow& kernel);

// The least that its traffic can have been, where it was not measured: the kernel's memory once, as far as it
// was touched, and all stores to local memory, which L1 passes on. std::nullopt: that memory is not known.
[[nodiscard]] std::optional<Work> least_work_of(const KernelRow& kernel);

// A resource whose rate is not known is left out.
[[nodiscard]] std::vector<Bound> bounds_of(const Work& work, const Machine& machine);
[[nodiscard]] Bound longest(const std::vector<Bound>& bounds);

// The least time in which its instructions can be issued: one a clock on each scheduler of the
// multiprocessors that have a block. 0: not counted, or the clock is not known.
[[nodiscard]] double issue_ns(const KernelRow& kernel, const Machine& machine);

// How much longer L2 takes for a byte where that part of the sectors has a line for itself: 1 where lines are
// wanted whole, what the scattered copy shows where none is, straight between. (Sectors that lie together
// cost no more: the curve over them is level on an H100.)
[[nodiscard]] double alone_factor(double alone, Operation operation, const Machine& machine);

// L1 passes of an operation: one for each line that a request touches (docs/decisions/018). Where its
// instructions were not counted, of the lines of its mean request.
[[nodiscard]] double passes_of(const Access& access);
// The fewest that its requests can do with.
[[nodiscard]] double needed_passes_of(const Access& access);
[[nodiscard]] double local_passes(const KernelRow& kernel);

// The bytes of the loads that each thread has under way if it waits for none of them; what DRAM reaches goes
// by it, as by the element's size of a copy with one element a thread.
[[nodiscard]] double thread_bytes(const KernelRow& kernel);

}  // namespace coalescope::analysis
