#include "reports/analysis/rows/copied_to_change.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "reports/analysis/figures/owners.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rows/copy_classes.h"
#include "reports/analysis/rows/stream_order.h"

namespace coalescope::analysis {
namespace {

// XLA names its kernels after the operation that decides what they do.
constexpr std::array<std::string_view, 2> kPartialUpdates{"dynamic_update_slice", "scatter"};
constexpr double kChangesNearlyEach = 0.9;

bool changes_a_part(const KernelRow& kernel) {
  return kernel.owner == kXla && std::ranges::any_of(kPartialUpdates, [&](std::string_view operation) {
           return kernel.name.find(operation) != std::string::npos;
         });
}

// Of the copies of one class, by the place of the group that ran behind them; -1: something else did.
using Followers = std::map<std::int32_t, std::int64_t>;

class CopyFollowers {
 public:
  CopyFollowers(std::span<const TransferRow> transfers, std::span<const capture::GroupView> groups)
      : classes_(transfers), groups_(groups), followers_(transfers.size()) {}

  void add_copy(const capture::TransferPlace& copy) {
    const Stream stream{copy.process, copy.device, copy.stream};
    end(stream, -1);
    if (copy.direction != model::Direction::device_to_device) return;
    if (const auto of = classes_.of(copy)) open_[stream] = *of;
  }

  void add_launch(std::int32_t group, std::int32_t stream) {
    const auto& view = groups_[static_cast<std::size_t>(group)];
    end({view.process_id.value, view.device_id.value, stream}, group);
  }

  // Which one it was that ran behind such a copy is not known: it does not count.
  void add_measured() { open_.clear(); }

  [[nodiscard]] const std::vector<Followers>& followers() const { return followers_; }

 private:
  using Stream = std::tuple<std::int64_t, std::int64_t, std::int32_t>;

  void end(const Stream& stream, std::int32_t group) {
    const auto open = open_.find(stream);
    if (open == open_.end()) return;
    ++followers_[open->second][group];
    open_.erase(open);
  }

  CopyClasses classes_;
  std::span<const capture::GroupView> groups_;
  std::map<Stream, std::size_t> open_;  // the class of the copy that nothing has followed yet
  std::vector<Followers> followers_;    // by class
};

// The kernel that changes a part of nearly each copy.
std::optional<std::int64_t> changer_of(const Followers& followers, std::span<const KernelRow> kernels,
                                       std::span<const capture::GroupView> groups) {
  double all = 0, changed = 0, most = 0;
  std::optional<std::int64_t> changer;
  for (const auto& [group, times] : followers) {
    all += real(times);
    if (group < 0) continue;
    const auto id = groups[static_cast<std::size_t>(group)].group_id.value;
    const auto kernel = std::ranges::find(kernels, id, &KernelRow::id);
    if (kernel == kernels.end() || !changes_a_part(*kernel)) continue;
    changed += real(times);
    if (real(times) <= most) continue;
    most = real(times);
    changer = id;
  }
  return changed >= kChangesNearlyEach * all ? changer : std::nullopt;
}

}  // namespace

void take_changes(std::span<TransferRow> transfers, std::span<const KernelRow> kernels,
                  std::span<const capture::GroupView> groups, const capture::LaunchPlaces& launches,
                  std::span<const capture::TransferPlace> copies) {
  if (std::ranges::none_of(kernels, changes_a_part)) return;
  CopyFollowers walk(transfers, groups);
  for (const StreamEvent& event : in_order(launches, copies)) {
    if (event.kind == StreamEvent::Kind::copy)
      walk.add_copy(copies[event.place]);
    else if (event.kind == StreamEvent::Kind::launch)
      walk.add_launch(launches.launches[event.place].group, launches.streams[event.place]);
    else
      walk.add_measured();
  }
  for (std::size_t i = 0; i < transfers.size(); ++i)
    transfers[i].changed_by = changer_of(walk.followers()[i], kernels, groups);
}

}  // namespace coalescope::analysis
