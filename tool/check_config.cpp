#include "tool/check_config.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <regex>

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include "tool/check_values.h"

namespace coalescope::tool {

namespace {

namespace fs = std::filesystem;
using base::Result;

// Nobody writes one of this size by hand.
constexpr std::streamsize kMostConfigBytes = 1 << 20;

class ConfigReader {
 public:
  explicit ConfigReader(const fs::path& path) : path_(path) {}

  Result<CheckConfig> read(std::string_view text);

 private:
  [[nodiscard]] base::Failure fault(const toml::source_region& where, const std::string& what,
                                    const std::string& remedy = {}) const {
    return base::failure(base::ErrorCode::usage,
                         fmt::format("cannot use '{}': line {}, column {}: {}", path_.string(),
                                     where.begin.line, where.begin.column, what),
                         remedy);
  }
  Result<void> take_table(const toml::key& name, const toml::node& node);
  Result<void> take_limit(const toml::key& key, const toml::node& node);
  Result<void> take_rule(const toml::key& key, const toml::node& node);
  Result<void> take_suppressions(const toml::node& node);
  Result<void> take_suppression(const toml::node& node);
  Result<void> take_word(gate::Suppression& suppression, const toml::key& key, const toml::node& node);
  [[nodiscard]] Result<void> check_whole(const gate::Suppression& suppression, const toml::node& node) const;

  const fs::path& path_;
  CheckConfig config_;
};

// A number, or words such as "5%".
std::string text_of(const toml::node& node) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto number = node.value<double>()) return fmt::format("{}", *number);
  return {};
}

Result<CheckConfig> ConfigReader::read(std::string_view text) {
  const toml::parse_result parsed = toml::parse(text, path_.string());
  if (!parsed) return fault(parsed.error().source(), std::string(parsed.error().description()));
  for (const auto& [name, node] : parsed.table())
    if (const auto taken = take_table(name, node); !taken) return base::relay(taken);
  return std::move(config_);
}

Result<void> ConfigReader::take_table(const toml::key& name, const toml::node& node) {
  if (name.str() == "suppress") return take_suppressions(node);
  const bool check = name.str() == "check";
  if (!check && name.str() != "rules")
    return fault(name.source(), fmt::format("there is no part '{}'", name.str()),
                 "its parts are [check], [rules] and [[suppress]]");
  if (!node.is_table()) return fault(node.source(), fmt::format("'{}' is no table", name.str()));
  for (const auto& [key, value] : *node.as_table())
    if (auto taken = check ? take_limit(key, value) : take_rule(key, value); !taken) return taken;
  return {};
}

Result<void> ConfigReader::take_limit(const toml::key& key, const toml::node& node) {
  const std::string text = text_of(node);
  gate::Policy& policy = config_.policy;
  if (key.str() == "baseline") {
    if (!node.is_string() || text.empty())
      return fault(node.source(), "'baseline' wants the path of a capture, in quotation marks");
    config_.baseline = (path_.parent_path() / text).lexically_normal().string();
    return {};
  }
  if (key.str() == "max-lost-time") {
    policy.max_lost_time = read_lost_time(text);
    if (policy.max_lost_time) return {};
    return fault(node.source(),
                 "'max-lost-time' wants a share of the GPU time such as \"5%\", or a time such as \"2ms\"");
  }
  const auto share = read_share(text);
  const auto set = [&](auto& limit) -> Result<void> {
    if (!share)
      return fault(node.source(), fmt::format("'{}' wants a share such as \"5%\" or 0.05", key.str()));
    limit = *share;
    return {};
  };
  if (key.str() == "min-degree") return set(policy.min_degree);
  if (key.str() == "max-regression") return set(policy.max_regression);
  if (key.str() == "min-coverage") return set(policy.min_coverage);
  return fault(key.source(), fmt::format("[check] has no '{}'", key.str()),
               "it has baseline, min-degree, max-lost-time, max-regression and min-coverage");
}

