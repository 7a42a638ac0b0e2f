#include "reports/analysis/rows/handed_on.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/base/whole.h"
#include "reports/analysis/figures/access_shape.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rows/array_accesses.h"
#include "reports/analysis/rows/pointer_values.h"

namespace coalescope::analysis {
namespace {

constexpr double kPairs = 0.8;    // of the launches of both; the others are at ends and beside copies
constexpr double kAllOf = 0.95;   // of an array: but for its edges
constexpr double kReaders = 2.2;  // threads that read an element: more would compute it again too often
constexpr double kOneReader = 1.05;

using Pair = std::pair<std::int32_t, std::int32_t>;  // places in LaunchedKernels::groups

// The name without template arguments.
std::string_view base_name_of(const KernelRow& row) {
  return std::string_view(row.name).substr(0, row.name.find('<'));
}

bool same_threads(const KernelRow& one, const KernelRow& other) {
  return one.grid == other.grid && one.block == other.block;
}

// No thread needs another one's data, as far as is known: the kernel does not use shared memory.
bool threads_are_alone(const KernelRow& row) {
  return row.origin == Origin::user && row.shared.requests && *row.shared.requests == 0;
}

// What a neighbour needs each thread computes for itself, which is worth it once in a chain.
bool needs_neighbours(const HandedOnRow& row) {
  return std::ranges::any_of(row.links, [](const HandedOnLink& link) { return link.readers > kOneReader; });
}

// Of two kernels, behind those that hand on to the first one. A chain that would end where it begins is a
// loop of the program.
void add_to_chain(std::vector<HandedOnRow>& chains, HandedOnRow&& pair) {
  const auto before = std::ranges::find(chains, pair.kernel_ids.front(),
                                        [](const HandedOnRow& row) { return row.kernel_ids.back(); });
  if (before == chains.end() || (needs_neighbours(*before) && needs_neighbours(pair))) {
    chains.push_back(std::move(pair));
    return;
  }
  const auto& ids = before->kernel_ids;
  if (std::ranges::find(ids, pair.kernel_ids.back()) != ids.end()) return;
  before->kernel_ids.push_back(pair.kernel_ids.back());
  before->links.push_back(pair.links.front());
  before->times = std::min(before->times, pair.times);
}

class HandingOn {
 public:
  explicit HandingOn(const LaunchedKernels& input)
      : input_(input), accesses_(array_accesses(input.kernels, input.pointers, input.instructions)) {
    for (const KernelRow& row : input.kernels) kernels_.emplace(row.id, &row);
    const PointerValues values(input.values);
    for (const auto& pointer : input.pointers) {
      given_.emplace(pointer.address, pointer.group_id.value);
      if (values.are_known() && !values.stays(pointer))
        moving_.emplace(pointer.group_id.value, pointer.address);
    }
    for (const capture::TransferPlace& copy : input.copies) {
      if (copy.address != 0) copied_.push_back(copy.address);
      if (copy.direction == model::Direction::device_to_host) ++downloads_;
    }
    std::ranges::sort(copied_);
    for (std::size_t group = 0; group < input.groups.size(); ++group)
      may_be_one_.push_back(kernel_of(static_cast<std::int32_t>(group)).has_value());
  }

  // Most captures hold no two kernels of that kind.
  [[nodiscard]] bool may_find() const { return std::ranges::count(may_be_one_, true) > 1; }

  // In the order of time.
  void add_launch(std::int32_t group, std::int32_t stream) {
    const auto& view = input_.groups[static_cast<std::size_t>(group)];
    const bool may_be_one = may_be_one_[static_cast<std::size_t>(group)];
    std::int32_t& before =
        before_.try_emplace({view.process_id.value, view.device_id.value, stream}, -1).first->second;
    if (may_be_one && before >= 0) ++counts_[{before, group}];
    if (may_be_one && ++listed_[group] == 1) in_turn_.push_back(group);
    before = may_be_one ? group : -1;
  }
  // No pair goes across a copy, or a launch whose stream is not known.
  void forget() { before_.clear(); }

