#pragma once
// Where a report goes: a stream, a terminal with its size, or a file that takes its name only when it is
// whole.

#include <cstdio>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "reports/text/text.h"

namespace coalescope::tool {

// `name` is how the stream is called when it cannot be written to: "to stdout".
[[nodiscard]] base::Result<void> write_all(std::FILE* stream, std::string_view text, const std::string& name);

// Never replaces a capture.
[[nodiscard]] base::Result<void> write_file(const std::string& path, std::string_view text);

// A terminal is filled and coloured; a pipe or a file gets the same text at the default size.
[[nodiscard]] text::TextOptions text_options_for(std::FILE* stream);

}  // namespace coalescope::tool
