#include "core/machine_code/blocks.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>

namespace coalescope::machine_code {
namespace {

constexpr unsigned kBranch = 0x147, kExit = 0x14d, kReturn = 0x150;
constexpr unsigned kCall = 0x144;  // relative; compilers also leave loops by it

// Relative branches. Until sm_89 the offset stands in bytes above bit 32; since sm_90 in words, its lowest
// eight bits in the field of the target and the others above bit 34. Each function ends with a branch to
// itself, so that the field tells which it is.
bool has_word_offsets(std::span<const Instruction> codes) {
  return std::ranges::any_of(
      codes, [](const Instruction& code) { return code.operation() == kBranch && code.target() != 0; });
}

// nullopt: no branch and no call, or one that leaves the function.
std::optional<std::size_t> branches_to(std::span<const Instruction> codes, std::size_t at,
                                       bool word_offsets) {
  const Instruction& code = codes[at];
  if (code.operation() != kBranch && code.operation() != kCall) return std::nullopt;
  const auto low = static_cast<std::int64_t>(code.low);
  const std::int64_t bytes =
      word_offsets ? ((low >> 34) * 256 + static_cast<std::int64_t>(code.target())) * 4 : low >> 32;
  const std::int64_t to =
      static_cast<std::int64_t>(at) + 1 + bytes / static_cast<std::int64_t>(kInstructionBytes);
  if (to < 0 || to >= std::ssize(codes)) return std::nullopt;
  return static_cast<std::size_t>(to);
}

bool goes_on(const Instruction& code) {
  if (code.operation() == kBranch) return !code.branches_always();
  return (code.operation() != kExit && code.operation() != kReturn) || code.is_predicated();
}

}  // namespace

std::vector<Block> blocks_of(std::span<const Instruction> codes) {
  if (codes.empty()) return {};
  const bool word_offsets = has_word_offsets(codes);
  std::set<std::size_t> begins{0};
  for (std::size_t at = 0; at < codes.size(); ++at) {
    const auto to = branches_to(codes, at, word_offsets);
    if (to) begins.insert(*to);
    if ((to || !goes_on(codes[at])) && at + 1 < codes.size()) begins.insert(at + 1);
  }
  const std::vector<std::size_t> starts(begins.begin(), begins.end());
  const auto block_at = [&](std::size_t at) {
    return static_cast<std::size_t>(std::ranges::lower_bound(starts, at) - starts.begin());
  };
  std::vector<Block> blocks(starts.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    blocks[i].begin = starts[i];
    blocks[i].end = i + 1 < blocks.size() ? starts[i + 1] : codes.size();
    const std::size_t last = blocks[i].end - 1;
    if (const auto to = branches_to(codes, last, word_offsets)) blocks[i].next.push_back(block_at(*to));
    if (goes_on(codes[last]) && i + 1 < blocks.size()) blocks[i].next.push_back(i + 1);
  }
  return blocks;
}

}  // namespace coalescope::machine_code
