// G01: loads or stores that touch more sectors than their bytes need. Limits: reversed and permuted lanes and
// wide elements waste nothing and must stay silent; an offset of one word wastes a fifth and is let through
// to the cost, which is what decides; a stride of two words wastes half and is bad whatever it costs.

#include <array>
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/ratios.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

constexpr double kWastedShare = 0.1;
constexpr double kWastedShareUnpriced = 0.5;

std::optional<double> wasted_share(const Access& access) {
  const auto needed = needed_share(access);
  return needed ? std::optional(1 - *needed) : std::nullopt;
}

std::string evidence(const Access& access) {
  const auto needed = needed_share(access);
  std::string text;
  if (access.sectors_per_request && needed)
    text =
        fmt::format("{} sectors a request where {} would do", base::format_ratio(*access.sectors_per_request),
                    base::format_ratio(*access.sectors_per_request * *needed));
  else if (needed)
    text = fmt::format("{} of the sectors would do", base::format_share(*needed));
  if (access.degree)
    text += fmt::format("; {} of the bytes moved were asked for", base::format_share(*access.degree));
  return text;
}

// The shape of a pattern, from the sectors that a request touches and those it needs.
struct Shape {
  double least_sectors_per_request;
  double least_surplus;
  std::string_view loads, stores;
};
constexpr std::array kShapes{
    // Every lane has a sector of its own.
    Shape{28, 0,
          "Neighbouring threads read addresses far apart: swap the roles of the indices so that neighbours "
          "read "
          "neighbours, or stage a tile through shared memory.",
          "Neighbouring threads write addresses far apart: swap the roles of the indices so that neighbours "
          "write neighbours, or stage a tile through shared memory."},
    Shape{
        0, 1.5,
        "Threads read with a stride: keep the fields that are used together in arrays of their own, or read "
        "the whole stretch coalesced into shared memory and pick from there.",
        "Threads write with a stride: keep the fields that are written together in arrays of their own, or "
        "collect them in shared memory and write the whole stretch."},
    // About one sector more than needed.
    Shape{
        0, 0,
        "Requests begin off a 32-byte boundary: align the base address, pad rows (cudaMallocPitch) and make "
        "the block a multiple of 32 threads.",
        "Requests begin off a 32-byte boundary: align the base address, pad rows (cudaMallocPitch) and make "
        "the block a multiple of 32 threads."},
};

constexpr const Shape& kStrided = kShapes[1];

const Shape& shape_of(const Access& access) {
  if (!access.sectors_per_request) return kStrided;
  const double touched = *access.sectors_per_request;
  const double surplus = touched * (1 - needed_share(access).value_or(1));
  for (const Shape& shape : kShapes)
    if (touched >= shape.least_sectors_per_request && surplus >= shape.least_surplus) return shape;
  return kShapes.back();
}

}  // namespace

constinit const Rule<KernelRow> kUncoalescedLoads{
    "G01",
    "Uncoalesced loads",
    [](const KernelRow& row, const Machine&) { return wasted_share(row.load); },
    kWastedShare,
    kWastedShareUnpriced,
    false,
    [](const KernelRow& row, const Machine& machine) { return surplus_cost(row, Operation::load, machine); },
    [](const KernelRow& row) { return evidence(row.load); },
    [](const KernelRow& row) { return std::string(shape_of(row.load).loads); },
    [](const LineRow& line) { return line.loads.value_or(0) > 0; }};

constinit const Rule<KernelRow> kUncoalescedStores{
    "G01",
    "Uncoalesced stores",
    [](const KernelRow& row, const Machine&) { return wasted_share(row.store); },
    kWastedShare,
    kWastedShareUnpriced,
    false,
    [](const KernelRow& row, const Machine& machine) { return surplus_cost(row, Operation::store, machine); },
    [](const KernelRow& row) { return evidence(row.store); },
    [](const KernelRow& row) { return std::string(shape_of(row.store).stores); },
    [](const LineRow& line) { return line.stores.value_or(0) > 0; }};

}  // namespace coalescope::analysis
