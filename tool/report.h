#pragma once
// `coalescope report`: shows a capture, whole or in part, as text, as data, as a page, or for other tools.

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "reports/analysis/call_sites.h"
#include "reports/analysis/judge/findings.h"

namespace coalescope::tool {

struct ReportFormat;

inline constexpr std::int64_t kReportMib = 1000;

struct ReportOptions {
  std::string capture;
  const ReportFormat* format = nullptr;  // null: text
  std::string format_word;               // behind the format's option
  std::optional<std::string> by;         // of analysis::sum_names(): text that adds times up
  std::optional<std::string> output;     // nullopt: stdout
  bool force = false;                    // replace a file that is no report
  bool no_source = false;
  std::vector<std::string> source_roots;  // besides the current folder
  bool verbose = false;
  std::optional<std::string> section;  // of text::section_names()
  std::string colour = "auto";         // of colour_choices()
  // What is shown: analysis::ViewOptions as words of the command line.
  std::optional<std::string> sort, kernel;
  std::vector<std::string> rules;
  std::optional<std::size_t> limit;
  bool all = false;
  analysis::Thresholds thresholds;
  analysis::CodeOwnership ownership;
  std::int64_t memory_mib = kReportMib;
};

// The subcommand: its exit status.
int run(const ReportOptions& options);

// What the command line offers for --sort, --by, --section and --color.
[[nodiscard]] const std::vector<std::string>& sort_keys();
[[nodiscard]] const std::vector<std::string>& sum_names();
[[nodiscard]] const std::vector<std::string>& section_names();
[[nodiscard]] const std::vector<std::string>& colour_choices();

// The text report of a capture just made, for the bare form; its trouble is a warning.
void print_text(const std::string& capture, std::FILE* stream);

}  // namespace coalescope::tool
