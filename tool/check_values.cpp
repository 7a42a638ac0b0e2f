#include "tool/check_values.h"

#include <algorithm>
#include <charconv>

#include "core/base/duration.h"
#include "tool/rules.h"

namespace coalescope::tool {

std::optional<double> read_share(std::string_view text) {
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (percent) value /= 100;
  return value >= 0 && value <= 1 ? std::optional(value) : std::nullopt;
}

std::optional<gate::LostTime> read_lost_time(std::string_view text) {
  if (const auto ns = base::parse_duration_ns(text)) return gate::LostTime{std::nullopt, ns};
  if (const auto share = read_share(text)) return gate::LostTime{share, std::nullopt};
  return std::nullopt;
}

std::optional<gate::Severity> read_severity(std::string_view text) {
  for (const auto& [value, name] : gate::kSeverityNames)
    if (text == name) return value;
  return std::nullopt;
}

base::Result<std::string> gate_rule_named(const std::string& word) {
  if (std::ranges::find(gate::kOwnRules, word) != gate::kOwnRules.end()) return word;
  return rule_named(word);
}

}  // namespace coalescope::tool
