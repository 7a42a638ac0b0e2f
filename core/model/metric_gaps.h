#pragma once
// Which chips lack a metric by their nature, why, and what says something of it in its place. A test asks
// CUPTI's host library for every chip that it knows: what it lacks stands here, and what stands here it
// lacks.

#include <array>
#include <string_view>

#include "core/model/metric.h"

namespace coalescope::model {

struct MetricGap {
  MetricId metric;
  std::string_view chips;  // the beginnings of their names, between spaces
  std::string_view why;
  std::string_view instead;  // the key of another metric, or ""
};

inline constexpr std::string_view kBeforeAmpere = "TU";
inline constexpr std::string_view kBeforeHopper = "TU GA AD";
inline constexpr std::string_view kIntegrated = "GA10B GB10B GB20B";
inline constexpr std::string_view kNoAsyncCopy =
    "asynchronous copies came with Ampere: there are none to count";
inline constexpr std::string_view kNoDram =
    "an integrated GPU has no memory of its own: what it reads of the host's is counted";

inline constexpr std::array kMetricGaps{
    MetricGap{MetricId::async_copy_bytes, kBeforeAmpere, kNoAsyncCopy, ""},
    MetricGap{MetricId::async_copy_sectors, kBeforeAmpere, kNoAsyncCopy, ""},
    MetricGap{MetricId::async_copy_requests, kBeforeAmpere, kNoAsyncCopy, ""},
    MetricGap{MetricId::tma_instructions, kBeforeHopper, "the TMA came with Hopper: there is none to count",
              ""},
    MetricGap{MetricId::dram_read_bytes, kIntegrated, kNoDram, "l2_sysmem_sectors"},
    MetricGap{MetricId::dram_write_bytes, kIntegrated, kNoDram, "l2_sysmem_sectors"},
};

// Whether one of the beginnings of a list is that of the chip's name.
[[nodiscard]] constexpr bool is_one_of_chips(std::string_view chips, std::string_view chip) {
  while (!chips.empty()) {
    const auto end = chips.find(' ');
    if (chip.starts_with(chips.substr(0, end))) return true;
    chips = end == std::string_view::npos ? std::string_view() : chips.substr(end + 1);
  }
  return false;
}

// Null: nothing says why the chip should lack it.
[[nodiscard]] constexpr const MetricGap* gap_of(MetricId metric, std::string_view chip) {
  for (const MetricGap& each : kMetricGaps)
    if (each.metric == metric && is_one_of_chips(each.chips, chip)) return &each;
  return nullptr;
}

// Older ones take several passes for what a phase reads in one, and are not measured.
[[nodiscard]] constexpr bool is_before_turing(std::string_view chip) {
  return chip.starts_with("GV") || chip.starts_with("GP") || chip.starts_with("GM");
}

}  // namespace coalescope::model
