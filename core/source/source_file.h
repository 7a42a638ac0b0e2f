#pragma once
// A source file on this machine: its lines, and the hash that tells whether it is still what was recorded.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace coalescope::source {

// Lines before and after one that was measured that are shown with it.
inline constexpr std::int64_t kContext = 3;

struct SourceFile {
  std::vector<std::string> lines;  // line 1 is lines[0]; without their ends, shortened
  std::string sha256;              // of the file's bytes, as hex digits
  std::int64_t bytes = 0;
};

// The line's first 1,000 bytes, cut between two characters of UTF-8: a report repeats a line for each kernel.
[[nodiscard]] std::string shortened(const std::string& line);

// nullopt: there is none, it is no regular file, is not named like a source, is larger than 4 MiB, or may not
// be read. Never waits (a pipe) and has no side effects (a device).
[[nodiscard]] std::optional<SourceFile> read_source(const std::filesystem::path& path);

}  // namespace coalescope::source
