#include "reports/analysis/rows/read_again.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/base/whole.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rows/array_accesses.h"
#include "reports/analysis/rows/pointer_values.h"

namespace coalescope::analysis {
namespace {

using Readers = std::vector<std::int32_t>;  // places in LaunchedKernels::groups

// What goes where indices say reads a part in an order of its own.
bool reads_all(const ArrayAccess& array) {
  return array.reads && !array.gathers;
}

bool overlap(const ArrayAccess& one, const ArrayAccess& other) {
  if (one.address == other.address) return true;
  return one.range_bytes > 0 && one.range_address == other.range_address;
}

// One works on what the other stores, or stores to what the other reads.
bool depend(const ArrayAccesses& one, const ArrayAccesses& other) {
  return std::ranges::any_of(one.arrays, [&](const ArrayAccess& array) {
    return std::ranges::any_of(other.arrays, [&](const ArrayAccess& each) {
      return overlap(array, each) && ((array.changes() && each.reads) || (array.reads && each.changes()));
    });
  });
}

bool lies_in(std::int64_t address, const ArrayAccess& array) {
  return address >= array.range_address && address < base::sum_of(array.range_address, array.range_bytes);
}

class ReadingRuns {
 public:
  explicit ReadingRuns(const LaunchedKernels& input)
      : input_(input), accesses_(array_accesses(input.kernels, input.pointers, input.instructions)) {
    for (const KernelRow& row : input.kernels) kernels_.emplace(row.id, &row);
    for (const auto& [id, own] : accesses_)
      if (exchanges_arrays(own)) exchanging_.insert(id);
    const PointerValues values(input.values);
    for (const model::GroupPointer& pointer : input.pointers)
      if (values.are_known() && !values.stays(pointer))
        moving_.insert({pointer.group_id.value, pointer.address});
  }

  // In the order of time.
  void add_launch(std::int32_t group, std::int32_t stream) {
    const auto& view = input_.groups[static_cast<std::size_t>(group)];
    ++listed_[group];
    Readers& open = open_[{view.process_id.value, view.device_id.value, stream}];
    if (!goes_on(open, group)) end(open);
    if (reads(group) != nullptr) open.push_back(group);
  }
  void add_copy(const capture::TransferPlace& copy) {
    if (const auto open = open_.find({copy.process, copy.device, copy.stream}); open != open_.end())
      end(open->second);
  }
  // Of these the stream is not known.
  void add_measured() {
    for (auto& [stream, open] : open_) end(open);
  }

  [[nodiscard]] std::vector<ReadAgainRow> finish() {
    add_measured();
    std::vector<ReadAgainRow> rows;
    for (const auto& [readers, times] : counts_) rows.push_back(row_of(readers, times));
    std::ranges::stable_sort(rows, std::greater{}, &ReadAgainRow::times);
    return rows;
  }

 private:
  // What a kernel stores, somebody reads: if nobody is known to, later launches get it in place of an array
  // of its size that the first launch read, as programs that step through time exchange two pointers.
  [[nodiscard]] bool exchanges_arrays(const ArrayAccesses& own) const {
    return std::ranges::any_of(own.arrays, [&](const ArrayAccess& array) {
      const auto is_alike = [&](const ArrayAccess& each) {
        return each.reads && each.range_bytes == array.range_bytes;
      };
      return array.store_bytes > 0 && !array.loads() && array.range_bytes > 0 &&
             std::ranges::any_of(own.arrays, is_alike) && !is_read(array);
    });
  }

  [[nodiscard]] bool is_read(const ArrayAccess& array) const {
    const auto copied = [&](const capture::TransferPlace& copy) {
      return copy.direction != model::Direction::set && copy.direction != model::Direction::host_to_device &&
             lies_in(copy.address, array);
    };
    return std::ranges::any_of(input_.copies, copied) ||
           std::ranges::any_of(input_.pointers, [&](const model::GroupPointer& pointer) {
             if (!lies_in(pointer.address, array)) return false;
             const auto found = accesses_.find(pointer.group_id.value);
             if (found == accesses_.end() || !found->second.loads_known) return true;
             return std::ranges::any_of(found->second.arrays, [&](const ArrayAccess& each) {
               return each.loads() && overlap(each, array);
             });
           });
  }

