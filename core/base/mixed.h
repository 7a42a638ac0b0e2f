#pragma once
// A hash of words: each is multiplied by the 64 bits of the golden ratio (D. Knuth, The Art of Computer
// Programming, volume 3, section 6.4), and the upper half is folded into the lower one, which chooses the
// place in a table. It is for short keys that each launch of a program looks up. By then the program has
// emptied the instruction caches, and a library's hash has more instructions to load (docs/decisions/010).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace coalescope::base {

// `hash` with one word more. The hash is multiplied before the word is added: where both are small numbers, 5
// with 6 would be the same as 7 with 4 (exclusive or).
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15U;
  hash = (hash * kGolden ^ word) * kGolden;
  return hash ^ hash >> 32U;
}

// With so many bytes more.
[[nodiscard]] inline std::uint64_t mixed(std::uint64_t hash, const void* data, std::size_t bytes) {
  const auto* const begin = static_cast<const std::byte*>(data);
  for (std::size_t at = 0; at < bytes; at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, begin + at, std::min(bytes - at, sizeof word));
    hash = mixed(hash, word);
  }
  return hash;
}

}  // namespace coalescope::base
