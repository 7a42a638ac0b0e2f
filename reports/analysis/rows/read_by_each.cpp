#include "reports/analysis/rows/read_by_each.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/base/whole.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rows/array_accesses.h"
#include "reports/analysis/rows/chain_steps.h"
#include "reports/analysis/rows/pointer_values.h"

namespace coalescope::analysis {
namespace {

constexpr double kWholeArray = 0.9;

// Arrays of one allocation may overlap: how long they are is not known.
bool may_overlap(const ArrayAccess& one, const ArrayAccess& other) {
  return one.range_bytes <= 0 || other.range_bytes <= 0 || one.range_address == other.range_address;
}

// Otherwise a number may say which part a launch reads.
bool loads_nearly_all(const ArrayAccess& array) {
  return !array.gathers && array.load_bytes >= kWholeArray * real(array.range_bytes);
}

// Changes what the other one reads, as far as is known.
bool feeds(const ArrayAccesses& from, const ArrayAccesses& to) {
  return !from.stores_known || std::ranges::any_of(from.arrays, [&](const ArrayAccess& array) {
    return array.changes() && std::ranges::any_of(to.arrays, [&](const ArrayAccess& each) {
             return each.reads && may_overlap(array, each);
           });
  });
}

class EachLaunch {
 public:
  explicit EachLaunch(const LaunchedKernels& input)
      : input_(input),
        accesses_(array_accesses(input.kernels, input.pointers, input.instructions)),
        pointer_values_(input.values),
        steps_(chain_steps(input.kernels, input.groups, input.pointers)) {
    for (const KernelRow& row : input.kernels) kernels_.emplace(row.id, &row);
    for (const model::ParameterValues& each : input.values) values_[each.group_id.value].push_back(&each);
    for (const model::GroupPointer& each : input.pointers) pointers_[each.group_id.value].push_back(&each);
    for (std::int32_t group = 0; group < std::ssize(input.groups); ++group)
      if (const auto bytes = array_of(group)) arrays_.emplace(group, *bytes);
  }

  [[nodiscard]] bool may_find() const { return !arrays_.empty(); }

  // In the order of time.
  void add_launch(std::int32_t group, std::int32_t stream) {
    const auto& view = input_.groups[static_cast<std::size_t>(group)];
    const Stream own{view.process_id.value, view.device_id.value, stream};
    for (auto& [other, open] : open_)
      if (other != own && are_of_one_device(other, own) && !is_harmless(open, group)) end(open);
    Run& open = open_[own];
    if (open.launches > 0 && open.group == group) {
      ++open.launches;
    } else if (open.launches == 0 || arrays_.contains(group) || !is_harmless(open, group)) {
      end(open);
      if (arrays_.contains(group)) open = {group, 1};
    }
  }
  // Where an upload, or a copy within the device, goes to is not looked at: in any stream it may change what
  // launches read. What the host got may be the next launch's numbers; a product gets arrays.
  void add_copy(const capture::TransferPlace& copy) {
    const bool changes_nothing =
        copy.direction == model::Direction::device_to_host || copy.direction == model::Direction::set;
    const Stream own{copy.process, copy.device, copy.stream};
    for (auto& [stream, open] : open_) {
      if (open.launches == 0 || !are_of_one_device(stream, own)) continue;
      if (changes_nothing && (stream != own || is_product(open.group))) continue;
      end(open);
    }
  }
  // Of what was measured the stream is not known.
  void forget() { open_.clear(); }

  [[nodiscard]] std::vector<ReadByEachRow> finish() {
    for (auto& [stream, open] : open_) end(open);
    std::vector<ReadByEachRow> rows;
    for (const auto& [group, total] : totals_) {
      const auto& view = input_.groups[static_cast<std::size_t>(group)];
      rows.push_back({.process_id = view.process_id.value,
                      .device_id = view.device_id.value,
                      .kernel_id = view.group_id.value,
                      .launches = view.launches,
                      .in_a_row = real(total.launches) / real(total.runs),
                      .array_bytes = arrays_.at(group),
                      .product = is_product(group)});
    }
    std::ranges::stable_sort(rows, std::greater{}, &ReadByEachRow::launches);
    return rows;
  }

 private:
  struct Run {
    std::int32_t group = -1;
    std::int64_t launches = 0;
  };
  struct Total {
    std::int64_t launches = 0, runs = 0;
  };
  using Stream = std::tuple<std::int64_t, std::int64_t, std::int32_t>;  // process, device, stream

  [[nodiscard]] static bool are_of_one_device(const Stream& one, const Stream& other) {
    return std::get<0>(one) == std::get<0>(other) && std::get<1>(one) == std::get<1>(other);
  }

  [[nodiscard]] std::int64_t id_of(std::int32_t group) const {
    return input_.groups[static_cast<std::size_t>(group)].group_id.value;
  }
  [[nodiscard]] bool is_product(std::int32_t group) const {
    return steps_[static_cast<std::size_t>(group)].product;
  }
  [[nodiscard]] const ArrayAccesses* accesses_of(std::int32_t group) const {
    const auto found = accesses_.find(id_of(group));
    return found == accesses_.end() ? nullptr : &found->second;
  }

