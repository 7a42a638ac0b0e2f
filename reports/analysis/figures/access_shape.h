#pragma once
// What shape accesses have, from the sectors that a request touches and those that its bytes need. Order
// inside of a sector leaves no trace in these counts, and costs nothing: a permuted access is a contiguous
// one.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/analysis/report.h"

namespace coalescope::analysis {

enum class Shape {
  unknown,     // not measured
  none,        // no such accesses
  contiguous,  // no sector more than the bytes need
  misaligned,  // one sector more, with each request: the base is off a sector's boundary
  ragged,      // one sector more, with some requests: rows that begin at different offsets
  strided,     // several sectors more
  apart,       // each lane in a sector of its own
};

// The mean of one request. A warp has at most 32 lanes, so that many sectors of 4-byte words at most.
struct Request {
  std::optional<double> touched, needed;  // sectors
  std::optional<double> lanes;
};
[[nodiscard]] Shape shape_of(const Request& request);
[[nodiscard]] Request mean_request(const Access& access);

// "contiguous", "one sector off".
[[nodiscard]] std::string_view words(Shape shape);

// Bytes that a lane asked for; less than its element where lanes share. std::nullopt: its lanes were not
// counted.
[[nodiscard]] std::optional<double> bytes_a_lane(const Access& access);
// Lanes share words for certain: they asked for less than a byte each.
[[nodiscard]] bool shared_by_lanes(const Access& access);
// Each lane asks for half of its sector or more, and L1 serves the other half: the sectors of a warp lie
// together, as where a thread moves 32 bytes in two pieces of 16.
[[nodiscard]] bool is_dense(const Access& access);
// A warp counts as partial from here on: up to this many lanes, guards of the last block leave it full.
inline constexpr double kFullWarp = 31;

// Of a launch; as real numbers, because a program may ask for more than any GPU has.
[[nodiscard]] double blocks_of(const KernelRow& row);
[[nodiscard]] double threads_of(const KernelRow& row);  // of a block
[[nodiscard]] double warps_of(const KernelRow& row);

// L2 moves much less than L1 touched: what a load leaves of a sector, later ones find in L1.
[[nodiscard]] bool keeps_runs(const Access& load);

// In a library's header, which nobody would change. Older captures name such lines where code was inlined;
// newer ones name the line of the call.
[[nodiscard]] bool in_toolkit(const LineRow& row);

// What a row's accesses are, in words, ready to print.
[[nodiscard]] std::vector<std::string> traits_of(const KernelRow& row);
[[nodiscard]] std::vector<std::string> traits_of(const LineRow& row);

// The share of an operation's sectors that its bytes need: exact from its instructions, else the best that
// the kernel's counters allow.
[[nodiscard]] std::optional<double> needed_share(const Access& access);

// A load that touches one sector with a full warp is a broadcast where it asks for at most this share of it:
// less than a byte a lane, so that lanes must share. Without lanes counted, a quarter: 16 lanes to a word.
inline constexpr double kBroadcastDegree = 0.5;
inline constexpr double kBroadcastDegreeOfKernel = 0.25;
inline constexpr double kBroadcastSectors = 1.05;

}  // namespace coalescope::analysis
