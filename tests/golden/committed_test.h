#pragma once
// Output compared with the file that is committed for it; COALESCOPE_UPDATE_GOLDEN writes that file instead.

#include <filesystem>
#include <string>

namespace coalescope::golden {

// The inputs that are SQL, and what is committed for them.
inline const std::filesystem::path kCases =
    std::filesystem::path(COALESCOPE_SOURCE_DIR) / "tests/golden/cases";

void expect_committed(const std::filesystem::path& golden, const std::string& actual);

}  // namespace coalescope::golden
