#include "core/machine_code/parameters.h"

#include <cstring>

namespace coalescope::machine_code {
namespace {

constexpr std::size_t kHeadBytes = 4;  // format, attribute, and a value or the size of what follows
constexpr std::uint8_t kSized = 4;     // the format with a size
constexpr std::uint8_t kBank = 0x0a, kParameter = 0x17;
constexpr std::size_t kBankBytes = 8, kParameterBytes = 12;

std::uint16_t half_at(std::span<const std::byte> bytes, std::size_t at) {
  std::uint16_t value = 0;
  std::memcpy(&value, &bytes[at], sizeof value);
  return value;
}

void take(std::uint8_t attribute, std::span<const std::byte> value, Parameters& parameters) {
  if (attribute == kBank && value.size() >= kBankBytes) parameters.at = half_at(value, 4);
  if (attribute == kParameter && value.size() >= kParameterBytes)
    parameters.offsets[half_at(value, 4)] = half_at(value, 6);
}

}  // namespace

Parameters parameters_of(std::span<const std::byte> info) {
  Parameters parameters;
  for (std::size_t at = 0; at + kHeadBytes <= info.size();) {
    const auto format = std::to_integer<std::uint8_t>(info[at]);
    const auto attribute = std::to_integer<std::uint8_t>(info[at + 1]);
    const std::size_t bytes = format == kSized ? half_at(info, at + 2) : 0;
    at += kHeadBytes;
    if (bytes > info.size() - at) return {};
    take(attribute, info.subspan(at, bytes), parameters);
    at += bytes;
  }
  return parameters;
}

}  // namespace coalescope::machine_code
