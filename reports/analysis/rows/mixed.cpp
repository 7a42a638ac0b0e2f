#include "reports/analysis/rows/mixed.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/units.h"
#include "core/base/whole.h"
#include "core/model/metric.h"
#include "reports/analysis/figures/ratios.h"

namespace coalescope::analysis {
namespace {

using model::CoverageReason;
using model::MetricId;
using model::Phase;

// Launches that do the same differed by up to 5 % in L2's sectors, launches that do different things by half
// or more: 5,000 pairs of launches of the reference kernels, and 86 of PyTorch, CuPy and others (H100, H200).
// Of fewer sectors than this a large part may be the kernel's own code.
constexpr double kSameBehaviour = 1.5;
constexpr std::int64_t kLeastSectors = 1000;

// Launches whose counts are nearer to each other than this do the same.
constexpr double kSamePart = 1.2;

std::vector<Mixed::Part> parts_of(std::vector<std::int64_t> values) {
  std::ranges::sort(values);
  std::vector<Mixed::Part> parts;
  for (std::size_t begin = 0, end = 0; begin < values.size(); begin = end) {
    for (end = begin + 1; end < values.size() && real(values[end]) <= kSamePart * real(values[end - 1]);)
      ++end;
    parts.push_back({static_cast<std::int64_t>(end - begin), values[begin + (end - begin) / 2]});
  }
  return parts;
}

// Counts of the same thing. L1's are counted in phase bytes, too, of other launches; asynchronous copies are
// loads for L1 and have a counter of their own there.
struct Told {
  MetricId id;
  std::vector<MetricId> others;  // together
};
const std::vector<Told>& told() {
  static const std::vector<Told> kTold{
      {MetricId::l1_load_sectors, {MetricId::global_load_sectors, MetricId::async_copy_sectors}},
      {MetricId::l1_store_sectors, {MetricId::global_store_sectors}},
      {MetricId::l2_read_sectors, {}},
      {MetricId::l2_write_sectors, {}},
  };
  return kTold;
}

// Of each launch the sum of several counters, which all of them have; empty: some have not all.
std::vector<std::int64_t> sums_of(const capture::GroupReadings& readings, const std::vector<MetricId>& ids) {
  std::vector<std::int64_t> sums;
  for (const MetricId id : ids) {
    const auto found = readings.find(id);
    if (found == readings.end()) continue;
    const auto& values = found->second.values;
    if (!sums.empty() && sums.size() != values.size()) return {};
    sums.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) base::add_to(sums[i], values[i]);
  }
  return sums;
}

// More parts than this are a range.
constexpr std::size_t kMostParts = 4;

std::string text_of(const Mixed& mixed) {
  if (mixed.parts.size() < 2 || mixed.parts.size() > kMostParts)
    return fmt::format("from {} to {}", base::format_count(mixed.least), base::format_count(mixed.greatest));
  std::string text;
  for (const Mixed::Part& part : mixed.parts)
    text +=
        fmt::format("{}{} in {}", text.empty() ? "" : ", ", base::format_count(part.value), part.launches);
  return text;
}

std::string_view words_of(std::string_view count) {
  if (count == "l1_load_sectors") return "sectors loaded through L1";
  if (count == "l1_store_sectors") return "sectors stored through L1";
  return count == "l2_read_sectors" ? "sectors read from L2" : "sectors written to L2";
}

}  // namespace

std::optional<Mixed> mixed_of(const capture::GroupReadings& readings) {
  for (const Told& told : told()) {
    const auto found = readings.find(told.id);
    if (found == readings.end()) continue;
    capture::MetricSum sum = found->second;
    for (const std::int64_t value : sums_of(readings, told.others)) {
      sum.least = std::min(sum.least, value);
      sum.greatest = std::max(sum.greatest, value);
      sum.values.push_back(value);
      ++sum.launches;
    }
    if (sum.greatest < kLeastSectors || real(sum.greatest) <= kSameBehaviour * real(sum.least)) continue;
    return Mixed{std::string(model::metric(told.id).key), sum.least, sum.greatest, sum.launches,
                 parts_of(sum.values)};
  }
  return std::nullopt;
}

void note_mixed(KernelRow& row) {
  const std::string text = fmt::format(
      "L2 and DRAM traffic not shown: the {} measured launches differ ({}: {}); record one use of the kernel "
      "at a time (--range, --launches)",
      row.mixed->launches, words_of(row.mixed->count), text_of(*row.mixed));
  for (const Phase phase : {Phase::traffic, Phase::hits})
    row.unmeasured.push_back({phase, CoverageReason::measured, text});
}

}  // namespace coalescope::analysis
