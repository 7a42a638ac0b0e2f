#include "injection/recorder/launch_selection.h"

#include <algorithm>
#include <array>

namespace coalescope::recorder {
namespace {

using model::CoverageReason;

// Run one by one, these never end or wait for long: kernels of communication libraries run together with
// their peers, and XLA's delay kernel, which precedes what it times, waits until the host has launched that.
constexpr std::string_view kBeginsTiming = "DelayKernel";
constexpr std::array<std::string_view, 2> kMayNeverEnd{"nvshmem", kBeginsTiming};
constexpr std::string_view kCollectives = "nccl";  // they end when their peers have come

bool contains(std::string_view kernel_name, std::string_view part) {
  return kernel_name.find(part) != std::string_view::npos;
}

}  // namespace

LaunchSelection::LaunchSelection(Selection selection, InsideRange inside_range, base::NameFilter kernel,
                                 base::NameFilter exclude)
    : selection_(std::move(selection)),
      inside_range_(std::move(inside_range)),
      kernel_(std::move(kernel)),
      exclude_(std::move(exclude)),
      limited_(selection_.skip > 0 || selection_.launches || selection_.after_ns > 0 || selection_.for_ns ||
               !selection_.range.empty() || !selection_.from_start),
      running_(selection_.from_start) {}

LaunchSelection::LaunchSelection(LaunchSelection&& other) noexcept
    : selection_(std::move(other.selection_)),
      inside_range_(std::move(other.inside_range_)),
      kernel_(std::move(other.kernel_)),
      exclude_(std::move(other.exclude_)),
      limited_(other.limited_),
      running_(other.running_.load()),
      seen_(other.seen_.load()) {}

base::Result<LaunchSelection> LaunchSelection::compile(const Selection& selection, InsideRange inside_range) {
  auto kernel = base::NameFilter::compile(selection.kernel);
  if (!kernel) return base::relay(kernel);
  auto exclude = base::NameFilter::compile(selection.exclude);
  if (!exclude) return base::relay(exclude);
  return LaunchSelection(selection, std::move(inside_range), std::move(*kernel), std::move(*exclude));
}

Verdict LaunchSelection::judge(std::string_view kernel_name) const {
  const bool may_never_end = std::any_of(kMayNeverEnd.begin(), kMayNeverEnd.end(),
                                         [&](std::string_view part) { return contains(kernel_name, part); });
  // Who excludes a kernel may have found that it does not end when it is measured.
  if (may_never_end || exclude_.matches(kernel_name))
    return {CoverageReason::skip_listed, true, contains(kernel_name, kBeginsTiming)};
  if (contains(kernel_name, kCollectives)) return CoverageReason::skip_listed;
  if (!selection_.kernel.empty() && !kernel_.matches(kernel_name)) return CoverageReason::not_selected;
  return CoverageReason::measured;
}

bool LaunchSelection::takes(std::int64_t now_ns) {
  if (!limited_) return true;
  if (!running_.load(std::memory_order_acquire) || now_ns < selection_.after_ns) return false;
  if (selection_.for_ns && now_ns - selection_.after_ns >= *selection_.for_ns) return false;
  if (!selection_.range.empty() && !inside_range_()) return false;
  const auto before = seen_.fetch_add(1, std::memory_order_relaxed);
  if (before < selection_.skip) return false;
  return !selection_.launches || before - selection_.skip < *selection_.launches;
}

}  // namespace coalescope::recorder
