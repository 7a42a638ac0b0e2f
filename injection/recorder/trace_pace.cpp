#include "injection/recorder/trace_pace.h"

#include <algorithm>
#include <bit>

namespace coalescope::recorder {
namespace {

// A twentieth of the time is sampled: enough samples in an hour, and next to no cost.
constexpr std::int64_t kStretchNs = 9'500'000'000;
constexpr std::int64_t kSampleNs = 500'000'000;
// A record takes 1 to 4 us of the launching thread: at this rate a hundredth of its time and more.
constexpr double kBusyRowsPerSecond = 10'000;

}  // namespace

void TracePace::list(bool wanted, std::int64_t now_ns) {
  if (wanted && !listed_) gaps_.back().ended_ns = now_ns;
  if (!wanted && listed_) add_gap(now_ns, std::nullopt);
  listed_ = wanted;
}

void TracePace::add_gap(std::int64_t began_ns, std::optional<std::int64_t> ended_ns) {
  model::TraceGap gap;
  gap.id = static_cast<std::int64_t>(gaps_.size()) + 1;
  gap.process_id = model::ProcessId{1};
  gap.began_ns = began_ns;
  gap.ended_ns = ended_ns;
  gaps_.push_back(gap);
}

// Where nothing is listed now a gap lasts already.
void TracePace::missed(std::int64_t began_ns, std::int64_t ended_ns) {
  if (!listed_) return;
  if (!gaps_.empty()) began_ns = std::max(began_ns, *gaps_.back().ended_ns);
  add_gap(began_ns, ended_ns);
}

bool TracePace::is_full(std::int64_t now_ns, std::int64_t rows) {
  const auto since_ns = static_cast<double>(now_ns - seen_ns_);
  const bool busy = static_cast<double>(rows - seen_rows_) * 1e9 >= kBusyRowsPerSecond * since_ns;
  seen_ns_ = now_ns;
  seen_rows_ = rows;
  return (most_rows_ && rows >= *most_rows_) || (most_rows_busy_ && busy && rows >= *most_rows_busy_);
}

void TracePace::turn(bool sample, std::int64_t now_ns) {
  sample_ = sample;
  began_ns_ = now_ns;
  if (sample_) ++samples_;
  list(sample_ && std::has_single_bit(samples_), now_ns);
}

void TracePace::wake(std::int64_t now_ns) {
  if (!sample_) turn(true, now_ns);
}

Turn TracePace::turn_at(std::int64_t now_ns, std::int64_t rows, bool may_count) {
  const bool ends =
      began_ns_ ? now_ns - *began_ns_ >= (sample_ ? kSampleNs : kStretchNs) : is_full(now_ns, rows);
  if (ends) turn(!sample_, now_ns);
  if (listed_) return Turn::listed;
  return sample_ || !may_count ? Turn::timed : Turn::counted;
}

bool TracePace::lists(std::int64_t start_ns) const {
  const auto after = std::ranges::upper_bound(gaps_, start_ns, {}, &model::TraceGap::began_ns);
  if (after == gaps_.begin()) return true;
  const model::TraceGap& gap = *std::prev(after);
  return gap.ended_ns && start_ns >= *gap.ended_ns;
}

}  // namespace coalescope::recorder
