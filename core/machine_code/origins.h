#pragma once
// Where the values in registers come from: from the number of the lane, from memory, from parameters.

#include <array>
#include <cstdint>

#include "core/machine_code/instruction_bits.h"

namespace coalescope::machine_code {

// Of a value.
struct Origin {
  bool by_lane = false;          // it differs by lane
  bool loaded = false;           // it comes from memory at addresses that differ by lane
  std::uint64_t parameters = 0;  // computed with these: a bit for each of the first 64 words of 8 bytes

  Origin& operator|=(const Origin& other) {
    by_lane |= other.by_lane;
    loaded |= other.loaded;
    parameters |= other.parameters;
    return *this;
  }
  friend bool operator==(const Origin&, const Origin&) = default;
};

class Registers {
 public:
  // Of a thread.
  [[nodiscard]] Origin at(unsigned number) const {
    return number < kZeroRegister ? held_.at(number) : Origin();
  }
  // That all lanes share.
  [[nodiscard]] Origin uniform(unsigned number) const { return uniform_.at(number); }

  // What the instruction leaves behind. `parameters_at`: where the parameters begin in the bank of constants.
  void follow(const Instruction& code, std::int64_t parameters_at);
  // What these or the others hold; false: they say nothing new.
  bool join(const Registers& others);

 private:
  using File = std::array<Origin, kZeroRegister + 1>;
  static void set(File& file, unsigned number, unsigned count, Origin origin, bool perhaps);
  void follow_load(const Instruction& code, std::int64_t bytes, bool loads);
  void follow_constants(const Instruction& code, File& file, std::int64_t offset, std::int64_t parameters_at);
  void follow_uniform(const Instruction& code, std::int64_t parameters_at);

  File held_{}, uniform_{};
};

}  // namespace coalescope::machine_code
