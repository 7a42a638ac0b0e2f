#pragma once
// Applies every rule to every row and keeps what is worth a reader's time.

#include <vector>

#include "reports/analysis/machine/machine.h"
#include "reports/analysis/report.h"

namespace coalescope::analysis {

// Small effects are no findings: a predicted saving that is below BOTH of these.
struct Thresholds {
  double share_of_run = 0.01;
  double share_of_subject = 0.05;
};
// Where the cost is unknown, or the finding is a note, the subject itself must take this share of the GPU
// time.
inline constexpr double kLeastSubjectShare = 0.001;
// Severe is what takes this share of the run: as much as a release of a compiler or a library gains. Its
// share of the subject says nothing: nine tenths of copies that are 0.02 % of the run are nobody's trouble.
inline constexpr double kSevereShareOfRun = 0.05;
// What cannot save this share of the run stands aside: runs differ by as much from one to the next, so that
// nobody could tell that it was repaired.
inline constexpr double kLeastShareOfRun = 0.01;

struct Judgement {
  std::vector<Finding>
      findings;  // most time lost first; those of unknown cost last, by the time of their subject
  std::vector<NotJudged> not_judged;
};

// From the kernels, lines, transfers, program and totals of a report.
[[nodiscard]] Judgement judge(const Report& report, const Machines& machines,
                              const Thresholds& thresholds = {});

}  // namespace coalescope::analysis
