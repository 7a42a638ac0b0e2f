#pragma once
// What a rule says of one subject, all of it from one look: the number that it judges by, what that costs,
// the figures that show it, and what to change.

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/analysis/report.h"
#include "reports/analysis/rules/gain.h"

namespace coalescope::analysis {

// The judged number, larger is worse; or why there is none. A subject that the rule is not about has 0.
struct Measure {
  std::optional<double> value;
  std::string why_not;  // "source lines were not measured (too few launches to sample)"

  // From here on it is worth knowing what it costs.
  [[nodiscard]] bool reaches(double limit) const { return value && *value >= limit; }
};
[[nodiscard]] inline Measure measured(double value) {
  return {value, {}};
}
[[nodiscard]] inline Measure not_measured(std::string why) {
  return {std::nullopt, std::move(why)};
}

// What shows it, and the sentence made of these figures.
struct Evidence {
  std::vector<Fact> facts;
  std::string text;
};

// What to change. The id never changes its meaning; wording may.
struct Advice {
  std::string id;                // "G03.block_multiple"
  std::vector<Fact> parameters;  // the figures of the sentence
  std::string text;
  std::string_view repair = {};  // the advice in a phrase like RuleAbout::repair, and instead of it
};

// Below the rule's limit there is a measure and nothing else.
struct Assessment {
  Measure measure;
  Cost cost = {};
  Evidence evidence = {};
  Advice advice = {};
  // Of L2 windows: kernels that read again from DRAM because of it (KernelRow::id), so that no finding of
  // their own says so.
  std::vector<std::int64_t> explained_rereads = {};
};

// Figures that were measured; what was not is no fact, nor what no number says.
class FactList {
 public:
  FactList& add(std::string key, std::optional<double> value, std::string unit) {
    if (value && std::isfinite(*value)) facts_.push_back({std::move(key), *value, std::move(unit)});
    return *this;
  }
  FactList& count(std::string key, std::optional<std::int64_t> value, std::string unit) {
    return add(std::move(key), value ? std::optional(static_cast<double>(*value)) : std::nullopt,
               std::move(unit));
  }
  [[nodiscard]] std::vector<Fact> take() { return std::move(facts_); }

 private:
  std::vector<Fact> facts_;
};

}  // namespace coalescope::analysis