  [[nodiscard]] std::vector<HandedOnRow> finish() const {
    std::vector<HandedOnRow> rows;
    for (const std::int32_t one : in_turn_)
      for (auto it = counts_.lower_bound({one, 0}); it != counts_.end() && it->first.first == one; ++it)
        if (auto row = row_of(it->first, it->second)) add_to_chain(rows, std::move(*row));
    std::ranges::stable_sort(rows, std::greater{}, &HandedOnRow::times);
    return rows;
  }

 private:
  struct Kernel {
    const KernelRow& row;
    const ArrayAccesses& accesses;
    double threads;
  };

  [[nodiscard]] std::optional<Kernel> kernel_of(std::int32_t group) const {
    const auto id = input_.groups[static_cast<std::size_t>(group)].group_id.value;
    const auto row = kernels_.find(id);
    const auto found = accesses_.find(id);
    if (row == kernels_.end() || found == accesses_.end() || !threads_are_alone(*row->second))
      return std::nullopt;
    return Kernel{*row->second, found->second, blocks_of(*row->second) * threads_of(*row->second)};
  }

  // Each thread of both goes to it once with each access. Either only the second one loads it, or the second
  // one changes it in place: then it is stored in any case, and no thread gets another one's elements. The
  // first one may change it in place, too.
  [[nodiscard]] const ArrayAccess* reader_of(const ArrayAccess& stored, const Kernel& first,
                                             const Kernel& second) const {
    const bool loaded_before = stored.loads();
    if (stored.store_bytes <= 0 || !goes_once(stored, first) || (loaded_before && !changes_its_own(stored)))
      return nullptr;
    const auto found = std::ranges::find(second.accesses.arrays, stored.address, &ArrayAccess::address);
    if (found == second.accesses.arrays.end() || !found->reads || found->gathers || found->adds ||
        !second.accesses.loads_known || !goes_once(*found, second) ||
        may_be_stages(first, stored, second, *found))
      return nullptr;
    const double readers = found->load_bytes / stored.store_bytes,
                 changed = found->store_bytes / stored.store_bytes;
    const bool in_place = changed >= kAllOf && changed <= kOneReader;
    const bool alone = !loaded_before && found->store_bytes <= 0 && first.accesses.loads_known &&
                       !others_get(stored, first.row.id, second.row.id);
    if (readers < kAllOf || readers > (in_place ? kOneReader : kReaders) || (!in_place && !alone))
      return nullptr;
    return &*found;
  }

  [[nodiscard]] static bool changes_its_own(const ArrayAccess& array) {
    const double loads = array.load_bytes / array.store_bytes;
    return array.reads && !array.adds && !array.gathers && loads >= kAllOf && loads <= kOneReader;
  }

  // Instances of one template may be stages of one method, as of a Fourier transform, in which threads
  // exchange their elements: each thread goes to several.
  [[nodiscard]] static bool may_be_stages(const Kernel& first, const ArrayAccess& stored,
                                          const Kernel& second, const ArrayAccess& loaded) {
    return base_name_of(first.row) == base_name_of(second.row) &&
           (stored.store_places > 1 || stored.load_places > 1 || loaded.store_places > 1 ||
            loaded.load_places > 1);
  }

  [[nodiscard]] static bool goes_once(const ArrayAccess& array, const Kernel& kernel) {
    return array.side_by_side && array.most_threads <= kernel.threads;
  }

  [[nodiscard]] bool others_get(const ArrayAccess& array, std::int64_t first, std::int64_t second) const {
    const auto end = base::whole(real(array.address) + array.store_bytes);
    const auto copy = std::ranges::lower_bound(copied_, array.address);
    if (copy != copied_.end() && *copy < end) return true;
    for (auto it = given_.lower_bound(array.address); it != given_.end() && it->first < end; ++it)
      if (it->second != first && it->second != second) return true;
    return false;
  }

