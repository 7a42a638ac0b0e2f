#pragma once
// What a comparison shows to people, as tables of words, the same in every format.

#include <set>
#include <string>
#include <vector>

#include "reports/comparison/comparison.h"

namespace coalescope::comparison {

struct Column {
  std::string heading;
  bool number = false;
  bool code = false;      // names of the recorded program
  bool sentence = false;  // the last column may be one
  bool judges = false;    // "worse", "vanished"
};

struct Table {
  std::string heading;
  std::string rows_are;  // "counts", for "38 counts"
  std::string about;     // one sentence for a reader who sees it for the first time; may be empty
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;  // a cell for each column
  std::size_t more = 0;                        // rows that were left out
  std::set<std::string> words;  // subjects that are no name of the program: "run", "memory: device"
};

// Whether a cell is a name of the recorded program.
[[nodiscard]] bool is_code(const Table& table, const Column& column, const std::string& cell);

// Of each table at most `most` rows; tables without rows are left out. With `all` also what stayed the same
// or decides nothing.
[[nodiscard]] std::vector<Table> tables_of(const Comparison& comparison, std::size_t most, bool all);

// One side of a number, as tables show it.
[[nodiscard]] std::string value_text(const Number& number, std::optional<double> value);

}  // namespace coalescope::comparison
