#pragma once
// Code that was built without line information, so that the report names no source line of it.

#include <set>
#include <string>
#include <vector>

#include "reports/analysis/report.h"

namespace coalescope::analysis {

// "PyTorch ATen (12 kernels)", for each owner of kernels without line information.
[[nodiscard]] std::vector<std::string> owners_without_lines(const Report& report);

// "libmine.so", for each module of the author's own native code that called CUDA and has no lines.
[[nodiscard]] std::vector<std::string> own_modules_without_lines(const Report& report);

// Findings about the author's own code that name no line because it was built without line information.
struct FindingsWithoutLines {
  std::set<std::string> kernels;
  std::set<std::string> modules;  // of the host, with calls without a line
};
[[nodiscard]] FindingsWithoutLines findings_without_lines(const Report& report);

}  // namespace coalescope::analysis
