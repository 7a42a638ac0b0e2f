#pragma once
// A page of Markdown for a terminal, as light as that can be done: headings stand out, text is wrapped, code
// stays as it is, tables have columns.

#include <string>
#include <string_view>
#include <vector>

#include "reports/text/style.h"

namespace coalescope::text {

[[nodiscard]] std::vector<std::string> manual_page_lines(std::string_view markdown, Style style,
                                                         std::size_t width);

}  // namespace coalescope::text
