#pragma once
// Source text for the lines of a report. The names come from the capture, which may come from a stranger:
// only regular files that are named like sources are opened, and only so much of them is read.

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "reports/analysis/report.h"

namespace coalescope::analysis {

// Reads files on demand and keeps them.
class SourceFiles {
 public:
  // Names that are not absolute are looked up here: where the program was started.
  explicit SourceFiles(std::string directory) : directory_(std::move(directory)) {}

  // Line 1 is lines[0]; nullptr when the file cannot or must not be read.
  const std::vector<std::string>* lines_of(const std::string& file);

 private:
  std::string directory_;
  std::unordered_map<std::string, std::optional<std::vector<std::string>>> files_;
};

// Fills LineRow::text, and takes excerpts around the lines with the most surplus.
[[nodiscard]] std::vector<SourceExcerpt> take_sources(std::vector<LineRow>& lines, SourceFiles& files);

}  // namespace coalescope::analysis
