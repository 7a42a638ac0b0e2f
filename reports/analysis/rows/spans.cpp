#include "reports/analysis/rows/spans.h"

#include <algorithm>

namespace coalescope::analysis {
namespace {

bool is_full(const BusyStretch& stretch) {
  return stretch.busy_ns == stretch.ended_ns - stretch.began_ns;
}

// A piece that lies within the bin that begins at `bin_began_ns`.
void add_piece(std::vector<BusyStretch>& stretches, const TimeSpan& piece, std::int64_t bin_began_ns) {
  if (!stretches.empty()) {
    BusyStretch& last = stretches.back();
    const bool goes_on = last.ended_ns == piece.first && is_full(last);
    const bool same_bin = last.began_ns >= bin_began_ns;
    if (goes_on || same_bin) {
      last.ended_ns = piece.second;
      last.busy_ns += piece.second - piece.first;
      return;
    }
  }
  stretches.push_back({piece.first, piece.second, piece.second - piece.first});
}

}  // namespace

void unite(std::vector<TimeSpan>& spans) {
  std::ranges::sort(spans);
  std::size_t united = 0;
  for (const auto& span : spans) {
    if (united > 0 && span.first <= spans[united - 1].second)
      spans[united - 1].second = std::max(spans[united - 1].second, span.second);
    else
      spans[united++] = span;
  }
  spans.resize(united);
}

bool any_between(std::span<const TimeSpan> spans, std::int64_t from, std::int64_t to) {
  const auto after = std::ranges::upper_bound(spans, to, {}, &TimeSpan::first);
  return after != spans.begin() && std::prev(after)->second >= from;
}

std::vector<TimeSpan> common(std::span<const TimeSpan> one, std::span<const TimeSpan> other) {
  std::vector<TimeSpan> both;
  for (auto a = one.begin(), b = other.begin(); a != one.end() && b != other.end();) {
    const TimeSpan part{std::max(a->first, b->first), std::min(a->second, b->second)};
    if (part.first < part.second) both.push_back(part);
    a->second < b->second ? ++a : ++b;
  }
  return both;
}

std::vector<BusyStretch> stretches_of(std::span<const TimeSpan> spans, std::int64_t began_ns,
                                      std::int64_t bin_ns) {
  std::vector<BusyStretch> stretches;
  for (const auto& [from, to] : spans) {
    std::int64_t at = from;
    while (at < to) {
      const std::int64_t bin_began_ns = began_ns + (at - began_ns) / bin_ns * bin_ns;
      const std::int64_t end = std::min(to, bin_began_ns + bin_ns);
      add_piece(stretches, {at, end}, bin_began_ns);
      at = end;
    }
  }
  return stretches;
}

}  // namespace coalescope::analysis
