#include "reports/analysis/figures/access_shape.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "core/base/units.h"
#include "core/source/library_header.h"
#include "reports/analysis/figures/ratios.h"

namespace coalescope::analysis {
namespace {

constexpr double kNoSurplus = 0.01;    // of the touched sectors: boundaries of arrays and guards
constexpr double kEachRequest = 0.95;  // an offset costs every request one sector
constexpr double kOneSector = 1.05;    // and never more
constexpr double kOwnSector = 0.85;    // sectors a lane, from which on lanes hardly share any
constexpr double kHalfASector = 16 * (1 - 1.0 / 64);  // bytes; some lanes of the last block are off
constexpr double kKeptRuns = 1.5;
constexpr double kServedOnce = 0.9;     // of what L2 moves, asked for: L1 had the rest
constexpr double kLeastApart = 8;       // sectors per request: fewer lanes are a partial warp
constexpr double kConflictShare = 0.1;  // of the wavefronts
constexpr double kElementTolerance = 0.02;

struct ShapeWords {
  Shape shape;
  std::string_view words;
};
constexpr std::array kShapeWords{
    ShapeWords{Shape::unknown, "not measured"},   ShapeWords{Shape::none, "none"},
    ShapeWords{Shape::contiguous, "contiguous"},  ShapeWords{Shape::misaligned, "misaligned"},
    ShapeWords{Shape::ragged, "rows misaligned"}, ShapeWords{Shape::strided, "strided"},
    ShapeWords{Shape::apart, "far apart"},
};

bool any(const std::optional<std::int64_t>& count) {
  return count.value_or(0) > 0;
}

// The element's size, where every lane has one of its own.
std::optional<int> element_bytes(const Access& access) {
  const auto bytes = bytes_a_lane(access);
  if (!bytes) return std::nullopt;
  for (const int size : {1, 2, 4, 8, 16})
    if (std::abs(*bytes - size) <= kElementTolerance * size) return size;
  return std::nullopt;
}

void add_operation(std::vector<std::string>& traits, std::string_view name, const Access& access) {
  if (!access.sectors || *access.sectors == 0) return;
  std::string text = fmt::format("{}: {}", name, words(shape_of(mean_request(access))));
  if (shared_by_lanes(access))
    text += ", shared by lanes";
  else if (const auto bytes = element_bytes(access))
    text += fmt::format(", {} B per lane", *bytes);
  if (access.lanes && *access.lanes < kFullWarp)
    text += fmt::format(", {} of 32 lanes", base::format_ratio(*access.lanes));
  traits.push_back(std::move(text));
}

void add_shared(std::vector<std::string>& traits, const SharedAccess& shared) {
  if (!any(shared.requests)) return;
  const bool conflicts = any(shared.surplus_wavefronts) && any(shared.wavefronts) &&
                         static_cast<double>(*shared.surplus_wavefronts) >=
                             kConflictShare * static_cast<double>(*shared.wavefronts);
  traits.emplace_back(conflicts ? "shared memory: bank conflicts" : "shared memory");
}

}  // namespace

Shape shape_of(const Request& request) {
  if (!request.touched || !request.needed) return Shape::unknown;
  const double touched = *request.touched;
  const double surplus = touched - *request.needed;
  if (touched <= 0) return Shape::none;
  if (surplus <= kNoSurplus * touched) return Shape::contiguous;
  const double lanes = std::min(kWarpLanes, request.lanes.value_or(kWarpLanes));
  if (touched >= kLeastApart && touched >= kOwnSector * lanes) return Shape::apart;
  if (surplus < kEachRequest) return Shape::ragged;
  return surplus <= kOneSector ? Shape::misaligned : Shape::strided;
}

Request mean_request(const Access& access) {
  Request request{access.sectors_per_request, std::nullopt, access.lanes};
  const auto needed = needed_share(access);
  if (needed && request.touched) request.needed = *request.touched * *needed;
  return request;
}

std::string_view words(Shape shape) {
  const auto found = std::ranges::find(kShapeWords, shape, &ShapeWords::shape);
  return found == kShapeWords.end() ? "not measured" : found->words;
}

double blocks_of(const KernelRow& row) {
  return real(row.grid[0]) * real(row.grid[1]) * real(row.grid[2]);
}

double threads_of(const KernelRow& row) {
  return real(row.block[0]) * real(row.block[1]) * real(row.block[2]);
}

double warps_of(const KernelRow& row) {
  return blocks_of(row) * std::ceil(threads_of(row) / kWarpLanes);
}

std::optional<double> bytes_a_lane(const Access& access) {
  if (!access.data_bytes || !access.requests || !access.lanes || *access.requests <= 0 || *access.lanes <= 0)
    return std::nullopt;
  return static_cast<double>(*access.data_bytes) / static_cast<double>(*access.requests) / *access.lanes;
}

bool shared_by_lanes(const Access& access) {
  return bytes_a_lane(access).value_or(1) < 1 - kElementTolerance;
}

bool is_dense(const Access& access) {
  const auto needed = needed_share(access);
  return bytes_a_lane(access).value_or(0) >= kHalfASector && needed && *needed < 1 - kNoSurplus &&
         access.l2_degree.value_or(0) >= kServedOnce;
}

bool keeps_runs(const Access& load) {
  return load.l2_degree && load.degree && *load.l2_degree >= kKeptRuns * *load.degree;
}

bool in_toolkit(const LineRow& row) {
  return row.file && source::is_library_header(*row.file);
}

std::vector<std::string> traits_of(const KernelRow& row) {
  std::vector<std::string> traits;
  if (row.mixed) traits.emplace_back("mixed: its launches differ");
  add_operation(traits, "loads", row.load);
  add_operation(traits, "stores", row.store);
  if (any(row.atomic.sectors)) traits.emplace_back("atomics");
  if (any(row.reduction.sectors)) traits.emplace_back("reductions");
  if (any(row.local_sectors)) traits.emplace_back("local memory");
  add_shared(traits, row.shared);
  if (any(row.async_copy.requests)) traits.emplace_back("asynchronous copies");
  if (any(row.tma_instructions)) traits.emplace_back("TMA (not counted)");
  // Last: tables cut what is long.
  if (row.parameters)
    traits.push_back(fmt::format("parameters differ from those of variant 1 ({})", *row.parameters));
  return traits;
}

std::vector<std::string> traits_of(const LineRow& row) {
  std::vector<std::string> traits;
  const std::int64_t accesses = row.loads.value_or(0) + row.stores.value_or(0);
  if (accesses > 0 && row.sectors_per_request && row.sector_efficiency) {
    const double touched = *row.sectors_per_request;
    traits.emplace_back(words(shape_of({touched, touched * *row.sector_efficiency, row.lanes})));
    const double sectors = static_cast<double>(row.sectors.value_or(0));
    if (row.greatest_degree && row.threads &&
        *row.greatest_degree * sectors * 32 < static_cast<double>(*row.threads))
      traits.emplace_back("shared by lanes");
  }
  if (row.lanes && *row.lanes < kFullWarp)
    traits.push_back(fmt::format("{} of 32 lanes", base::format_ratio(*row.lanes)));
  if (any(row.atomics)) traits.emplace_back("atomics");
  if (any(row.reductions)) traits.emplace_back("reductions");
  if (any(row.async_copies)) traits.emplace_back("asynchronous copies");
  if (any(row.local_sectors)) traits.emplace_back("local memory");
  add_shared(traits, row.shared);
  return traits;
}

std::optional<double> needed_share(const Access& access) {
  if (access.needed_sector_share) return access.needed_sector_share;
  if (access.sector_efficiency) return std::min(1.0, *access.sector_efficiency);
  return best_sector_efficiency(access.data_bytes, access.sectors, access.requests);
}

}  // namespace coalescope::analysis
