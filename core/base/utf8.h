#pragma once
// UTF-8, read and written one code point after the other.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace coalescope::base {

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t bytes = 1;  // of text that it takes, also where it is not valid
  bool valid = false;     // not overlong, no surrogate, complete
};

// The one at the beginning of `text`, which must not be empty.
[[nodiscard]] CodePoint first_code_point(std::string_view text);

// Marks, embeddings, overrides and isolates: they can make a name read as another one.
[[nodiscard]] bool changes_direction(std::uint32_t code_point);

// Else the byte goes on with one that began before it.
[[nodiscard]] constexpr bool begins_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

// The beginning of `text`, at most so many bytes, cut between two characters.
[[nodiscard]] std::string_view cut_utf8(std::string_view text, std::size_t most_bytes);

// Of a code point that is none the bytes are not valid either.
void append_utf8(std::string& text, std::uint32_t code_point);

}  // namespace coalescope::base
