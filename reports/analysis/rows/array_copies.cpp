#include "reports/analysis/rows/array_copies.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/base/whole.h"
#include "reports/analysis/figures/called_for.h"
#include "reports/analysis/figures/copy_kernels.h"
#include "reports/analysis/figures/owners.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rows/array_accesses.h"
#include "reports/analysis/rows/call_stacks.h"
#include "reports/analysis/rows/transfer_rows.h"

namespace coalescope::analysis {
namespace {

// Results so large cannot be what L2 still held of operands of the same size.
constexpr double kTimesL2 = 2;
constexpr double kLeastRepeats = 4;
// Who restores arrays has a few originals. Each is compared with all pointers.
constexpr std::size_t kMostOriginals = 64;
// What is copied was made anew for half of the copies or more.
constexpr std::int64_t kKernelsForCopies = 2;
// Launches for each copy: some more than one are of the program's beginning.
constexpr double kOnceACopy = 1.1;

using OnDevice = std::pair<std::int64_t, std::int64_t>;  // process, device
// OnDevice, file and function; of a call without them its id as text.
using AskingFunction = std::tuple<OnDevice, std::string, std::string>;

struct CopiesOfFunction {
  ArrayCopiesRow row;
  std::map<ArrayCopy, std::int64_t> kinds;                          // their time
  std::map<ArrayCopy, std::map<std::int64_t, std::int64_t>> sites;  // that of each call
  std::set<std::int64_t> kernels, transfers;
  std::int64_t only_stored_ns = 0;
};

template <class Key>
Key longest(const std::map<Key, std::int64_t>& times) {
  return std::ranges::max_element(times, {}, [](const auto& each) { return each.second; })->first;
}

class ArrayCopyTable {
 public:
  explicit ArrayCopyTable(const ArrayCopiesInput& input)
      : input_(input),
        stacks_(input.call_sites),
        accesses_(array_accesses(input.kernels, input.pointers, input.instructions)) {
    for (const CallSiteRow& site : input.call_sites) processes_[site.id] = site.process_id;
    for (const auto& copy : input.copies)
      if (is_within_device(copy.direction)) sources_[copy.call_site].insert(copy.address);
    for (const KernelRow& row : input.kernels) {
      launches_[row.id] = row.launches;
      base::add_to(busy_ns_[{row.process_id, row.device_id}], row.gpu_ns.value_or(0));
      if (row.owner == kXla) with_xla_.insert(row.process_id);
      if (row.owner == kTorch) with_torch_.insert(row.process_id);
    }
  }

  void add_kernel(const KernelRow& row) {
    const bool joins = called_for(row) == CalledFor::concatenation;
    if (!joins && !copies_elements(row)) return;
    for (const SiteUse& call : row.call_sites) {
      if (!is_asked_for(call.call_site_id)) continue;
      CopiesOfFunction& copies = functions_[function_of(call.call_site_id, row.device_id)];
      copies.kernels.insert(row.id);
      add(copies, call, joins ? ArrayCopy::joined : kind_of(row));
    }
  }

  void add_transfers(const TransferRow& row) {
    if (!is_within_device(row.direction) || row.changed_by || mean_bytes(row) <= kSmallCopyBytes) return;
    for (const SiteUse& call : row.call_sites) {
      const std::int64_t process = processes_.at(call.call_site_id);
      base::add_to(busy_ns_[{process, row.device_id}], call.estimated_ns);
      if (with_xla_.contains(process) || !is_asked_for(call.call_site_id) || restores(call)) continue;
      CopiesOfFunction& copies = functions_[function_of(call.call_site_id, row.device_id)];
      copies.transfers.insert(row.id);
      if (only_stored(call)) base::add_to(copies.only_stored_ns, call.estimated_ns);
      add(copies, call, ArrayCopy::plain);
    }
  }

  [[nodiscard]] std::vector<ArrayCopiesRow> finish() {
    std::vector<ArrayCopiesRow> rows;
    for (auto& [function, copies] : functions_) rows.push_back(finished(std::get<0>(function), copies));
    std::ranges::stable_sort(rows, std::greater{}, &ArrayCopiesRow::gpu_ns);
    return rows;
  }

 private:
  // The innermost code that is known is the author's own, or one of CuPy's functions, which copy to do what
  // they are called for: roll(), fftshift().
  [[nodiscard]] bool is_asked_for(std::int64_t site) const {
    for (const CallSiteRow* frame : stacks_.stack(site))
      if (frame->own || frame->file) return frame->own || frame->file->find("/cupy/") != std::string::npos;
    return false;
  }

  [[nodiscard]] AskingFunction function_of(std::int64_t site, std::int64_t device) const {
    const OnDevice place{processes_.at(site), device};
    const CallSiteRow* frame = stacks_.own_frame(site);
    if (frame == nullptr || frame->function.empty()) return {place, {}, std::to_string(site)};
    return {place, frame->file.value_or(frame->module), frame->function};
  }

  [[nodiscard]] ArrayCopy kind_of(const KernelRow& row) const {
    if (repeats(row)) return ArrayCopy::repeated;
    return converts_type(row) ? ArrayCopy::converted : ArrayCopy::rearranged;
  }

  // DRAM reads so little that it stores each element many times.
  [[nodiscard]] bool repeats(const KernelRow& row) const {
    const auto device = std::ranges::find(input_.devices, row.device_id,
                                          [](const DeviceRow& each) { return each.properties.id.value; });
    if (device == input_.devices.end() || !device->properties.l2_bytes || !row.dram_read_bytes) return false;
    const double stored = real(row.store.data_bytes);
    return stored > kTimesL2 * real(device->properties.l2_bytes) &&
           kLeastRepeats * real(row.dram_read_bytes) <= stored;
  }

