#include "injection/cupti/buffer_size.h"

#include <algorithm>

namespace coalescope::cupti {
namespace {

constexpr std::chrono::milliseconds kSoon{100}, kLate{400};

}  // namespace

std::size_t BufferSize::next(Time now) {
  const auto waited = now - asked_;
  asked_ = now;
  if (waited < kSoon) bytes_ = std::min(bytes_ * 2, kMost);
  if (waited > kLate) bytes_ = std::max(bytes_ / 2, kLeast);
  return bytes_;
}

}  // namespace coalescope::cupti
