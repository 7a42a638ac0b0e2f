#include "reports/html/content_policy.h"

#include <cstdint>
#include <fmt/format.h>

namespace coalescope::html {
namespace {

constexpr std::size_t kDigits = 64;

std::uint32_t digit(char c) {
  return static_cast<std::uint32_t>(c <= '9' ? c - '0' : c - 'a' + 10);
}

// The policy wants base64 where sha256sum writes hexadecimal: 6 bits a character instead of 4.
std::string base64_of_hex(std::string_view hex) {
  static constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t at = 0; at < hex.size(); at += 3) {
    std::uint32_t bits = 0;
    for (std::size_t next = 0; next < 3; ++next)
      bits = bits << 4U | (at + next < hex.size() ? digit(hex[at + next]) : 0U);
    out += kAlphabet[bits >> 6U];
    if (at + 1 < hex.size()) out += kAlphabet[bits & 63U];
  }
  while (out.size() % 4 != 0) out += '=';
  return out;
}

std::string source(std::string_view sum) {
  return fmt::format("'sha256-{}'", base64_of_hex(sum.substr(0, kDigits)));
}

}  // namespace

std::string content_policy(std::string_view style, std::span<const std::string_view> scripts) {
  std::string allowed;
  for (const std::string_view sum : scripts) allowed += (allowed.empty() ? "" : " ") + source(sum);
  return fmt::format("default-src 'none'; style-src {}; script-src {}; base-uri 'none'; form-action 'none'",
                     source(style), allowed);
}

}  // namespace coalescope::html
