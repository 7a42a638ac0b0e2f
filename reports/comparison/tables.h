#pragma once
// What a comparison shows to people, as tables of words, the same in every format.

#include <string>
#include <vector>

#include "reports/comparison/comparison.h"

namespace coalescope::comparison {

struct Column {
  std::string heading;
  bool number = false;
  bool code = false;  // names of the recorded program
};

struct Table {
  std::string heading;
  std::string about;  // one sentence for a reader who sees it for the first time; may be empty
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;  // a cell for each column
  std::size_t more = 0;                        // rows that were left out
};

// Of each table at most `most` rows; tables without rows are left out. With `all` also what stayed the same
// or decides nothing.
[[nodiscard]] std::vector<Table> tables_of(const Comparison& comparison, std::size_t most, bool all);

}  // namespace coalescope::comparison
