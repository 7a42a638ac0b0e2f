#pragma once
// `coalescope check`: the gate of a repository's continuous integration.

#include <optional>
#include <string>
#include <vector>

#include "reports/analysis/call_sites.h"

namespace coalescope::tool {

struct CheckOptions {
  std::string capture;
  std::optional<std::string> config;    // nullopt: .coalescope.toml, where there is one
  std::optional<std::string> baseline;  // a capture; this and what follows stands over the file's
  std::optional<std::string> min_degree, max_lost_time, max_regression, min_coverage;
  std::vector<std::string> rules;  // "G01=error"
  // At most one of these; none: text.
  bool json = false, markdown = false, junit = false, sarif = false;
  std::optional<std::string> output;  // nullopt: stdout
  bool force = false;
  analysis::CodeOwnership ownership;
};

// The subcommand: its exit status.
int run(const CheckOptions& options);

}  // namespace coalescope::tool