  // Known to read what kernels have no pointer to as often as it is copied. In a process of PyTorch's
  // pointers of a pool say nothing of its other tensors.
  [[nodiscard]] bool restores(const SiteUse& call) const {
    const auto sources = sources_.find(call.call_site_id);
    if (sources == sources_.end() || sources->second.size() > kMostOriginals ||
        with_torch_.contains(processes_.at(call.call_site_id)))
      return false;
    return std::ranges::none_of(sources->second, [&](std::int64_t address) {
      return address == 0 || launches_with(address) >= call.calls / kKernelsForCopies;
    });
  }

  static bool is_within(std::int64_t address, const model::GroupPointer& pointer) {
    const auto begins = pointer.range_address.value_or(pointer.address);
    return address >= begins && address < base::sum_of(begins, pointer.range_bytes.value_or(1));
  }

  [[nodiscard]] std::int64_t launches_of(std::int64_t kernel) const {
    const auto found = launches_.find(kernel);
    return found == launches_.end() ? 0 : found->second;
  }

  [[nodiscard]] std::int64_t launches_with(std::int64_t address) const {
    std::int64_t launches = 0;
    for (const auto& pointer : input_.pointers)
      if (is_within(address, pointer)) base::add_to(launches, launches_of(pointer.group_id.value));
    return launches;
  }

  // Nothing but these copies reads it: of the kernels that have a pointer to its allocation and come as often
  // as it is copied, or half as often, some store to it and none loads any of it. A kernel that comes more
  // often may be given other arrays than in its first launch, of which alone the pointers are known.
  [[nodiscard]] bool only_stored(const SiteUse& call) const {
    const auto sources = sources_.find(call.call_site_id);
    if (sources == sources_.end() || sources->second.size() > kMostOriginals ||
        with_torch_.contains(processes_.at(call.call_site_id)))
      return false;
    return std::ranges::all_of(sources->second, [&](std::int64_t address) {
      bool stored = false;
      for (const auto& pointer : input_.pointers) {
        const std::int64_t launches = launches_of(pointer.group_id.value);
        if (!is_within(address, pointer) || launches < call.calls / kKernelsForCopies) continue;
        if (real(launches) > kOnceACopy * real(call.calls) || may_load(pointer)) return false;
        stored = stored || stores(pointer);
      }
      return stored;
    });
  }

  // One array may be given to a kernel as two parameters.
  [[nodiscard]] std::vector<ArrayAccess> accesses_of(const model::GroupPointer& pointer) const {
    std::vector<ArrayAccess> same;
    const auto kernel = accesses_.find(pointer.group_id.value);
    if (kernel == accesses_.end() || !kernel->second.loads_known) return same;
    std::ranges::copy_if(kernel->second.arrays, std::back_inserter(same),
                         [&](const ArrayAccess& array) { return array.address == pointer.address; });
    return same;
  }

  [[nodiscard]] bool may_load(const model::GroupPointer& pointer) const {
    const auto accesses = accesses_of(pointer);
    return accesses.empty() || std::ranges::any_of(accesses, &ArrayAccess::loads);
  }

  [[nodiscard]] bool stores(const model::GroupPointer& pointer) const {
    return std::ranges::any_of(accesses_of(pointer),
                               [](const ArrayAccess& array) { return array.store_bytes > 0; });
  }

  static void add(CopiesOfFunction& copies, const SiteUse& call, ArrayCopy kind) {
    base::add_to(copies.row.copies, call.calls);
    base::add_to(copies.row.gpu_ns, call.estimated_ns);
    base::add_to(copies.sites[kind][call.call_site_id], call.estimated_ns);
    base::add_to(copies.kinds[kind], call.estimated_ns);
  }

  [[nodiscard]] ArrayCopiesRow finished(const OnDevice& place, CopiesOfFunction& copies) const {
    ArrayCopiesRow row = std::move(copies.row);
    std::tie(row.process_id, row.device_id) = place;
    row.what = longest(copies.kinds);
    row.call_site_id = longest(copies.sites.at(row.what));
    row.by_torch = with_torch_.contains(row.process_id);
    row.only_stored = copies.only_stored_ns == row.gpu_ns && row.gpu_ns > 0;
    row.kernel_ids.assign(copies.kernels.begin(), copies.kernels.end());
    row.transfer_ids.assign(copies.transfers.begin(), copies.transfers.end());
    const auto busy = busy_ns_.find(place);
    row.share = busy == busy_ns_.end() || busy->second <= 0 ? 0 : real(row.gpu_ns) / real(busy->second);
    return row;
  }

  const ArrayCopiesInput& input_;
  CallStacks stacks_;
  std::unordered_map<std::int64_t, ArrayAccesses> accesses_;
  std::map<std::int64_t, std::int64_t> processes_;           // of call sites
  std::map<std::int64_t, std::set<std::int64_t>> sources_;   // of call sites: the addresses that they read
  std::unordered_map<std::int64_t, std::int64_t> launches_;  // of kernels
  std::map<OnDevice, std::int64_t> busy_ns_;                 // by kernels and copies within the device
  std::set<std::int64_t> with_xla_, with_torch_;             // processes
  std::map<AskingFunction, CopiesOfFunction> functions_;
};

}  // namespace

std::vector<ArrayCopiesRow> array_copies(const ArrayCopiesInput& input) {
  ArrayCopyTable copies(input);
  for (const KernelRow& row : input.kernels) copies.add_kernel(row);
  for (const TransferRow& row : input.transfers) copies.add_transfers(row);
  return copies.finish();
}

}  // namespace coalescope::analysis
