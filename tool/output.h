#pragma once
// Where text goes: a stream, or a terminal with its size. Files are output_file.h's.

#include <cstdio>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "reports/text/text.h"

namespace coalescope::tool {

inline constexpr int kJsonIndent = 2;

// `name` is how the stream is called when it cannot be written to: "to stdout".
[[nodiscard]] base::Result<void> write_all(std::FILE* stream, std::string_view text, const std::string& name);

// A terminal is filled and coloured; a pipe or a file gets the same text at the default size.
[[nodiscard]] text::TextOptions text_options_for(std::FILE* stream);

}  // namespace coalescope::tool
