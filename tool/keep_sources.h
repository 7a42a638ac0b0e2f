#pragma once
// Puts the source lines that were measured, and the author's own lines that called CUDA, into a capture, so
// that reports show them on any machine and as they were. The files are the recorded program's own, wherever
// they lie.

#include <filesystem>
#include <string>

#include "core/base/error.h"

namespace coalescope::tool {

// Names that are not absolute are looked up in `directory`. What cannot be read is left out; of both kinds of
// lines at most 64 files and 1 MiB of text are kept, of measured lines those with the largest counts first.
[[nodiscard]] base::Result<void> keep_sources(const std::filesystem::path& capture,
                                              const std::string& directory);

}  // namespace coalescope::tool
