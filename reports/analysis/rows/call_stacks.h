#pragma once
// From the capture's call sites to stacks that a person reads: whose code a frame is, which line of a stack
// is the author's own, and what each site cost.

#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "reports/analysis/call_sites.h"

namespace coalescope::analysis {

// Without times.
[[nodiscard]] std::vector<CallSiteRow> call_site_rows(std::span<const model::CallSite> sites,
                                                      const CodeOwnership& ownership);

// A view of rows, which must stay where they are.
class CallStacks {
 public:
  explicit CallStacks(std::span<const CallSiteRow> rows);

  // Innermost first; empty: there is no such site.
  [[nodiscard]] std::vector<const CallSiteRow*> stack(std::int64_t site) const;
  // The line to change: the innermost frame of the author's own code, else the innermost that has a line.
  [[nodiscard]] const CallSiteRow* own_frame(std::int64_t site) const;
  // Between PyTorch's function for gradients and the call stands no line of the author's.
  [[nodiscard]] bool computes_gradients(std::int64_t site) const;
  // The same of an optimiser of PyTorch's.
  [[nodiscard]] bool is_of_optimiser(std::int64_t site) const;
  // "train.py:37 step() > model.py:12 forward()": the author's frames, at most `most` of them, the innermost
  // last. Empty: nothing is known of it.
  [[nodiscard]] std::string text(std::int64_t site, std::size_t most = 3) const;

 private:
  std::unordered_map<std::int64_t, const CallSiteRow*> sites_;
};

// What each site, by its id, costs itself; what the sites cost that it called is added up from that.
void add_times(std::vector<CallSiteRow>& rows, const std::map<std::int64_t, SiteTimes>& times);

// Whether a file of Python code is the author's own.
[[nodiscard]] bool is_own_python(const std::string& file, const CodeOwnership& ownership);
// "model.py:12 forward()"; a file's outermost code has no function. Of a module of PyTorch its name.
[[nodiscard]] std::string frame_text(const CallSiteRow& frame);

}  // namespace coalescope::analysis
