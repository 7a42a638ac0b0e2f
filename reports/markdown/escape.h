#pragma once
// Text from outside in Markdown as GitHub renders it: what is not ours must not become markup, a link, a
// mention or a cell of its own.

#include <string>
#include <string_view>

namespace coalescope::markdown {

// A sentence, in a paragraph, a list item or a table cell.
[[nodiscard]] std::string prose(std::string_view text);

// A name or a path as code. Between backticks where it can be, else as a <code> element, because no escape
// inside of backticks holds a backtick, or, in a table, a backslash before a pipe.
[[nodiscard]] std::string code(std::string_view text);

}  // namespace coalescope::markdown
