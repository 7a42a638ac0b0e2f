#pragma once
// A table whose columns take the width of their content. Where the line gets too long, headings of numbers
// break between their words, and then the columns of words give way, never the numbers.

#include <cstddef>
#include <string>
#include <vector>

namespace coalescope::text {

// Words are cut at their end, paths at their beginning, names in their middle: both ends tell which it is.
enum class Align { words, path, name, number };

struct TableColumn {
  std::string title;
  Align align = Align::number;
  std::string group = {};  // stands once above neighbours that share it
};

using TableRow = std::vector<std::string>;  // a cell for each column

// The headings, above them a line of the groups if there are any, then one line a row, indented by `indent`.
// Nothing where there are no rows.
[[nodiscard]] std::vector<std::string> table_lines(const std::vector<TableColumn>& columns,
                                                   const std::vector<TableRow>& rows, std::size_t width,
                                                   std::size_t indent);

}  // namespace coalescope::text
