#include "core/symbols/frame_codec.h"

#include <cstring>

namespace coalescope::symbols {
namespace {

constexpr std::size_t kMostText = 65'536;  // some mangled names have tens of thousands of letters
constexpr std::int64_t kMissing = -1;

void put(std::string& bytes, std::int64_t number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void put(std::string& bytes, const std::optional<std::int64_t>& number) {
  put(bytes, number.value_or(kMissing));
}

void put(std::string& bytes, const std::optional<std::string>& text) {
  const auto size = text ? static_cast<std::int64_t>(text->size()) : kMissing;
  // Half of a name is a wrong name.
  const bool fits = text && text->size() <= kMostText;
  put(bytes, fits ? size : kMissing);
  if (fits) bytes += *text;
}

bool take(std::string_view& bytes, std::int64_t& number) {
  if (bytes.size() < sizeof number) return false;
  std::memcpy(&number, bytes.data(), sizeof number);
  bytes.remove_prefix(sizeof number);
  return true;
}

bool take(std::string_view& bytes, std::optional<std::int64_t>& number) {
  std::int64_t value = 0;
  if (!take(bytes, value)) return false;
  if (value != kMissing) number = value;
  return true;
}

bool take(std::string_view& bytes, std::optional<std::string>& text) {
  std::int64_t size = 0;
  if (!take(bytes, size)) return false;
  if (size == kMissing) return true;
  if (size < 0 || static_cast<std::uint64_t>(size) > bytes.size()) return false;
  text = bytes.substr(0, static_cast<std::size_t>(size));
  bytes.remove_prefix(static_cast<std::size_t>(size));
  return true;
}

bool take(std::string_view& bytes, Frame& frame) {
  std::int64_t inlined = 0;
  if (!take(bytes, frame.symbol) || !take(bytes, frame.file) || !take(bytes, frame.line) ||
      !take(bytes, frame.column) || !take(bytes, inlined))
    return false;
  frame.is_inlined = inlined != 0;
  return true;
}

}  // namespace

std::string encode_frames(const Frames& frames) {
  std::string bytes;
  put(bytes, static_cast<std::int64_t>(frames.size()));
  for (const Frame& frame : frames) {
    put(bytes, frame.symbol);
    put(bytes, frame.file);
    put(bytes, frame.line);
    put(bytes, frame.column);
    put(bytes, std::int64_t{frame.is_inlined});
  }
  return bytes;
}

std::optional<Frames> decode_frames(std::string_view& bytes) {
  std::int64_t count = 0;
  if (!take(bytes, count)) return std::nullopt;
  Frames frames;
  for (std::int64_t i = 0; i < count; ++i)
    if (!take(bytes, frames.emplace_back())) return std::nullopt;
  return frames;
}

}  // namespace coalescope::symbols
