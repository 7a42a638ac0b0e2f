#include "reports/analysis/rows/request_lines.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "reports/analysis/figures/ratios.h"

namespace coalescope::analysis {
namespace {

constexpr double kLineSectors = 4;
constexpr double kLineBytes = kLineSectors * kSectorBytes;
// Means of counts over many requests, some of them at an array's end.
constexpr double kSame = 0.05;
constexpr double kLanesThatMeet = 0.5;

// Of the block in one warp: `count` of so many bytes each. std::nullopt: a warp is part of one row.
struct WarpRows {
  double count = 0;
  double bytes = 0;
};
std::optional<WarpRows> rows_of(const Request& request, const BlockShape& block) {
  const double width = static_cast<double>(block[0]),
               others = static_cast<double>(block[1]) * static_cast<double>(block[2]);
  if (width <= 0 || width >= kWarpLanes || others <= 1 || !request.needed) return std::nullopt;
  const double lanes = std::min(kWarpLanes, request.lanes.value_or(kWarpLanes));
  return WarpRows{std::min(kWarpLanes / width, others), width * *request.needed * kSectorBytes / lanes};
}

// Its lanes share sectors, and so lie a constant distance apart.
double lines_of_a_row(const WarpRows& rows, const Request& request) {
  const double span = rows.bytes * *request.touched / *request.needed;
  return std::ceil(span * (1 - kSame) / kLineBytes);
}

bool is_about(double touched, double sectors) {
  return std::abs(touched - sectors) <= kSame * sectors;
}

// Pieces of so many bytes that a row touches if it begins at any element, as in a window that moves along it.
double pieces_of_a_row(const WarpRows& rows, const BlockShape& block, double piece_bytes) {
  const double element_bytes = rows.bytes / static_cast<double>(block[0]);
  return 1 + (rows.bytes - element_bytes) / piece_bytes;
}

bool begin_anywhere(const WarpRows& rows, const Request& request, const BlockShape& block) {
  const double sectors = rows.count * pieces_of_a_row(rows, block, kSectorBytes);
  return is_about(*request.touched, sectors) && sectors > (1 + kSame) * *request.needed;
}

}  // namespace

bool follows_rows_of(const Request& request, const BlockShape& block) {
  const auto rows = rows_of(request, block);
  if (!rows || !request.touched || rows->bytes <= 0) return false;
  const double sectors = rows->count * std::ceil(rows->bytes * (1 - kSame) / kSectorBytes);
  if (begin_anywhere(*rows, request, block)) return true;
  return is_about(*request.touched, sectors) && sectors > (1 + kSame) * *request.needed;
}

double lines_of(const Request& request, bool indexed, const BlockShape& block) {
  const double touched = request.touched.value_or(0);
  const double least = std::max(1.0, touched / kLineSectors);
  const Shape shape = shape_of(request);
  if (shape != Shape::strided && shape != Shape::apart) return least;
  if (indexed) return std::max(1.0, touched);
  if (follows_rows_of(request, block)) {
    const auto rows = *rows_of(request, block);
    return rows.count * (begin_anywhere(rows, request, block)
                             ? pieces_of_a_row(rows, block, kLineBytes)
                             : std::ceil(rows.bytes * (1 - kSame) / kLineBytes));
  }
  const double lanes = std::min(kWarpLanes, request.lanes.value_or(kWarpLanes));
  const auto rows = rows_of(request, block);
  const double width = rows ? static_cast<double>(block[0]) : lanes;
  if (touched >= width - kLanesThatMeet) return std::max(1.0, touched);
  return rows ? std::max(least, rows->count * lines_of_a_row(*rows, request)) : least;
}

}  // namespace coalescope::analysis
