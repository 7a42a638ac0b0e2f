#pragma once
// A table of GitHub's Markdown. Cells are Markdown already: text from outside goes through escape.h.

#include <string>
#include <vector>

namespace coalescope::markdown {

struct Column {
  std::string heading;
  bool number = true;  // to the right
};

using Row = std::vector<std::string>;

// Nothing without rows.
[[nodiscard]] std::string table(const std::vector<Column>& columns, const std::vector<Row>& rows);

}  // namespace coalescope::markdown