  // The kernel was given this address in some launches and others in others, and it loads an array of which
  // the same is true: the two may change places, so that a later launch loads what this one stores.
  [[nodiscard]] bool may_be_exchanged(const ArrayAccess& stored, const Kernel& kernel) const {
    return moves(kernel, stored) &&
           std::ranges::any_of(kernel.accesses.arrays, [&](const ArrayAccess& array) {
             return array.reads && array.address != stored.address && moves(kernel, array);
           });
  }

  [[nodiscard]] bool moves(const Kernel& kernel, const ArrayAccess& array) const {
    return moving_.contains({kernel.row.id, array.address});
  }

  [[nodiscard]] HandedOnLink link_of(const Kernel& first, const Kernel& second) const {
    double handed = 0, kept = 0, shared = 0;
    HandedOnLink link;
    for (const ArrayAccess& array : first.accesses.arrays) {
      const auto both = std::ranges::find(second.accesses.arrays, array.address, &ArrayAccess::address);
      if (const ArrayAccess* reader = reader_of(array, first, second)) {
        handed += array.store_bytes;
        if (reader->store_bytes <= 0 && may_be_exchanged(array, first)) kept += array.store_bytes;
        link.readers = std::max(link.readers, reader->load_bytes / array.store_bytes);
      } else if (both != second.accesses.arrays.end() && array.reads && both->reads && !array.gathers &&
                 !both->gathers && array.store_bytes <= 0) {
        shared += std::min(array.load_bytes, both->load_bytes);
      }
    }
    link.handed_bytes = base::whole(handed);
    link.kept_bytes = base::whole(kept);
    link.shared_bytes = base::whole(shared);
    return link;
  }

  [[nodiscard]] std::optional<HandedOnRow> row_of(const Pair& pair, std::int64_t times) const {
    const auto [one, two] = pair;
    const std::int64_t listed = std::max(listed_.at(one), listed_.at(two));
    // Where a result goes to the host each time, it has to be stored.
    if (real(times) < kPairs * real(listed) || 2 * downloads_ >= times) return std::nullopt;
    const auto first = kernel_of(one), second = kernel_of(two);
    if (!first || !second || one == two || !same_threads(first->row, second->row)) return std::nullopt;
    const HandedOnLink link = link_of(*first, *second);
    if (link.handed_bytes <= 0) return std::nullopt;
    const auto& view = input_.groups[static_cast<std::size_t>(one)];
    const double for_each_listed = std::max(1.0, real(view.launches) / real(listed_.at(one)));
    return HandedOnRow{view.process_id.value,
                       view.device_id.value,
                       {first->row.id, second->row.id},
                       {link},
                       base::whole(real(times) * for_each_listed)};
  }

  const LaunchedKernels& input_;
  std::unordered_map<std::int64_t, ArrayAccesses> accesses_;
  std::unordered_map<std::int64_t, const KernelRow*> kernels_;
  std::multimap<std::int64_t, std::int64_t> given_;         // by the address, the kernel that was given it
  std::vector<std::int64_t> copied_;                        // where known copies read, or store
  std::set<std::pair<std::int64_t, std::int64_t>> moving_;  // kernels and first addresses
  std::int64_t downloads_ = 0;
  std::vector<bool> may_be_one_;                 // by the place in LaunchedKernels::groups
  std::map<std::int32_t, std::int64_t> listed_;  // launches of each of these groups
  std::vector<std::int32_t> in_turn_;            // these groups in the order of their first launches
  std::map<std::tuple<std::int64_t, std::int64_t, std::int32_t>, std::int32_t>
      before_;  // process, device, stream
  std::map<Pair, std::int64_t> counts_;
};

}  // namespace

std::vector<HandedOnRow> handed_on(const LaunchedKernels& input) {
  HandingOn found(input);
  if (!found.may_find()) return {};
  for (const StreamEvent& event : in_order(input.launches, input.copies)) {
    if (event.kind == StreamEvent::Kind::launch)
      found.add_launch(input.launches.launches[event.place].group, input.launches.streams[event.place]);
    else
      found.forget();
  }
  return found.finish();
}

}  // namespace coalescope::analysis
