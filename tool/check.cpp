// The order: the policy and the place of the answer, before any work; the captures; the gate; its status.

#include "tool/check.h"

#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "core/base/log.h"
#include "reports/comparison/compare.h"
#include "reports/gate/gate.h"
#include "reports/json/check.h"
#include "reports/junit/junit.h"
#include "reports/markdown/check.h"
#include "reports/sarif/sarif.h"
#include "reports/text/check.h"
#include "tool/check_config.h"
#include "tool/check_values.h"
#include "tool/compared.h"
#include "tool/exit_status.h"
#include "tool/output.h"
#include "tool/output_file.h"
#include "tool/version.h"

namespace coalescope::tool {

namespace {

using base::Result;

Result<CheckConfig> config_of(const CheckOptions& options) {
  if (options.config) return read_config(*options.config);
  std::error_code error;
  const auto found = find_config(std::filesystem::current_path(error));
  return found ? read_config(*found) : CheckConfig{};
}

template <class Limit, class Read>
Result<void> take(const std::optional<std::string>& text, std::string_view option, Limit& limit, Read read) {
  if (!text) return {};
  const auto value = read(*text);
  if (!value)
    return base::failure(base::ErrorCode::usage, fmt::format("{} does not take '{}'", option, *text),
                         "give a share such as 5% or 0.05, of lost time also a time such as 2ms");
  limit = *value;
  return {};
}

Result<void> take_rules(const std::vector<std::string>& words, gate::Policy& policy) {
  for (const auto& word : words) {
    const std::size_t sign = word.find('=');
    const auto rule = gate_rule_named(word.substr(0, sign));
    if (!rule) return base::relay(rule);
    const auto severity = sign == word.npos ? std::nullopt : read_severity(word.substr(sign + 1));
    if (!severity)
      return base::failure(base::ErrorCode::usage, fmt::format("--rule does not take '{}'", word),
                           "write ID=error, ID=warn or ID=off");
    policy.rules[*rule] = *severity;
  }
  return {};
}

// The command line stands over the file.
Result<CheckConfig> whole_config(const CheckOptions& options) {
  auto config = config_of(options);
  if (!config) return config;
  gate::Policy& policy = config->policy;
  const auto taken =
      take(options.min_degree, "--min-degree", policy.min_degree, read_share)
          .and_then([&] {
            return take(options.max_lost_time, "--max-lost-time", policy.max_lost_time, read_lost_time);
          })
          .and_then([&] {
            return take(options.max_regression, "--max-regression", policy.max_regression, read_share);
          })
          .and_then(
              [&] { return take(options.min_coverage, "--min-coverage", policy.min_coverage, read_share); })
          .and_then([&] { return take_rules(options.rules, policy); });
  if (!taken) return base::relay(taken);
  if (options.baseline) config->baseline = options.baseline;
  return config;
}

std::string rendered(const CheckOptions& options, const analysis::Report& report,
                     const gate::Result& result) {
  if (options.json) return json::to_json(result, kJsonIndent) + "\n";
  if (options.markdown) return markdown::to_markdown(result);
  if (options.junit) return junit::to_junit(result);
  if (options.sarif) return sarif::to_sarif(report, version(), &result) + "\n";
  return text::to_text(result, options.output ? text::TextOptions{} : text_options_for(stdout));
}

int status_of(gate::Outcome outcome) {
  switch (outcome) {
    case gate::Outcome::passed:
      return kDone;
    case gate::Outcome::failed:
      return kFailed;
    case gate::Outcome::not_comparable:
    case gate::Outcome::little_coverage:
      break;
  }
  return kNotComparable;
}

std::string today() {
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
}

int unreadable(const base::Error& error) {
  base::log_error(error);
  return kUnreadable;
}

int check_capture(const CheckOptions& options) {
  const auto config = whole_config(options);
  const auto file = report_file(options.output, options.force);
  if (!config || !file) {
    base::log_error(config ? file.error() : config.error());
    return kUsage;
  }
  const auto report = report_of(options.capture, options.ownership);
  if (!report) return unreadable(report.error());
  std::optional<comparison::Comparison> comparison;
  if (config->baseline) {
    const auto baseline = report_of(*config->baseline, options.ownership);
    if (!baseline) return unreadable(baseline.error());
    comparison = comparison::compare(*baseline, *report);
  }
  const gate::Result result =
      gate::judge(*report, comparison ? &*comparison : nullptr, config->policy, today());
  if (const auto shown = put(*file, rendered(options, *report, result)); !shown) {
    base::log_error(shown.error());
    return kUsage;
  }
  // A file or a machine's format leaves nothing to see in a log.
  if (options.output || options.json || options.junit || options.sarif) base::log_note("{}", result.verdict);
  return status_of(result.outcome);
}

}  // namespace

int run(const CheckOptions& options) {
  return within_memory([&] { return check_capture(options); });
}

}  // namespace coalescope::tool
