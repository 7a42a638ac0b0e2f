#include "reports/analysis/rows/launch_spread.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/base/whole.h"
#include "core/model/metric.h"

namespace coalescope::analysis {
namespace {

using model::MetricId;

// Of each launch the sum of both counters. Asynchronous copies are loads for L1, and have a counter of their
// own in phase bytes.
std::vector<std::int64_t> values_of(const capture::GroupReadings& readings, MetricId id,
                                    std::optional<MetricId> also) {
  const auto found = readings.find(id);
  if (found == readings.end()) return {};
  std::vector<std::int64_t> values = found->second.values;
  const auto other = also ? readings.find(*also) : readings.end();
  if (other == readings.end()) return values;
  if (other->second.values.size() != values.size()) return {};
  for (std::size_t i = 0; i < values.size(); ++i) base::add_to(values[i], other->second.values[i]);
  return values;
}

std::optional<double> spread_of(const std::vector<std::int64_t>& values) {
  if (values.size() < 2) return std::nullopt;
  const auto [least, greatest] = std::ranges::minmax(values);
  if (greatest == 0) return std::nullopt;  // the Tensor Memory Accelerator may move it all
  if (least == greatest) return 0;
  return static_cast<double>(greatest) / static_cast<double>(std::max<std::int64_t>(1, least)) - 1;
}

}  // namespace

std::optional<double> launch_spread(const capture::GroupReadings& readings) {
  std::vector<std::int64_t> loads = values_of(readings, MetricId::l1_load_sectors, std::nullopt),
                            stores = values_of(readings, MetricId::l1_store_sectors, std::nullopt);
  std::ranges::copy(values_of(readings, MetricId::global_load_sectors, MetricId::async_copy_sectors),
                    std::back_inserter(loads));
  std::ranges::copy(values_of(readings, MetricId::global_store_sectors, std::nullopt),
                    std::back_inserter(stores));
  const auto executed = values_of(readings, MetricId::executed_instructions, std::nullopt);
  return std::max({spread_of(loads), spread_of(stores), spread_of(executed)});  // nullopt is less than any
}

}  // namespace coalescope::analysis
