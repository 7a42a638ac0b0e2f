// Prints docs/comparison.schema.json or docs/check.schema.json, as the argument says: what `diff --json` and
// `check --json` write.

#include <cstdio>
#include <cstring>
#include <exception>
#include <nlohmann/json.hpp>

#include "reports/comparison/fields.h"
#include "reports/gate/fields.h"
#include "reports/json/check.h"
#include "reports/json/comparison.h"
#include "tests/build/schema_types.h"
#include "tests/support/json_text.h"

namespace coalescope::schema {

template <>
struct Names<comparison::Judgement> {
  static constexpr auto& kAll = comparison::kJudgementNames;
};
template <>
struct Names<comparison::Match> {
  static constexpr auto& kAll = comparison::kMatchNames;
};
template <>
struct Names<comparison::FindingState> {
  static constexpr auto& kAll = comparison::kFindingStateNames;
};
template <>
struct Names<gate::Severity> {
  static constexpr auto& kAll = gate::kSeverityNames;
};
template <>
struct Names<gate::Outcome> {
  static constexpr auto& kAll = gate::kOutcomeNames;
};

}  // namespace coalescope::schema

namespace {

using namespace coalescope;
using schema::Json;

// The whole: its version, and one member that holds the rest.
Json whole(std::string_view title, std::string_view member, std::int64_t version, const Json& definitions) {
  return {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
          {"title", title},
          {"type", "object"},
          {"properties",
           {{"schema_version", {{"const", version}}}, {std::string(member), schema::reference(member)}}},
          {"required", {"schema_version", member}},
          {"additionalProperties", false},
          {"$defs", definitions}};
}

Json comparison_schema() {
  Json definitions;
  schema::define<comparison::Number>(definitions);
  schema::define<comparison::KernelChange>(definitions);
  schema::define<comparison::FindingChange>(definitions);
  schema::define<comparison::RowChange>(definitions);
  schema::define<comparison::Side>(definitions);
  schema::define<comparison::Comparison>(definitions);
  return whole("What coalescope diff --json writes", "comparison", json::kComparisonVersion, definitions);
}

Json check_schema() {
  Json definitions;
  schema::define<gate::Violation>(definitions);
  schema::define<gate::Result>(definitions);
  return whole("What coalescope check --json writes", "check", json::kCheckVersion, definitions);
}

}  // namespace

int main(int argc, char** argv) try {
  const bool comparison = argc == 2 && std::strcmp(argv[1], "comparison") == 0;
  if (!comparison && (argc != 2 || std::strcmp(argv[1], "check") != 0)) {
    std::fputs("usage: answer_schema comparison|check\n", stderr);
    return 2;
  }
  std::puts(json_text(comparison ? comparison_schema() : check_schema()).c_str());
} catch (const std::exception& error) {
  std::fprintf(stderr, "answer_schema: %s\n", error.what());
  return 1;
}
