// G02: all loads of a kernel read a word that most lanes share. It moves one sector, which is the least there
// is, so it costs instructions and latency rather than bandwidth: a note. 16 lanes or more must share a word
// (25 %), so that narrow elements (a byte a lane fills its sector) and pairs stay silent.

#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

constexpr double kMostSectorsARequest = 1.05;
constexpr double kUnusedShare = 0.75;

std::optional<double> unused_share(const KernelRow& row, const Machine&) {
  if (!row.load.degree || !row.load.sectors_per_request) return std::nullopt;
  return *row.load.sectors_per_request <= kMostSectorsARequest ? 1 - *row.load.degree : 0;
}

std::string evidence(const KernelRow& row) {
  return fmt::format("{} sector a request, and {} of its bytes were asked for: most lanes read one word",
                     base::format_ratio(row.load.sectors_per_request.value_or(0)),
                     base::format_share(row.load.degree.value_or(0)));
}

}  // namespace

constinit const Rule<KernelRow> kBroadcastLoads{
    "G02",
    "Broadcast loads",
    unused_share,
    kUnusedShare,
    kUnusedShare,
    true,
    [](const KernelRow&, const Machine&) {
      return Cost{std::nullopt,
                  "no cost in bandwidth: a shared word moves the least that a request can move"};
    },
    evidence,
    [](const KernelRow&) {
      return std::string(
          "Pass the value as a kernel parameter or keep it in constant memory, which serves a "
          "whole warp at once.");
    },
    [](const LineRow& line) { return line.loads.value_or(0) > 0; }};

}  // namespace coalescope::analysis
