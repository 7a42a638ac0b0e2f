#pragma once
// The members of the gate's answer, declared for JSON and its schema.

#include "reports/analysis/fields.h"
#include "reports/gate/gate.h"

namespace coalescope::analysis {

template <>
struct Fields<gate::Violation> {
  using Row = gate::Violation;
  static constexpr std::string_view kName = "violation", kAbout = "What the policy does not allow.";
  static constexpr auto kAll = base::pack(
      Field{"rule", &Row::rule, "", "", Show::hidden, "",
            "Of a report, such as G01, or regression, degree, lost-time."},
      Field{"title", &Row::title, ""}, Field{"severity", &Row::severity, ""},
      Field{"subject", &Row::subject, "", "", Show::hidden, "", "A kernel, transfers, memory, or the run."},
      Field{"message", &Row::message, ""}, Field{"call_site", &Row::call_site, ""},
      Field{"file", &Row::file, ""}, Field{"line", &Row::line, ""},
      Field{"suppressed", &Row::suppressed, "", "", Show::hidden, "",
            "The reason, and until when; null: it counts."});
};

template <>
struct Fields<gate::Result> {
  using Row = gate::Result;
  static constexpr std::string_view kName = "check", kAbout = "Whether a capture passes.";
  static constexpr auto kAll = base::pack(
      Field{"capture_path", &Row::capture_path, ""}, Field{"baseline_path", &Row::baseline_path, ""},
      Field{"outcome", &Row::outcome, ""},
      Field{"verdict", &Row::verdict, "", "", Show::hidden, "", "The one sentence."},
      Field{"violations", &Row::violations, "", "", Show::hidden, "",
            "Errors first, those that are suppressed last."},
      Field{"notes", &Row::notes, "", "", Show::hidden, "", "What a reader must know to judge the rest."},
      Field{"passed", &Row::passed, "", "", Show::hidden, "", "Kernels that have no violation."},
      Field{"coverage", &Row::coverage, "", "", Show::hidden, "",
            "Of the kernels' GPU time, in kernels whose bytes were measured, or compared."});
};

}  // namespace coalescope::analysis
