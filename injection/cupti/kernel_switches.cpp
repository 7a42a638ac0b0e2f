#include "injection/cupti/kernel_switches.h"

namespace coalescope::cupti {

void KernelSwitches::switched_off(std::uint64_t at) {
  const std::lock_guard lock(mutex_);
  all_.push_back({.from = at});
  if (all_.size() > kMost) all_.pop_front();
}

void KernelSwitches::switched_on(std::uint64_t at) {
  const std::lock_guard lock(mutex_);
  if (!all_.empty()) all_.back().to = at;
}

// Records come late, and the last times are those that matter.
bool KernelSwitches::were_off(std::uint64_t start, std::uint64_t end) {
  const std::lock_guard lock(mutex_);
  for (auto off = all_.rbegin(); off != all_.rend() && start <= off->to; ++off)
    if (off->from <= end) return true;
  return false;
}

}  // namespace coalescope::cupti
