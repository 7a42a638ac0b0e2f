#pragma once
// A rule is a row: what it judges, from where it speaks, what that costs and what to change. Renderers know
// findings, never rules; adding one is a file in rules/, a row in rule_table.cpp and a page in docs/rules/.

#include <optional>
#include <string>
#include <string_view>

#include "reports/analysis/gain.h"
#include "reports/analysis/machine.h"
#include "reports/analysis/report.h"

namespace coalescope::analysis {

template <class Row>
struct Rule {
  std::string_view id;     // "G01": stable; printed, linked and suppressed by it
  std::string_view title;  // "Uncoalesced loads"
  // The judged number, larger is worse; std::nullopt: not judged, because a part of it was not measured.
  std::optional<double> (*measure)(const Row&, const Machine&);
  double limit;           // speaks from here on
  double unpriced_limit;  // the same where the cost is unknown: only what is bad whatever it costs
  bool note;              // never more than a note: worth knowing, not known to cost time
  Cost (*cost)(const Row&, const Machine&);
  std::string (*evidence)(const Row&);
  std::string (*advice)(const Row&);
  bool (*concerns)(const LineRow&);  // the source lines at fault; nullptr: the rule has none
};

}  // namespace coalescope::analysis
