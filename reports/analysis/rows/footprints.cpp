#include "reports/analysis/rows/footprints.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "core/base/whole.h"
#include "reports/analysis/figures/ratios.h"

namespace coalescope::analysis {
namespace {

using model::MemoryOperation;

using Pointer = std::pair<std::int64_t, std::int64_t>;  // a parameter's number, and the byte in it
using Ranges = std::map<std::int64_t, std::int64_t>;    // address, bytes
constexpr double kNotableShare = 0.1;

using CodePointers = std::unordered_map<std::int64_t, std::set<Pointer>>;  // by group

struct Memory {
  Ranges device, host;
  Ranges loaded, changed;  // of the device; by atomics
  bool whole = true;       // the size of each is known
};

std::int64_t atomics_of(const capture::InstructionView& instruction) {
  return instruction.atomics.value_or(0) + instruction.reductions.value_or(0);
}
bool loads(const capture::InstructionView& instruction) {
  return instruction.loads.value_or(0) + atomics_of(instruction) + instruction.async_copies.value_or(0) > 0;
}
bool changes(const capture::InstructionView& instruction) {
  return atomics_of(instruction) > 0;
}

// Of groups whose accesses of a kind each go to one known pointer. Generic accesses may go to shared memory,
// and the code of an asynchronous copy holds two addresses: these leave the group unknown.
CodePointers pointers_of(std::span<const capture::InstructionView> instructions,
                         bool (*is_of_kind)(const capture::InstructionView&)) {
  CodePointers pointers;
  std::set<std::int64_t> unknown;
  for (const auto& instruction : instructions) {
    if (!is_of_kind(instruction)) continue;
    const auto& code = instruction.code;
    const bool is_known =
        code && code->parameter &&
        (code->operation == MemoryOperation::global_load || code->operation == MemoryOperation::reduction);
    if (is_known)
      pointers[instruction.group_id.value].emplace(*code->parameter, code->parameter_byte);
    else
      unknown.insert(instruction.group_id.value);
  }
  for (const std::int64_t group : unknown) pointers.erase(group);
  return pointers;
}

// Compilers know that a parameter points to global memory. Of a pointer that is loaded they do not, and load
// from where it leads by generic instructions.
std::set<std::int64_t> groups_of_loaded_pointers(std::span<const capture::InstructionView> instructions) {
  std::unordered_map<std::int64_t, std::pair<double, double>> sectors;  // of all loads, of generic ones
  for (const auto& instruction : instructions) {
    if (instruction.loads.value_or(0) == 0) continue;
    auto& [all, generic] = sectors[instruction.group_id.value];
    all += real(instruction.sectors);
    if (instruction.code && instruction.code->operation == MemoryOperation::generic_load)
      generic += real(instruction.sectors);
  }
  std::set<std::int64_t> groups;
  for (const auto& [group, of] : sectors)
    if (of.second > kNotableShare * of.first) groups.insert(group);
  return groups;
}

bool holds(const CodePointers& pointers, const model::GroupPointer& pointer) {
  const auto of_group = pointers.find(pointer.group_id.value);
  return of_group != pointers.end() && of_group->second.contains({pointer.parameter, pointer.byte});
}

struct Accessed {
  CodePointers loaded, changed;
};

void add_pointer(Memory& memory, const model::GroupPointer& pointer, const Accessed& accessed) {
  if (!pointer.range_address || !pointer.range_bytes) {
    memory.whole = false;
    return;
  }
  const bool is_host = is_host_memory(pointer.memory);
  (is_host ? memory.host : memory.device)[*pointer.range_address] = *pointer.range_bytes;
  if (is_host) return;
  if (holds(accessed.loaded, pointer)) memory.loaded[*pointer.range_address] = *pointer.range_bytes;
  if (holds(accessed.changed, pointer)) memory.changed[*pointer.range_address] = *pointer.range_bytes;
}

std::int64_t sum(const Ranges& ranges) {
  std::int64_t bytes = 0;
  for (const auto& [address, size] : ranges) base::add_to(bytes, size);
  return bytes;
}

}  // namespace

void take_footprints(std::span<KernelRow> kernels, std::span<const model::GroupPointer> pointers,
                     std::span<const capture::InstructionView> instructions) {
  const Accessed accessed{pointers_of(instructions, loads), pointers_of(instructions, changes)};
  std::unordered_map<std::int64_t, Memory> by_group;
  for (const auto& pointer : pointers) add_pointer(by_group[pointer.group_id.value], pointer, accessed);
  const auto of_loaded_pointers = groups_of_loaded_pointers(instructions);
  for (auto& kernel : kernels) {
    kernel.has_loaded_pointers = of_loaded_pointers.contains(kernel.id);
    const auto found = by_group.find(kernel.id);
    if (found == by_group.end() || !found->second.whole) continue;
    kernel.footprint_bytes = sum(found->second.device);
    kernel.host_footprint_bytes = sum(found->second.host);
    if (accessed.loaded.contains(kernel.id)) kernel.loaded_footprint_bytes = sum(found->second.loaded);
    for (const auto& [address, bytes] : found->second.changed)
      kernel.least_atomic_bytes = std::min(kernel.least_atomic_bytes.value_or(bytes), bytes);
  }
}

}  // namespace coalescope::analysis
