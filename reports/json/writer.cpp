#include "reports/json/writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace coalescope::json {
namespace {

// Beyond these a number is shorter with an exponent.
constexpr double kLeastFixed = 1e-4;
constexpr double kMostFixed = 1e15;
constexpr std::size_t kLongestNumber = 32;

bool is_plain(char letter) {
  const auto byte = static_cast<unsigned char>(letter);
  return byte >= 0x20 && byte < 0x80 && letter != '"' && letter != '\\';
}

}  // namespace

void Writer::new_line() {
  if (indent_ < 0) return;
  out_ += '\n';
  out_.append(static_cast<std::size_t>(indent_) * static_cast<std::size_t>(depth_), ' ');
}

void Writer::open(char bracket) {
  out_ += bracket;
  ++depth_;
  empty_ = true;
}

void Writer::close(char bracket) {
  --depth_;
  if (!empty_) new_line();
  out_ += bracket;
  empty_ = false;
}

void Writer::next() {
  if (!empty_) out_ += ',';
  empty_ = false;
  new_line();
}

void Writer::name(std::string_view name) {
  next();
  text(name);
  out_ += indent_ < 0 ? ":" : ": ";
}

void Writer::integer(std::int64_t value) {
  std::array<char, kLongestNumber> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  out_.append(digits.data(), end);
}

void Writer::number(double value) {
  if (!std::isfinite(value)) return null();
  const double size = std::fabs(value);
  const bool fixed = size == 0 || (size >= kLeastFixed && size < kMostFixed);
  std::array<char, kLongestNumber> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value,
                                 fixed ? std::chars_format::fixed : std::chars_format::scientific)
                       .ptr;
  out_.append(digits.data(), end);
  // A whole number of this kind keeps looking like one.
  if (fixed && std::find(digits.data(), end, '.') == end) out_ += ".0";
}

void Writer::text(std::string_view value) {
  if (!std::all_of(value.begin(), value.end(), is_plain)) {
    out_ += nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return;
  }
  out_ += '"';
  out_ += value;
  out_ += '"';
}

}  // namespace coalescope::json