  // The bytes of the array that all launches read; nullopt: there is none, or launches may depend on others.
  [[nodiscard]] std::optional<std::int64_t> array_of(std::int32_t group) const {
    const auto row = kernels_.find(id_of(group));
    if (row == kernels_.end() || !differ(group)) return std::nullopt;
    return is_product(group) ? matrix_of(group, *row->second) : table_of(group, *row->second);
  }

  // Launches that are all alike do the same again: that is a benchmark. Two or three vectors in turn may each
  // come from the one before.
  [[nodiscard]] bool differ(std::int32_t group) const {
    const auto values = values_.find(id_of(group));
    return values != values_.end() &&
           std::ranges::any_of(values->second, [&](const model::ParameterValues* each) {
             return is_product(group) ? each->span_bytes && each->different == model::ParameterValues::kMost
                                      : each->different > 1;
           });
  }

  // In all launches it leads into the allocation of the first one, and the host does not see what is there.
  // Programs that step through time exchange two arrays.
  [[nodiscard]] bool keeps_its_array(const model::GroupPointer& pointer) const {
    const auto* values = pointer_values_.of(pointer);
    return values != nullptr && values->span_bytes.value_or(0) < pointer.range_bytes.value_or(0) &&
           pointer.memory != model::MemoryKind::managed && !model::is_host_memory(pointer.memory);
  }
  [[nodiscard]] bool keeps_its_arrays(std::int32_t group) const {
    return std::ranges::all_of(pointers_of(group),
                               [&](const model::GroupPointer* each) { return keeps_its_array(*each); });
  }

  [[nodiscard]] std::optional<std::int64_t> table_of(std::int32_t group, const KernelRow& row) const {
    const ArrayAccesses* own = accesses_of(group);
    if (row.origin != Origin::user || own == nullptr || !own->loads_known || !keeps_its_arrays(group) ||
        feeds(*own, *own))
      return std::nullopt;
    std::int64_t most = 0;
    for (const model::GroupPointer* pointer : pointers_of(group)) {
      const auto array = std::ranges::find(own->arrays, pointer->address, &ArrayAccess::address);
      if (array != own->arrays.end() && loads_nearly_all(*array) && pointer_values_.stays(*pointer))
        most = std::max(most, array->range_bytes);
    }
    return most > 0 ? std::optional(most) : std::nullopt;
  }

  // All of it comes from DRAM, so that it is nearly all that does.
  [[nodiscard]] std::optional<std::int64_t> matrix_of(std::int32_t group, const KernelRow& row) const {
    const double read = real(row.dram_read_bytes);
    if (read <= 0) return std::nullopt;
    const bool found = std::ranges::any_of(pointers_of(group), [&](const model::GroupPointer* pointer) {
      return real(pointer->range_bytes) >= kWholeArray * read && pointer_values_.stays(*pointer);
    });
    return found ? std::optional(base::whole(read)) : std::nullopt;
  }

  [[nodiscard]] std::vector<const model::GroupPointer*> pointers_of(std::int32_t group) const {
    const auto found = pointers_.find(id_of(group));
    return found == pointers_.end() ? std::vector<const model::GroupPointer*>() : found->second;
  }

  // cuBLAS adds up what the parts of a product found.
  [[nodiscard]] bool is_its_end(std::int32_t group) const {
    const auto row = kernels_.find(id_of(group));
    return row != kernels_.end() && is_product(group) &&
           row->second->full_name.find("splitKreduce") != std::string::npos;
  }

  // Whether the launches go on behind, or beside, one of that kernel.
  [[nodiscard]] bool is_harmless(const Run& open, std::int32_t other) const {
    if (open.launches == 0 || open.group == other) return true;
    if (is_product(open.group)) return steps_[static_cast<std::size_t>(other)].reduction || is_its_end(other);
    const ArrayAccesses* const own = accesses_of(open.group);
    const ArrayAccesses* const of_other = accesses_of(other);
    return own != nullptr && of_other != nullptr && keeps_its_arrays(other) && !feeds(*of_other, *own);
  }

  void end(Run& open) {
    if (open.launches > 0) {
      Total& total = totals_[open.group];
      total.launches += open.launches;
      ++total.runs;
    }
    open = {};
  }

  const LaunchedKernels& input_;
  std::unordered_map<std::int64_t, ArrayAccesses> accesses_;
  PointerValues pointer_values_;
  std::vector<ChainStep> steps_;
  std::unordered_map<std::int64_t, const KernelRow*> kernels_;
  std::unordered_map<std::int64_t, std::vector<const model::ParameterValues*>> values_;
  std::unordered_map<std::int64_t, std::vector<const model::GroupPointer*>> pointers_;
  std::map<std::int32_t, std::int64_t> arrays_;  // by the place in LaunchedKernels::groups
  std::map<Stream, Run> open_;
  std::map<std::int32_t, Total> totals_;
};

}  // namespace

std::vector<ReadByEachRow> read_by_each(const LaunchedKernels& input) {
  if (input.values.empty()) return {};
  EachLaunch found(input);
  if (!found.may_find()) return {};
  for (const StreamEvent& event : in_order(input.launches, input.copies)) {
    if (event.kind == StreamEvent::Kind::launch)
      found.add_launch(input.launches.launches[event.place].group, input.launches.streams[event.place]);
    if (event.kind == StreamEvent::Kind::measured) found.forget();
    if (event.kind == StreamEvent::Kind::copy) found.add_copy(input.copies[event.place]);
  }
  return found.finish();
}

}  // namespace coalescope::analysis
