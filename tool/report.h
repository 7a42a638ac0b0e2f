#pragma once
// `coalescope report`: shows a capture as text, as data, or as a page.

#include <cstdio>
#include <optional>
#include <string>

#include "reports/analysis/findings.h"

namespace coalescope::tool {

struct ReportOptions {
  std::string capture;
  std::optional<std::string> html;  // write the page here, and print no text
  bool json = false;
  bool verbose = false;
  analysis::Thresholds thresholds;
};

// The subcommand: its exit status.
int run(const ReportOptions& options);

// The text report of a capture just made, for the bare form; its trouble is a warning.
void print_text(const std::string& capture, std::FILE* stream);

}  // namespace coalescope::tool
