#pragma once
// From the capture's call sites to stacks that a person reads: whose code a frame is, which line of a stack is
// the author's own, and what each site cost.

#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "reports/analysis/call_sites.h"

namespace coalescope::analysis {

class CallStacks {
 public:
  CallStacks() = default;
  CallStacks(std::span<const model::CallSite> sites, const CodeOwnership& ownership);

  // With the sums that were added so far. In the order of their ids.
  [[nodiscard]] std::vector<CallSiteRow> rows() const;
  void add(std::int64_t site, const SiteTimes& times);

  // Innermost first; empty: there is no such site.
  [[nodiscard]] std::vector<const CallSiteRow*> stack(std::int64_t site) const;
  // The line to change: the innermost frame of the author's own code, else the innermost that has a line.
  [[nodiscard]] const CallSiteRow* own_frame(std::int64_t site) const;
  // "train.py:37 step() > model.py:12 forward()": the author's frames, at most `most` of them, the innermost
  // last. Empty: nothing is known of it.
  [[nodiscard]] std::string text(std::int64_t site, std::size_t most = 3) const;

 private:
  std::unordered_map<std::int64_t, CallSiteRow> sites_;
};

// Whether a file of Python code is the author's own.
[[nodiscard]] bool is_own_python(const std::string& file, const CodeOwnership& ownership);
// "model.py:12 forward()"; a file's outermost code has no function.
[[nodiscard]] std::string frame_text(const CallSiteRow& frame);

}  // namespace coalescope::analysis
