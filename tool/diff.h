#pragma once
// `coalescope diff`: what changed from one capture of a program to the next.

#include <optional>
#include <string>
#include <vector>

#include "reports/analysis/call_sites.h"

namespace coalescope::tool {

struct DiffOptions {
  std::string before, after;
  // At most one of these; none: text.
  std::optional<std::string> html;  // write the page here
  bool json = false;
  bool markdown = false;
  std::optional<std::string> output;  // nullopt: stdout
  bool force = false;
  bool verbose = false;
  std::optional<std::string> fail_on;  // of fail_choices()
  analysis::CodeOwnership ownership;
};

// The subcommand: its exit status.
int run(const DiffOptions& options);

// "worse": status 1 if something got worse; "different": if anything did.
[[nodiscard]] const std::vector<std::string>& fail_choices();

}  // namespace coalescope::tool
