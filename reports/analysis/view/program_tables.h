#pragma once
// The rows of program.h as plain tables of text, which the terminal and the page show alike.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/analysis/report.h"

namespace coalescope::analysis {

struct PlainTable {
  std::string id;  // "largest-allocations"
  std::string title;
  std::string rows_are;               // "allocations", of those that are not shown
  std::vector<std::string> headings;  // the first and those of `words` hold words, the others numbers
  std::vector<std::size_t> words;     // columns of words beside the first
  std::vector<std::vector<std::string>> rows;  // at most 40
  // What the cells of `rows` are sorted by; nullopt of words and of what is not known.
  std::vector<std::vector<std::optional<double>>> orders;
  std::size_t rows_in_all = 0;
  std::vector<std::string> abouts = {};  // what the columns mean, in the order of `headings`; may be empty
};

// PlainTable::id of what managed memory did.
inline constexpr std::string_view kMigrationsId = "migrations";

// Those that have rows.
[[nodiscard]] std::vector<PlainTable> program_tables(const Report& report);

}  // namespace coalescope::analysis
