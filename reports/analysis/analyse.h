#pragma once
// From a capture to a Report: the one way in, for every renderer.

#include <filesystem>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "reports/analysis/judge/findings.h"
#include "reports/analysis/report.h"
#include "reports/analysis/rows/source_text.h"

namespace coalescope::analysis {

struct AnalyseOptions {
  Thresholds thresholds;
  // Where profiles of this machine's GPUs are kept (profile::profile_folder()); std::nullopt: nowhere.
  std::optional<std::filesystem::path> profile_folder;
  SourceOptions sources;
  CodeOwnership ownership;
};

[[nodiscard]] base::Result<Report> analyse(const std::string& capture_path,
                                           const AnalyseOptions& options = {});

}  // namespace coalescope::analysis
