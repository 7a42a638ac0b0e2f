#include "reports/analysis/rows/array_accesses.h"

#include <algorithm>
#include <map>
#include <utility>

#include "reports/analysis/figures/access_shape.h"
#include "reports/analysis/figures/ratios.h"

namespace coalescope::analysis {
namespace {

using model::MemoryOperation;

std::int64_t reading_of(const capture::InstructionView& instruction) {
  return instruction.loads.value_or(0) + instruction.atomics.value_or(0) +
         instruction.async_copies.value_or(0);
}

std::int64_t additions_of(const capture::InstructionView& instruction) {
  return instruction.atomics.value_or(0) + instruction.reductions.value_or(0);
}

bool is_to_global_memory(MemoryOperation operation) {
  return operation == MemoryOperation::global_load || operation == MemoryOperation::global_store ||
         operation == MemoryOperation::atomic || operation == MemoryOperation::reduction ||
         operation == MemoryOperation::async_copy;
}

// Per launch.
double touched_bytes(const capture::InstructionView& instruction) {
  if (instruction.launches <= 0 || !instruction.code) return 0;
  return real(instruction.threads) * real(instruction.code->access_bytes) / real(instruction.launches);
}

bool goes_side_by_side(const capture::InstructionView& instruction) {
  const std::optional requests = instruction.loads.value_or(0) + instruction.stores.value_or(0);
  const Shape shape = shape_of({sectors_per_request(instruction.sectors, requests),
                                sectors_per_request(instruction.ideal_sectors, requests),
                                lanes(instruction.threads, requests)});
  return shape == Shape::contiguous || shape == Shape::misaligned || shape == Shape::ragged;
}

class KernelArrays {
 public:
  // Two pointers to one address are one array.
  void add(const model::GroupPointer& pointer) {
    auto& arrays = accesses_.arrays;
    const auto known = std::ranges::find(arrays, pointer.address, &ArrayAccess::address);
    places_.emplace(std::pair(pointer.parameter, pointer.byte),
                    static_cast<std::size_t>(known - arrays.begin()));
    if (known == arrays.end())
      arrays.push_back({pointer.address, pointer.range_address.value_or(0), pointer.range_bytes.value_or(0)});
  }

  void add(const capture::InstructionView& instruction) {
    counted_ = true;
    const bool loads = reading_of(instruction) > 0 || additions_of(instruction) > 0;
    const double stored = instruction.stores.value_or(0) > 0 ? touched_bytes(instruction) : 0;
    if (loads) accesses_.loads_nothing = false;
    accesses_.store_bytes += stored;
    const auto& code = instruction.code;
    const auto place = code && code->parameter && is_to_global_memory(code->operation)
                           ? places_.find({*code->parameter, code->parameter_byte})
                           : places_.end();
    if (place == places_.end()) {
      if (loads) accesses_.loads_known = false;
      if (instruction.stores.value_or(0) > 0) accesses_.stores_known = false;
      return;
    }
    ArrayAccess& array = accesses_.arrays[place->second];
    array.store_bytes += stored;
    if (stored > 0) ++array.store_places;
    if (reading_of(instruction) > 0) {
      array.load_bytes += touched_bytes(instruction);
      ++array.load_places;
    }
    if (instruction.launches > 0)
      array.most_threads =
          std::max(array.most_threads, real(instruction.threads) / real(instruction.launches));
    array.side_by_side = array.side_by_side && goes_side_by_side(instruction);
    if (reading_of(instruction) > 0) array.reads = true;
    if (loads && code->indexed) array.gathers = true;
    if (additions_of(instruction) > 0) array.adds = true;
  }

  [[nodiscard]] bool is_counted() const { return counted_; }
  [[nodiscard]] ArrayAccesses take() { return std::move(accesses_); }

 private:
  ArrayAccesses accesses_{{}, true, true, true, 0};
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> places_;  // by parameter and byte
  bool counted_ = false;
};

}  // namespace

std::unordered_map<std::int64_t, ArrayAccesses> array_accesses(
    std::span<const KernelRow> kernels, std::span<const model::GroupPointer> pointers,
    std::span<const capture::InstructionView> instructions) {
  std::unordered_map<std::int64_t, KernelArrays> by_group;
  for (const auto& pointer : pointers) by_group[pointer.group_id.value].add(pointer);
  for (const auto& instruction : instructions) by_group[instruction.group_id.value].add(instruction);
  std::unordered_map<std::int64_t, ArrayAccesses> accesses;
  for (const KernelRow& row : kernels) {
    const auto kernel = by_group.find(row.id);
    // What a bulk copy of the Tensor Memory Accelerator moves no instruction counts.
    if (kernel == by_group.end() || !kernel->second.is_counted() || row.tma_instructions.value_or(0) > 0)
      continue;
    accesses.emplace(row.id, kernel->second.take());
  }
  return accesses;
}

}  // namespace coalescope::analysis
