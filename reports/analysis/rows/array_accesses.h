#pragma once
// What a kernel does to each array that it has a pointer to.

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/capture/views.h"
#include "core/model/memory.h"
#include "reports/analysis/report.h"

namespace coalescope::analysis {

// An array by the address that the kernel's first launch was given.
struct ArrayAccess {
  std::int64_t address = 0;
  std::int64_t range_address = 0, range_bytes = 0;  // the allocation that it lies in; 0 bytes: not known
  double store_bytes = 0, load_bytes = 0;           // per launch
  std::int64_t store_places = 0, load_places = 0;   // instructions
  double most_threads = 0;   // per launch, of one access: more than there are, if it is in a loop
  bool side_by_side = true;  // lanes go to neighbouring elements with each access
  bool reads = false;        // by loads, or by atomics whose results it uses
  bool gathers = false;      // some of it where loaded indices say
  bool adds = false;         // by any atomics
  [[nodiscard]] bool loads() const { return reads || adds; }
  [[nodiscard]] bool changes() const { return store_bytes > 0 || adds; }
};

struct ArrayAccesses {
  std::vector<ArrayAccess> arrays;
  // Each load and each atomic goes to one of the arrays, as far as its code tells: what `loads` says is all.
  bool loads_known = false;
  bool loads_nothing = false;
  bool stores_known = false;  // each store goes to one of the arrays, too
  double store_bytes = 0;     // per launch, whatever they go to
};

// By the kernel's id; of kernels whose instructions were counted.
[[nodiscard]] std::unordered_map<std::int64_t, ArrayAccesses> array_accesses(
    std::span<const KernelRow> kernels, std::span<const model::GroupPointer> pointers,
    std::span<const capture::InstructionView> instructions);

}  // namespace coalescope::analysis
