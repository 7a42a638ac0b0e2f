#pragma once
// `coalescope metrics`: what the installed CUPTI counts on each chip, by which names, in how many passes, and
// what is missing there. It takes neither GPU nor driver.

#include <string>

#include "core/base/error.h"
#include "tool/doctor_check.h"

namespace coalescope::tool {

struct MetricsOptions {
  std::string chip;  // empty: a line for each
};

// Every chip from Turing on, or all metrics of one.
[[nodiscard]] base::Result<std::string> chips_text(const Machine& machine);
[[nodiscard]] base::Result<std::string> chip_text(const Machine& machine, const std::string& chip);

int run(const MetricsOptions& options);

}  // namespace coalescope::tool
