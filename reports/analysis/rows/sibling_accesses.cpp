#include "reports/analysis/rows/sibling_accesses.h"

#include <cstdint>
#include <map>
#include <set>
#include <tuple>

namespace coalescope::analysis {
namespace {

constexpr std::int64_t kBytesOfALine = 128;

// Group, operation, base register.
using Base = std::tuple<std::int64_t, model::MemoryOperation, std::int64_t>;

bool has_base(const capture::InstructionView& instruction) {
  return instruction.code && instruction.code->base_register;
}

Base base_of(const capture::InstructionView& instruction) {
  return {instruction.group_id.value, instruction.code->operation, *instruction.code->base_register};
}

bool has_neighbour(const std::set<std::int64_t>& offsets, std::int64_t offset) {
  const auto own = offsets.find(offset), next = std::next(own);
  return (own != offsets.begin() && offset - *std::prev(own) < kBytesOfALine) ||
         (next != offsets.end() && *next - offset < kBytesOfALine);
}

}  // namespace

std::vector<bool> have_siblings(std::span<const capture::InstructionView> instructions) {
  std::map<Base, std::set<std::int64_t>> offsets;
  for (const auto& each : instructions)
    if (has_base(each)) offsets[base_of(each)].insert(each.code->base_offset);
  std::vector<bool> result;
  result.reserve(instructions.size());
  for (const auto& each : instructions)
    result.push_back(has_base(each) && has_neighbour(offsets.at(base_of(each)), each.code->base_offset));
  return result;
}

}  // namespace coalescope::analysis
