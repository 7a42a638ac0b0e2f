#pragma once
// One call, one finding: what a rule finds in several classes of copies that one line of the program makes,
// or in several kernels of a library that one line calls.

#include <vector>

#include "reports/analysis/report.h"

namespace coalescope::analysis {

// Operations in a row stay where the author's function has three or more of them somewhere.
// `findings` the costliest first, with their calls (call_blame.h) and the advice about these (call_advice.h).
// Levels and order are left for whoever knows the run's time.
void merge_calls(std::vector<Finding>& findings, const Report& report);

// Operations that compute gradients become a part of the costliest finding about operations of which they may
// be the gradients: compiling these compiles both.
void merge_gradients(std::vector<Finding>& findings);

// Copies of operands become a part of the finding about written-out attention if the same function of the
// author's calls both. The library's attention takes the operands as they are.
void merge_operands(std::vector<Finding>& findings, const Report& report);

// What the repairs of another rule end, too (RuleAbout::ended_by), becomes a part of that rule's finding
// where they save as much: copies of pageable memory are waited for, and the GPU idles beside them, or they
// are a round trip that need not be; lanes that lie far apart come back to their sectors when L2 has lost
// them.
void merge_consequences(std::vector<Finding>& findings);

}  // namespace coalescope::analysis
