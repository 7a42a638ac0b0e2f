#pragma once
// How often the host waited for the GPU, which is when it may change what kernels read from its memory, and
// for how long.

#include <cstdint>
#include <optional>
#include <span>

#include "core/capture/views.h"
#include "core/model/activity.h"
#include "reports/analysis/report.h"

namespace coalescope::analysis {

// Sets KernelRow::launches_per_wait. Waits and synchronous copies of the whole process count, so that the
// figure is the least that it can be.
void take_waits(std::span<KernelRow> kernels, std::span<const model::SynchronizationTotal> waits,
                std::span<const capture::TransferView> transfers);

// Program::host_wait_ns: waits in calls and of launches, and what recording takes of launches, for which the
// host would wait natively. nullopt: several processes, as one's waits say nothing of another's GPU; XLA,
// whose threads wait in ways that no call shows; graphs, whose launches are not timed; or an older capture.
[[nodiscard]] std::optional<std::int64_t> host_wait_ns(const Report& report,
                                                       std::span<const model::SynchronizationTotal> waits);

}  // namespace coalescope::analysis
