#include "reports/analysis/rows/stream_order.h"

#include <algorithm>

namespace coalescope::analysis {

std::vector<StreamEvent> in_order(const capture::LaunchPlaces& launches,
                                  std::span<const capture::TransferPlace> copies) {
  std::vector<StreamEvent> events;
  const auto add = [&](const auto& list, StreamEvent::Kind kind) {
    for (std::size_t i = 0; i < list.size(); ++i)
      events.push_back({list[i].start_ns, static_cast<std::uint32_t>(i), kind});
  };
  add(launches.launches, StreamEvent::Kind::launch);
  add(launches.measured, StreamEvent::Kind::measured);
  add(copies, StreamEvent::Kind::copy);
  std::ranges::stable_sort(events, {}, &StreamEvent::start_ns);
  return events;
}

}  // namespace coalescope::analysis
