#pragma once
// Where the parameters of a function lie: the section ".nv.info.NAME" of its module. It is a list of
// attributes; those that are read here were seen in code that nvcc 13.0 makes for sm_75, 90, 100 and 120.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>

namespace coalescope::machine_code {

// Addresses are followed back to words of this size, the first so many of a function's parameters.
inline constexpr std::int64_t kParameterWordBytes = 8, kParameterWords = 64;

struct Parameters {
  std::int64_t at = 0;                           // in the bank of constants
  std::map<std::int64_t, std::int64_t> offsets;  // bytes from there, by the parameter's number from 0
};

// Empty where the section is, or is damaged.
[[nodiscard]] Parameters parameters_of(std::span<const std::byte> info);

}  // namespace coalescope::machine_code