  // Of a kernel of the author's of which is known what it loads and stores; else nullptr.
  [[nodiscard]] const ArrayAccesses* reads(std::int32_t group) const {
    const auto id = input_.groups[static_cast<std::size_t>(group)].group_id.value;
    const auto kernel = kernels_.find(id);
    const auto found = accesses_.find(id);
    if (kernel == kernels_.end() || kernel->second->origin != Origin::user || found == accesses_.end() ||
        !found->second.loads_known || !found->second.stores_known || exchanging_.contains(id))
      return nullptr;
    return &found->second;
  }

  [[nodiscard]] bool goes_on(const Readers& open, std::int32_t group) const {
    const ArrayAccesses* own = reads(group);
    if (own == nullptr || std::ranges::find(open, group) != open.end()) return false;
    return shared_bytes(open, group) > 0 &&
           std::ranges::none_of(open, [&](std::int32_t each) { return depend(*reads(each), *own); });
  }

  // Of arrays that one of the launches before reads, too.
  [[nodiscard]] std::int64_t shared_bytes(const Readers& before, std::int32_t group) const {
    std::int64_t bytes = 0;
    for (const ArrayAccess& array : reads(group)->arrays) {
      const auto reads_it = [&](std::int32_t each) { return reads_in_each_launch(each, array); };
      if (reads_in_each_launch(group, array) && std::ranges::any_of(before, reads_it))
        base::add_to(bytes, array.range_bytes);
    }
    return bytes;
  }

  // Where a pointer moves from round to round, the next kernel may already work on another round's array.
  [[nodiscard]] bool reads_in_each_launch(std::int32_t group, const ArrayAccess& array) const {
    const auto id = input_.groups[static_cast<std::size_t>(group)].group_id.value;
    return reads_all(array) && !moving_.contains({id, array.address}) &&
           std::ranges::any_of(reads(group)->arrays, [&](const ArrayAccess& each) {
             return reads_all(each) && each.address == array.address;
           });
  }

  void end(Readers& open) {
    if (open.size() > 1) ++counts_[open];
    open.clear();
  }

  // Launches that the capture does not list went the same ways as those that it does.
  [[nodiscard]] ReadAgainRow row_of(const Readers& readers, std::int64_t times) const {
    const auto& first = input_.groups[static_cast<std::size_t>(readers.front())];
    ReadAgainRow row{first.process_id.value, first.device_id.value, {}, {}, 0};
    double launches = 0, listed = 0;
    for (std::size_t at = 0; at < readers.size(); ++at) {
      const auto& view = input_.groups[static_cast<std::size_t>(readers[at])];
      row.kernel_ids.push_back(view.group_id.value);
      row.again_bytes.push_back(
          shared_bytes({readers.begin(), readers.begin() + static_cast<std::ptrdiff_t>(at)}, readers[at]));
      launches += real(view.launches);
      listed += real(listed_.at(readers[at]));
    }
    row.times = base::whole(real(times) * std::max(1.0, launches / listed));
    return row;
  }

  const LaunchedKernels& input_;
  std::unordered_map<std::int64_t, ArrayAccesses> accesses_;
  std::unordered_map<std::int64_t, const KernelRow*> kernels_;
  std::set<std::pair<std::int64_t, std::int64_t>> moving_;  // kernel and address of its first launch
  std::unordered_set<std::int64_t> exchanging_;             // kernels
  std::map<std::int32_t, std::int64_t> listed_;             // launches of each group
  std::map<std::tuple<std::int64_t, std::int64_t, std::int32_t>, Readers> open_;  // process, device, stream
  std::map<Readers, std::int64_t> counts_;
};

}  // namespace

std::vector<ReadAgainRow> read_again(const LaunchedKernels& input) {
  ReadingRuns runs(input);
  for (const StreamEvent& event : in_order(input.launches, input.copies)) {
    if (event.kind == StreamEvent::Kind::launch)
      runs.add_launch(input.launches.launches[event.place].group, input.launches.streams[event.place]);
    if (event.kind == StreamEvent::Kind::measured) runs.add_measured();
    if (event.kind == StreamEvent::Kind::copy) runs.add_copy(input.copies[event.place]);
  }
  return runs.finish();
}

}  // namespace coalescope::analysis
