#pragma once
// Large tables: their rows travel as compact JSON, and data_table.js makes those that are asked for. What
// stands behind a row is made when it is opened. Without script the first rows are a plain table.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/analysis/view/shown.h"
#include "reports/html/markup.h"

namespace coalescope::html {

using analysis::shortened;

// Of a larger table the page has so many rows; those after the first kRowsOpened cannot be opened. What is
// left out stands in words under the table, and --json has it all.
inline constexpr std::size_t kRowsKept = 5000, kRowsOpened = 300, kRowsWithoutScript = 200;

struct DataCell {
  std::string text;
  std::string note;             // small, under the text
  std::string exact;            // the exact value, or why there is none
  std::optional<double> order;  // what the column is sorted by; nullopt of a number sorts last
};

// How a column looks: a share has a bar beside its text.
enum class Look { text, number, share, code };

struct DataHeading {
  std::string group, heading, about;
  Look look = Look::number;
};

// A bar of `share` of the width, from the left or in the middle; above 1 it is full.
enum class BarPlace { left, middle };

// Bars in a column of a part's table, one a row; nullopt: none.
struct DataBars {
  std::size_t column = 0;
  BarPlace place = BarPlace::left;
  std::vector<std::optional<double>> shares;
};

// What stands behind a row, part by part. Each part has one of: words, a table, pairs, a command. In a table,
// a second line of a row's name stands under the whole row.
struct DataPart {
  std::string heading;
  std::vector<std::string> words = {};              // one paragraph each
  std::vector<std::string> headings = {};           // of a table
  std::vector<std::vector<std::string>> rows = {};  // of a table
  std::vector<DataBars> bars = {};                  // in that table
  std::vector<std::string> pairs = {};              // name, value, name, value ...: folded
  std::string command = {};
};

struct DataRow {
  std::vector<std::string> anchors;  // ids under which links find the row
  std::string search;                // the filter looks here, too
  unsigned marks = 0;                // bit n: the row has DataTable::chips[n]
  std::vector<DataCell> cells;
  std::vector<DataPart> parts;
};

struct DataTable {
  std::string id, caption;
  std::string_view rows_are;  // "kernels", for "1,240 more kernels ..."
  std::vector<DataHeading> headings;
  std::vector<std::string> chips;  // what rows can be filtered by
  std::vector<DataRow> rows;
  std::size_t rows_in_all = 0;
};

Html data_table(const DataTable& table);

// A declared field as a cell: what is missing is a dash, and the reason stands in `exact`.
DataCell data_cell(const analysis::Shown& value);

}  // namespace coalescope::html
