#pragma once
// Source text for the lines of a report. What the capture carries comes first. The names in it may come from
// a stranger: files of this machine are read below the folders that the reader of the report allows, and
// nowhere else.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/model/diagnostic.h"
#include "core/model/source.h"
#include "core/source/source_file.h"
#include "reports/analysis/report.h"

namespace coalescope::analysis {

struct SourceOptions {
  bool shown = false;                        // false: no source text at all
  std::vector<std::filesystem::path> roots;  // files are read below these
};

// Reads files on demand and keeps them.
class SourceFiles {
 public:
  // Names that are not absolute are looked up in `directory`: where the program was started.
  SourceFiles(std::string directory, const SourceOptions& options,
              const std::vector<model::SourceFile>& recorded_files = {},
              const std::vector<model::SourceLine>& recorded_lines = {});

  // nullptr: it was not recorded, and no file that may be read here has it.
  const std::string* line(const std::string& file, std::int64_t number);
  // The report has to do without a line of this file.
  void miss(const std::string& file);

  // For the top of the report: which text is missing or older than the file here, and what to do about it.
  [[nodiscard]] std::vector<model::Diagnostic> notices() const;

 private:
  enum class Here { not_looked_for, outside, unreadable, changed, read };
  struct File {
    std::string sha256;  // empty: nothing was recorded
    std::map<std::int64_t, std::string> recorded;
    Here here = Here::not_looked_for;
    std::vector<std::string> lines;  // if it was read here
    bool missed = false;
  };
  void look_for(const std::string& name, File& file);
  [[nodiscard]] std::optional<std::filesystem::path> allowed(const std::string& name) const;

  std::string directory_;
  bool shown_;
  std::vector<std::filesystem::path> roots_;  // canonical
  std::map<std::string, File> files_;
  std::size_t read_here_ = 0;
};

// Fills the texts of both, and takes excerpts around the lines with the most surplus and around those that
// called for the most GPU time.
[[nodiscard]] std::vector<SourceExcerpt> take_sources(std::vector<LineRow>& lines,
                                                      std::vector<CallLineRow>& call_lines,
                                                      SourceFiles& files);

}  // namespace coalescope::analysis
