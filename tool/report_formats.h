#pragma once
// The formats of `coalescope report`, a row each: what asks for it, what makes it of a report, and by what
// its files are known. Without any the report is text.

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/analysis/report.h"

namespace coalescope::tool {

// What must stand in the beginning of a file: its first words, and others.
struct OutputMark {
  std::string_view begins;
  std::array<std::string_view, 2> holds;
};

struct ReportFormat {
  enum class Takes { nothing, choice, file };

  std::string_view option;  // "--json"
  std::string_view help;
  Takes takes;  // the word behind the option
  std::string (*render)(const analysis::Report& report, const std::string& word);
  // Empty: it has no place for a mark, and its files are replaced with --force only.
  OutputMark mark = {};
  const std::vector<std::string>& (*choices)() = nullptr;  // of Takes::choice
};

// In the order of the help.
[[nodiscard]] std::span<const ReportFormat> report_formats();
// Null: there is none.
[[nodiscard]] const ReportFormat* report_format(std::string_view option);

}  // namespace coalescope::tool
