#pragma once
// The rows that the sample reports are made of.

#include <string>
#include <vector>

#include "reports/analysis/report.h"

namespace coalescope::samples {

using analysis::KernelRow;
using analysis::Report;
using model::CoverageReason;

void without_counts(KernelRow& row, CoverageReason reason, const std::string& why);
std::vector<KernelRow> kernels();
std::vector<analysis::TransferRow> transfers();
void rank(Report& report);
std::vector<analysis::Finding> findings();
std::vector<analysis::LineRow> lines();
std::vector<analysis::SourceExcerpt> sources();
model::Process process();
analysis::TimeLine time_line();
analysis::Program program();

}  // namespace coalescope::samples
