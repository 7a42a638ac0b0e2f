#include "core/machine_code/memory_code.h"

#include <optional>
#include <vector>

#include "core/machine_code/blocks.h"
#include "core/machine_code/memory_instruction.h"
#include "core/machine_code/origins.h"

namespace coalescope::machine_code {
namespace {

// Follows values through the registers along all ways through the code, until nothing new is learned.
class Flow {
 public:
  Flow(std::span<const Instruction> codes, std::int64_t parameters_at)
      : codes_(codes),
        parameters_at_(parameters_at),
        blocks_(blocks_of(codes)),
        left_(kMostVisits * codes.size()) {
    if (blocks_.size() > kMostBlocks) blocks_ = {Block{0, codes.size(), {}}};
    before_.resize(blocks_.size());
    // Nobody is seen to come to blocks behind jumps whose targets data give.
    for (std::size_t block = 0; block < blocks_.size(); ++block)
      if (!before_[block]) go_from(block);
  }

  // Calls `visit` for each instruction, with what the registers hold before it.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t block = 0; block < blocks_.size(); ++block) {
      Registers registers = *before_[block];
      for (std::size_t at = blocks_[block].begin; at < blocks_[block].end; ++at) {
        visit(at, registers);
        registers.follow(codes_[at], parameters_at_);
      }
    }
  }

 private:
  // A file that is all branches must not take for ever, nor all memory.
  static constexpr std::size_t kMostVisits = 64, kMostBlocks = 8192;

  void go_from(std::size_t first) {
    before_[first].emplace();
    std::vector<std::size_t> waiting{first};
    while (!waiting.empty()) {
      const Block& block = blocks_[waiting.back()];
      Registers registers = *before_[waiting.back()];
      waiting.pop_back();
      const std::size_t length = block.end - block.begin;
      if (length > left_) return;
      left_ -= length;
      for (std::size_t at = block.begin; at < block.end; ++at) registers.follow(codes_[at], parameters_at_);
      for (const std::size_t next : block.next) {
        const bool is_new = !before_[next];
        if (is_new) before_[next].emplace();
        if (before_[next]->join(registers) || is_new) waiting.push_back(next);
      }
    }
  }

  std::span<const Instruction> codes_;
  std::int64_t parameters_at_;
  std::vector<Block> blocks_;
  std::vector<std::optional<Registers>> before_;  // a block
  std::size_t left_;                              // instructions to visit
};

// Code until sm_89 may have the address in a uniform register alone. Later code has the address' descriptor
// there, which is computed with no parameter.
Origin origin_of_address(const Instruction& code, const MemoryInstruction& memory,
                         const Registers& registers) {
  constexpr unsigned kUniformBits = 63;
  if (code.first() != kZeroRegister || code.form() != Form::second_immediate)
    return registers.at(code.first());
  const bool is_load = memory.does == model::MemoryOperation::global_load;
  return registers.uniform(is_load ? code.second() : code.third() & kUniformBits);
}

}  // namespace

std::map<std::int64_t, MemoryCode> decode_memory_code(std::span<const std::byte> function,
                                                      std::int64_t parameters_at) {
  const std::vector<Instruction> codes = instructions_of(function);
  std::map<std::int64_t, MemoryCode> decoded;
  Flow(codes, parameters_at).for_each([&](std::size_t at, const Registers& registers) {
    const Instruction& code = codes[at];
    const auto memory = memory_instruction(code);
    if (!memory) return;
    const Origin address = origin_of_address(code, *memory, registers);
    MemoryCode& known = decoded[static_cast<std::int64_t>(at * kInstructionBytes)];
    known.code.operation = memory->does;
    known.code.access_bytes = memory->bytes;
    if (code.first() != kZeroRegister) known.code.base_register = code.first();
    known.code.base_offset = code.offset();
    known.code.indexed = registers.at(code.first()).loaded;
    known.parameters = address.parameters;
  });
  return decoded;
}

}  // namespace coalescope::machine_code
