#pragma once
// Reports made by hand, for tests of the page: what a good capture looks like, and what a bad or a hostile
// one does. Figures are those of an H100, so that the page can be judged by eye.

#include "reports/analysis/report.h"

namespace coalescope::samples {

analysis::Report rich();         // findings of every kind, unmeasured parts, transfers, source
analysis::Report calibration();  // what `calibrate` leaves: families, verdicts, curves
analysis::Report empty();        // a program that never used CUDA
analysis::Report unmeasured();   // kernels ran, and nothing could be counted
analysis::Report hostile();      // every text of the capture tries to break out of the page
analysis::Report large();        // thousands of kernel groups
analysis::Report many();         // 300 kernels

}  // namespace coalescope::samples