Result<void> ConfigReader::take_rule(const toml::key& key, const toml::node& node) {
  const auto rule = gate_rule_named(std::string(key.str()));
  if (!rule) return fault(key.source(), rule.error().message, rule.error().remedy);
  const auto severity = read_severity(text_of(node));
  if (!severity)
    return fault(node.source(), fmt::format("'{}' wants \"error\", \"warn\" or \"off\"", key.str()));
  config_.policy.rules[*rule] = *severity;
  return {};
}

Result<void> ConfigReader::take_suppressions(const toml::node& node) {
  if (!node.is_array_of_tables())
    return fault(node.source(), "'suppress' is no list of tables", "write [[suppress]] above each");
  for (const toml::node& each : *node.as_array())
    if (auto taken = take_suppression(each); !taken) return taken;
  return {};
}

Result<void> ConfigReader::take_suppression(const toml::node& node) {
  gate::Suppression suppression;
  suppression.line = static_cast<std::int64_t>(node.source().begin.line);
  for (const auto& [key, value] : *node.as_table())
    if (auto taken = take_word(suppression, key, value); !taken) return taken;
  if (auto whole = check_whole(suppression, node); !whole) return whole;
  config_.policy.suppressions.push_back(std::move(suppression));
  return {};
}

Result<void> ConfigReader::take_word(gate::Suppression& suppression, const toml::key& key,
                                     const toml::node& node) {
  if (key.str() == "until") {
    const auto day = node.value_exact<toml::date>();
    if (!day) return fault(node.source(), "'until' wants a day such as 2026-12-31, without quotation marks");
    suppression.until = fmt::format("{:04}-{:02}-{:02}", day->year, day->month, day->day);
    return {};
  }
  const auto text = node.value_exact<std::string>();
  if (!text || text->empty()) return fault(node.source(), fmt::format("'{}' wants words", key.str()));
  if (key.str() == "reason") {
    suppression.reason = *text;
  } else if (key.str() == "call-site") {
    suppression.call_site = *text;
  } else if (key.str() == "kernel") {
    try {
      std::regex(*text, std::regex::extended);
    } catch (const std::regex_error&) {
      return fault(node.source(), fmt::format("'{}' is not a regular expression", *text));
    }
    suppression.kernel = *text;
  } else if (key.str() == "rule") {
    const auto rule = gate_rule_named(*text);
    if (!rule) return fault(node.source(), rule.error().message, rule.error().remedy);
    suppression.rule = *rule;
  } else {
    return fault(key.source(), fmt::format("a suppression has no '{}'", key.str()),
                 "it has rule, kernel, call-site, reason and until");
  }
  return {};
}

Result<void> ConfigReader::check_whole(const gate::Suppression& suppression, const toml::node& node) const {
  if (!suppression.rule && !suppression.kernel && !suppression.call_site)
    return fault(node.source(), "a suppression of everything", "name a rule, a kernel or a call-site");
  if (suppression.reason.empty()) return fault(node.source(), "a suppression without a reason");
  if (suppression.until.empty())
    return fault(node.source(), "a suppression without an end", "say until which day: until = 2026-12-31");
  return {};
}

}  // namespace

Result<CheckConfig> parse_config(std::string_view text, const fs::path& path) {
  return ConfigReader(path).read(text);
}

Result<CheckConfig> read_config(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(static_cast<std::size_t>(kMostConfigBytes), '\0');
  if (fs::is_directory(path) || !file)
    return base::failure(base::ErrorCode::usage, fmt::format("cannot read '{}'", path.string()),
                         "name a file that you may read");
  file.read(text.data(), kMostConfigBytes);
  if (file.gcount() == kMostConfigBytes)
    return base::failure(base::ErrorCode::usage,
                         fmt::format("cannot use '{}': it is larger than 1 MiB", path.string()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return parse_config(text, path);
}

std::optional<fs::path> find_config(fs::path folder) {
  std::error_code error;
  for (;; folder = folder.parent_path()) {
    if (fs::exists(folder / kConfigName, error)) return folder / kConfigName;
    if (fs::exists(folder / ".git", error) || folder == folder.parent_path()) return std::nullopt;
  }
}

}  // namespace coalescope::tool
