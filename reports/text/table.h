#pragma once
// A table whose columns take the width of their content; where the line gets too long, the columns of words
// give way, never those of numbers.

#include <cstddef>
#include <string>
#include <vector>

namespace coalescope::text {

enum class Align { words, path, number };  // words are cut at their end, paths at their beginning

struct TableColumn {
  std::string title;
  Align align = Align::number;
  std::string group = {};  // stands once above neighbours that share it
};

using TableRow = std::vector<std::string>;  // a cell for each column

// A heading line, above it one of the groups if there are any, then one line a row, indented by `indent`.
[[nodiscard]] std::vector<std::string> table_lines(const std::vector<TableColumn>& columns,
                                                   const std::vector<TableRow>& rows, std::size_t width,
                                                   std::size_t indent);

}  // namespace coalescope::text
