#pragma once
// Runs a function when a scope ends: the undo of a step stands next to the step.

#include <utility>

namespace coalescope::base {

template <class Function>
class ScopeExit {
 public:
  explicit ScopeExit(Function function) : function_(std::move(function)) {}
  ~ScopeExit() {
    if (armed_) function_();
  }
  ScopeExit(const ScopeExit&) = delete;
  ScopeExit& operator=(const ScopeExit&) = delete;

  // The step succeeded as a whole: leave its effects in place.
  void release() { armed_ = false; }

 private:
  Function function_;
  bool armed_ = true;
};

}  // namespace coalescope::base
