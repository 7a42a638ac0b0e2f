#pragma once
// Classes of transfers, with what pinned memory would have reached in their place.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/capture/views.h"
#include "reports/analysis/machine/machine.h"
#include "reports/analysis/report.h"

namespace coalescope::analysis {

// Where the rules part, whatever the GPU: on an H100 a copy takes 2.5 us plus its bytes at 55 GB/s, so that
// the fixed part is the larger one up to here. What a copy loses is priced with the profile's figures.
inline constexpr double kSmallCopyBytes = 65'536;

// Of a copy.
[[nodiscard]] double mean_bytes(const TransferRow& row);

// What one call site copies: what was seen of it, with its part of the copies whose stack was not looked at.
struct SiteCopies {
  std::int64_t copies = 0, bytes = 0;
};
[[nodiscard]] SiteCopies copies_of(const TransferRow& row, const SiteUse& use);

// The kind of the host's memory; nullopt: not a copy between host and device.
[[nodiscard]] std::optional<model::MemoryKind> host_memory(const TransferRow& row);

// Such a copy returns when it is done: a plain call, or any of pageable memory.
[[nodiscard]] bool is_waited_for(bool asynchronous, model::MemoryKind host_memory);

// What each copy in a queue takes at least, however small it is: with the gap beside it, which is in no
// record. 0: not calibrated, or copies that are waited for, whose gaps T03 prices.
[[nodiscard]] double least_queued_ns(const TransferRow& row, const Machine& machine);

[[nodiscard]] constexpr bool is_within_device(model::Direction direction) {
  return direction == model::Direction::device_to_device;
}

// The host does such a copy by itself: CUPTI tells its time, but no GPU has a part in it.
[[nodiscard]] constexpr bool is_within_host(model::Direction direction) {
  return direction == model::Direction::host_to_host;
}

// Most time first; `share` is left for whoever knows the run's time.
[[nodiscard]] std::vector<TransferRow> transfer_rows(std::span<const capture::TransferView> views,
                                                     const Machines& machines);

// "pageable host to device", of all sizes.
[[nodiscard]] std::string transfer_way_name(const TransferRow& row);
// "pageable host to device, up to 64 MiB".
[[nodiscard]] std::string transfer_class_name(const TransferRow& row);

}  // namespace coalescope::analysis
