#pragma once
// What rules judge: a row of the report with everything beside it that a judgement may need. Nothing here
// owns anything; a subject lives as long as its report is being made.

#include <optional>
#include <span>
#include <vector>

#include "reports/analysis/machine/machine.h"
#include "reports/analysis/report.h"

namespace coalescope::analysis {

struct KernelSubject {
  const KernelRow& row;
  const Machine& machine;
  std::span<const LineRow* const> lines;        // of this kernel, most surplus sectors first
  std::span<const PointerRow* const> pointers;  // its parameters that are pointers
  const model::Device* device = nullptr;
  // What it reads again from DRAM is a matter of L2 windows: it has one, or a finding about one says so.
  bool under_l2_window = false;
  bool beside_conversions = false;  // of layouts, by a library in the same process
};

struct TransferSubject {
  const TransferRow& row;
  const Machine& machine;
};

// The copies of one class that one call makes.
struct UploadSubject {
  const TransferRow& row;
  const SiteUse& use;
  const Machine& machine;
  bool is_staged = false;                     // a library brings the data to pinned memory of its own first
  const KernelRow* overwritten_by = nullptr;  // SiteUse::overwritten_by
};

// Host memory that one call pins again and again.
struct AllocationSubject {
  const AllocatedAgainRow& row;
  const Machine& machine;
};

// Element-wise operations, each on what the one before wrote.
struct ChainSubject {
  const OperationChainRow& row;
  const Machine& machine;
  std::span<const KernelRow* const> operations;  // in their order
};

// Kernels that read the same arrays.
struct ReadAgainSubject {
  const ReadAgainRow& row;
  const Machine& machine;
  std::span<const KernelRow* const> kernels;  // in their order
};

// Launches of a kernel that read the same array.
struct ReadByEachSubject {
  const ReadByEachRow& row;
  const Machine& machine;
  const KernelRow& kernel;
  const model::Device* device = nullptr;
};

// Kernels each of which only hands arrays to the next one.
struct HandedOnSubject {
  const HandedOnRow& row;
  const Machine& machine;
  std::span<const KernelRow* const> kernels;  // in their order
};

// Fills that nothing loads before a kernel overwrites them.
struct FillSubject {
  const OverwrittenFillRow& row;
  const Machine& machine;
  const KernelRow* overwritten_by = nullptr;
  const model::Device* device = nullptr;
};

struct TableGradientsSubject {
  const TableGradientsRow& row;
  const Machine& machine;
};

struct ZeroedGradientsSubject {
  const ZeroedGradientsRow& row;
  const Machine& machine;
};

struct AutocastSubject {
  const AutocastRow& row;
  const Machine& machine;
};

struct ArrayCopiesSubject {
  const ArrayCopiesRow& row;
  const Machine& machine;
};

// What a process did on a device in the order of time.
struct TimelineSubject {
  const TimelineRow& row;
  const Machine& machine;
  const model::Device* device = nullptr;
};

// A part of a kernel's launches.
struct KernelUse {
  const KernelRow* kernel = nullptr;
  double share = 1;
};

// An L2 access-policy window, from when it was set until it was replaced, taken away, or the process ended.
struct L2WindowSubject {
  const L2WindowRow& row;
  const Machine& machine;
  const model::Device* device = nullptr;
  std::span<const KernelUse> users, later, together;  // as in the row
};

// A managed allocation that moved.
struct ManagedSubject {
  const AllocationRow& row;
  const Machine& machine;
  std::optional<std::int64_t> kernel_ns = {};  // of the kernels with a pointer to managed memory
};

}  // namespace coalescope::analysis
