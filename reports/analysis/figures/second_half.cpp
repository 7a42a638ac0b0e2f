#include "reports/analysis/figures/second_half.h"

#include <algorithm>
#include <cstdint>
#include <span>

namespace coalescope::analysis {
namespace {

// Untimed launches that leave "busy for 28 % of the run" true.
constexpr double kFewUntimed = 0.01;
constexpr double kListedPart = 0.5;
constexpr double kSmallSetNs = 2e3;
// To speak of a part of the run.
constexpr double kLeastListedNs = 1e8;

// Of all launches, those of kernels without a time.
double untimed_share(const Report& report) {
  double untimed = 0, all = 0;
  for (const auto* rows : {&report.kernels, &report.hidden.kernels})
    for (const KernelRow& row : *rows) {
      all += static_cast<double>(row.launches);
      if (!row.gpu_ns) untimed += static_cast<double>(row.launches);
    }
  return all > 0 ? untimed / all : 0;
}

// CUPTI gives some memory sets no time. On an H100 those with a time took 0.7 to 1.5 us up to 4 MiB, and
// wrote at 90 % of the memory's peak from 64 MiB on. At most this share of all GPU time; 1: something else
// has no time.
double untimed_transfer_share(const Report& report) {
  const double peak = report.devices.front().peak_dram_bandwidth.value_or(0);
  double bytes = 0;
  std::int64_t sets = 0;
  for (const auto* rows : {&report.transfers, &report.hidden.transfers})
    for (const TransferRow& row : *rows) {
      if (row.gpu_ns || row.direction != model::Direction::set) continue;
      bytes += static_cast<double>(row.bytes);
      sets += row.transfers;
    }
  if (sets < report.totals.untimed_transfers || peak <= 0)
    return report.totals.untimed_transfers == 0 ? 0 : 1;
  const double at_most_ns = bytes / (peak / 2) * 1e9 + static_cast<double>(sets) * kSmallSetNs;
  return at_most_ns / std::max(1.0, static_cast<double>(run_ns(report.totals)));
}

// Sums of what lies in a span of time. Times of a damaged capture may be any numbers.
class Within {
 public:
  Within(std::int64_t from_ns, std::int64_t to_ns)
      : from_ns_(static_cast<double>(from_ns)), to_ns_(static_cast<double>(to_ns)) {}

  [[nodiscard]] double length_ns() const { return to_ns_ - from_ns_; }
  [[nodiscard]] double busy_ns(std::span<const BusyStretch> stretches) const {
    double sum = 0;
    for (const BusyStretch& each : stretches) {
      const auto began = static_cast<double>(each.began_ns), ended = static_cast<double>(each.ended_ns);
      const double inside = std::min(ended, to_ns_) - std::max(began, from_ns_);
      if (inside > 0) sum += static_cast<double>(each.busy_ns) * std::min(1.0, inside / (ended - began));
    }
    return sum;
  }

 private:
  double from_ns_, to_ns_;
};

double busy_ns(std::span<const BusyStretch> stretches) {
  double sum = 0;
  for (const BusyStretch& each : stretches) sum += static_cast<double>(each.busy_ns);
  return sum;
}

// From captures launches may have been taken out, whose times are in the sums only. Kernels of several
// streams run at once.
bool lists_what_was_timed(const Report& report) {
  double timed_ns = 0;
  for (const auto* rows : {&report.kernels, &report.hidden.kernels})
    for (const KernelRow& row : *rows)
      timed_ns +=
          static_cast<double>(row.median_gpu_ns.value_or(0)) * static_cast<double>(row.timed_launches);
  return busy_ns(report.time_line.devices.front().kernels) >= kListedPart * timed_ns;
}

// When half of the kernels' time had passed.
std::int64_t half_time(std::span<const BusyStretch> kernels) {
  const double all = busy_ns(kernels);
  double sum = 0;
  for (const BusyStretch& each : kernels) {
    sum += static_cast<double>(each.busy_ns);
    if (2 * sum >= all) return each.began_ns;
  }
  return 0;
}

}  // namespace

bool knows_busy_time(const Report& report) {
  return report.runs == 1 && report.devices.size() == 1 && report.time_line.devices.size() <= 1 &&
         untimed_transfer_share(report) <= kFewUntimed && untimed_share(report) <= kFewUntimed;
}

std::optional<SecondHalf> second_half(const Report& report) {
  const TimeLine& line = report.time_line;
  if (!knows_busy_time(report) || line.devices.empty() || line.devices.front().kernels.empty() ||
      !lists_what_was_timed(report))
    return std::nullopt;
  const DeviceStretches& device = line.devices.front();
  const Within half(half_time(device.kernels), device.kernels.back().ended_ns);
  double rest_ns = half.length_ns();
  for (const ProcessStretches& process : line.processes)
    if (process.process_id == device.process_id)
      rest_ns -= half.busy_ns(process.unlisted) + half.busy_ns(process.measuring);
  if (rest_ns < kLeastListedNs) return std::nullopt;
  return SecondHalf{std::min(1.0, half.busy_ns(device.kernels) / rest_ns),
                    std::min(1.0, half.busy_ns(device.copies) / rest_ns),
                    std::min(1.0, half.busy_ns(device.at_once) / rest_ns)};
}

}  // namespace coalescope::analysis
