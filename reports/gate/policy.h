#pragma once
// What a repository demands of its captures: how grave each rule is, limits, and what is known and allowed.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/enums.h"

namespace coalescope::gate {

enum class Severity { error, warn, off };
inline constexpr std::array kSeverityNames{model::EnumName{Severity::error, "error"},
                                           model::EnumName{Severity::warn, "warn"},
                                           model::EnumName{Severity::off, "off"}};
constexpr std::string_view name_of(Severity value) {
  return model::name_in(kSeverityNames, value);
}

// What the gate itself looks for, beside the rules of reports. Each is an error unless the policy says else.
inline constexpr std::string_view kRegression = "regression", kDegree = "degree", kLostTime = "lost-time";
inline constexpr std::array kOwnRules{kRegression, kDegree, kLostTime};

// A violation that is allowed until a day. What is not given matches all.
struct Suppression {
  std::optional<std::string> rule, kernel, call_site;  // an id; a regular expression; a part of the stack
  std::string reason;
  std::string until;      // "2026-12-31": the last day
  std::int64_t line = 0;  // of the file that holds it
};

// A share of the run's GPU time, or a time.
struct LostTime {
  std::optional<double> share;
  std::optional<std::int64_t> ns;
};

struct Policy {
  std::map<std::string, Severity, std::less<>> rules;  // by id; others as their findings' level says
  std::optional<double> min_degree;                    // of coalescing, of each of the program's own kernels
  std::optional<LostTime> max_lost_time;               // that all findings together are predicted to cost
  double max_regression = 0;  // a count that got worse by no more than this share is no violation
  double min_coverage = 0.5;  // of the kernels' GPU time
  std::vector<Suppression> suppressions;
};

}  // namespace coalescope::gate
