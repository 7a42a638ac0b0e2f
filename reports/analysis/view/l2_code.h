#pragma once
// What findings advise about L2 windows, as code to copy into the program.

#include <string>
#include <vector>

#include "reports/analysis/report.h"

namespace coalescope::analysis {

struct L2Code {
  std::string heading;  // what it is for: "R01 ..."
  std::string why;      // what it follows from, and what is not known
  std::string code;     // CUDA C++
};

// Each once, the costliest finding first; at most four.
[[nodiscard]] std::vector<L2Code> l2_codes(const Report& report);

}  // namespace coalescope::analysis
