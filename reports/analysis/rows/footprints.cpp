#include "reports/analysis/rows/footprints.h"

#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "core/base/whole.h"

namespace coalescope::analysis {
namespace {

using model::MemoryKind;
using model::MemoryOperation;

using Pointer = std::pair<std::int64_t, std::int64_t>;  // a parameter's number, and the byte in it
using Ranges = std::map<std::int64_t, std::int64_t>;    // address, bytes
using Loaded = std::unordered_map<std::int64_t, std::set<Pointer>>;  // by group

struct Memory {
  Ranges device, host;
  Ranges loaded;      // of the device
  bool whole = true;  // the size of each is known
};

bool loads(const capture::InstructionView& instruction) {
  return instruction.loads.value_or(0) + instruction.atomics.value_or(0) +
             instruction.reductions.value_or(0) + instruction.async_copies.value_or(0) >
         0;
}

// Groups whose loads each go to one known pointer. Generic loads may go to shared memory, and the code of an
// asynchronous copy holds two addresses: these leave the group's loads unknown.
Loaded loaded_pointers(std::span<const capture::InstructionView> instructions) {
  Loaded loaded;
  std::set<std::int64_t> unknown;
  for (const auto& instruction : instructions) {
    if (!loads(instruction)) continue;
    const auto& code = instruction.code;
    const bool is_known =
        code && code->parameter &&
        (code->operation == MemoryOperation::global_load || code->operation == MemoryOperation::reduction);
    if (is_known)
      loaded[instruction.group_id.value].emplace(*code->parameter, code->parameter_byte);
    else
      unknown.insert(instruction.group_id.value);
  }
  for (const std::int64_t group : unknown) loaded.erase(group);
  return loaded;
}

void add_pointer(Memory& memory, const model::GroupPointer& pointer, const Loaded& loaded) {
  if (!pointer.range_address || !pointer.range_bytes) {
    memory.whole = false;
    return;
  }
  const bool is_host = pointer.memory == MemoryKind::pinned || pointer.memory == MemoryKind::pageable;
  (is_host ? memory.host : memory.device)[*pointer.range_address] = *pointer.range_bytes;
  const auto of_group = loaded.find(pointer.group_id.value);
  if (!is_host && of_group != loaded.end() && of_group->second.contains({pointer.parameter, pointer.byte}))
    memory.loaded[*pointer.range_address] = *pointer.range_bytes;
}

std::int64_t sum(const Ranges& ranges) {
  std::int64_t bytes = 0;
  for (const auto& [address, size] : ranges) base::add_to(bytes, size);
  return bytes;
}

}  // namespace

void take_footprints(std::span<KernelRow> kernels, std::span<const model::GroupPointer> pointers,
                     std::span<const capture::InstructionView> instructions) {
  const Loaded loaded = loaded_pointers(instructions);
  std::unordered_map<std::int64_t, Memory> by_group;
  for (const auto& pointer : pointers) add_pointer(by_group[pointer.group_id.value], pointer, loaded);
  for (auto& kernel : kernels) {
    const auto found = by_group.find(kernel.id);
    if (found == by_group.end() || !found->second.whole) continue;
    kernel.footprint_bytes = sum(found->second.device);
    kernel.host_footprint_bytes = sum(found->second.host);
    if (loaded.contains(kernel.id)) kernel.loaded_footprint_bytes = sum(found->second.loaded);
  }
}

}  // namespace coalescope::analysis
