#include "reports/analysis/view/warp_picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/figures/access_shape.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

constexpr int kSectorWidth = static_cast<int>(kSectorBytes);
// An odd number spreads the sectors of a schematic gather over all places once.
constexpr int kScatter = 13;

const LineRow* line_of(const Report& report, const Finding& finding) {
  if (!finding.kernel_id || !finding.file) return nullptr;
  const auto found = std::ranges::find_if(report.lines, [&](const LineRow& row) {
    return row.kernel_id == *finding.kernel_id && row.file == finding.file && row.line == finding.line;
  });
  return found == report.lines.end() ? nullptr : &*found;
}

// The mean of loads and stores together has the shape of neither.
bool has_one_operation(const LineRow& line) {
  return line.loads.value_or(0) == 0 || line.stores.value_or(0) == 0;
}

// The mean of the line at fault, else of the kernel's accesses that the finding is about.
Request request_of_finding(const Report& report, const Finding& finding) {
  const LineRow* line = line_of(report, finding);
  if (line && has_one_operation(*line) && line->sectors_per_request && line->sector_efficiency)
    return {line->sectors_per_request, *line->sectors_per_request * *line->sector_efficiency, line->lanes};
  Request request{figure_in(finding.facts, "sectors_per_request"),
                  figure_in(finding.facts, "needed_sectors_per_request"),
                  {}};
  const auto row = std::ranges::find(report.kernels, finding.kernel_id, &KernelRow::id);
  if (row == report.kernels.end()) return request;
  const bool stores =
      finding.title.find("stores") != std::string::npos && finding.title.find("loads") == std::string::npos;
  request.lanes = (stores ? row->store : row->load).lanes;
  return request;
}

int lanes_of(const Request& request) {
  const double lanes = std::clamp(request.lanes.value_or(kWarpLanes), 1.0, kWarpLanes);
  return static_cast<int>(std::lround(lanes));
}

// The element that lanes side by side would need so many sectors for.
double element_bytes_of(double needed_sectors, int lanes) {
  constexpr std::array kElements{1.0, 2.0, 4.0, 8.0, 16.0};
  const double mean = needed_sectors * kSectorWidth / lanes;
  return *std::ranges::min_element(kElements, {},
                                   [&](double each) { return std::abs(std::log(each / mean)); });
}

WarpPicture with_lanes(int lanes) {
  WarpPicture picture;
  picture.lanes.resize(kLanesOfAWarp);
  for (int lane = 0; lane < lanes; ++lane) picture.lanes[static_cast<std::size_t>(lane)].takes_part = true;
  return picture;
}

// Lane after lane, `stride` bytes apart, from `first` on.
void place_lanes(WarpPicture& picture, double first, double stride) {
  double at = first;
  for (LaneBytes& lane : picture.lanes) {
    if (!lane.takes_part) break;
    lane.sector = static_cast<int>(at / kSectorWidth);
    lane.offset = at - static_cast<double>(lane.sector) * kSectorWidth;
    const double end = at + picture.element_bytes - 1;
    picture.sectors = std::max(picture.sectors, static_cast<int>(end / kSectorWidth) + 1);
    at += stride;
  }
}

void place_apart(WarpPicture& picture, int lanes, bool scattered) {
  for (int lane = 0; lane < lanes; ++lane) {
    const int place = scattered ? lane * kScatter % lanes : lane;
    picture.lanes[static_cast<std::size_t>(lane)].sector = place;
  }
  picture.sectors = lanes;
  picture.apart = true;
}

// Lanes at so many words in so many sectors, as of a gather that meets in some.
void place_in_sectors(WarpPicture& picture, int lanes, int sectors) {
  for (int lane = 0; lane < lanes; ++lane) {
    LaneBytes& at = picture.lanes[static_cast<std::size_t>(lane)];
    at.sector = lane * kScatter % sectors;
    const int round = lane / sectors;  // through all sectors
    at.offset = round * picture.element_bytes;
    at.offset = std::min(at.offset, kSectorWidth - picture.element_bytes);
  }
  picture.sectors = sectors;
  picture.apart = true;
}

std::string counted_sectors(const Request& request) {
  const bool full = request.lanes.value_or(kWarpLanes) > kFullWarp;
  return fmt::format("{}32 lanes touch {} sectors, and {} would hold their bytes",
                     full ? "" : base::format_ratio(*request.lanes) + " of ",
                     base::format_ratio(*request.touched), base::format_ratio(*request.needed));
}

std::optional<WarpPicture> uncoalesced(const Request& request, bool by_index) {
  if (!request.touched || !request.needed || *request.needed <= 0) return std::nullopt;
  const int lanes = lanes_of(request);
  const int touched = std::clamp(static_cast<int>(std::lround(*request.touched)), 1, 32);
  WarpPicture picture = with_lanes(lanes);
  picture.element_bytes = element_bytes_of(*request.needed, lanes);
  picture.schematic = true;
  const Shape shape = shape_of(request);
  std::string why = "counters do not say where in its sector a lane lies";
  if (by_index) {
    place_in_sectors(picture, lanes, std::min(touched, lanes));
    why = "the order follows the data";
  } else if (shape == Shape::apart) {
    place_apart(picture, lanes, false);
  } else if (shape == Shape::misaligned || shape == Shape::ragged) {
    place_lanes(picture, kSectorWidth - picture.element_bytes, picture.element_bytes);
    why = shape == Shape::ragged ? "some requests touch one sector more" : "the offset itself is not counted";
  } else if (shape == Shape::strided) {
    place_lanes(picture, 0,
                std::max(picture.element_bytes, static_cast<double>(touched) * kSectorWidth / lanes));
  } else {
    place_lanes(picture, 0, picture.element_bytes);
    picture.schematic = false;
  }
  picture.words = counted_sectors(request);
  if (picture.schematic) picture.words += "; schematic: " + why;
  return picture;
}

std::optional<WarpPicture> narrow(const Finding& finding) {
  const auto element = figure_in(finding.facts, "element_bytes");
  if (!element || *element <= 0 || *element > 16) return std::nullopt;
  WarpPicture picture = with_lanes(kLanesOfAWarp);
  picture.element_bytes = *element;
  place_lanes(picture, 0, *element);
  picture.words =
      fmt::format("32 lanes with {} B each fill {} {}; with 16 B each a request moves 16 sectors",
                  base::format_ratio(*element), picture.sectors, picture.sectors == 1 ? "sector" : "sectors");
  return picture;
}

std::optional<WarpPicture> broadcast() {
  WarpPicture picture = with_lanes(kLanesOfAWarp);
  picture.sectors = 1;
  picture.schematic = true;
  picture.words =
      "all lanes read one word of one sector; schematic: a few words may be shared by parts of a warp";
  return picture;
}

std::optional<WarpPicture> partial(const Report& report, const Finding& finding) {
  const auto row = std::ranges::find(report.kernels, finding.kernel_id, &KernelRow::id);
  if (row == report.kernels.end()) return std::nullopt;
  const auto idle = figure_in(finding.facts, "idle_share");
  if (!idle) return std::nullopt;
  const int lanes = std::clamp(static_cast<int>(std::lround(32 * (1 - *idle))), 1, 32);
  WarpPicture picture = with_lanes(lanes);
  place_lanes(picture, 0, picture.element_bytes);
  picture.schematic = true;
  picture.words = fmt::format(
      "{} of 32 lanes take part in the mean request; schematic: which lanes and where is "
      "not counted",
      lanes);
  return picture;
}

std::optional<WarpPicture> atomics(const Finding& finding) {
  const auto words = figure_in(finding.facts, "words_per_request");
  if (!words || *words <= 0) return std::nullopt;
  const int distinct = std::clamp(static_cast<int>(std::lround(*words)), 1, 32);
  WarpPicture picture = with_lanes(kLanesOfAWarp);
  for (std::size_t lane = 0; lane < kLanesOfAWarp; ++lane) {
    const int word = static_cast<int>(lane) * kScatter % distinct;
    picture.lanes[lane].sector = word * 4 / kSectorWidth;
    picture.lanes[lane].offset = word * 4 % kSectorWidth;
    picture.sectors = std::max(picture.sectors, picture.lanes[lane].sector + 1);
  }
  picture.schematic = true;
  picture.words = fmt::format(
      "32 lanes update {} words a request, one after the other where they meet; schematic: "
      "where the words lie is not counted",
      base::format_ratio(*words));
  return picture;
}

}  // namespace

std::optional<WarpPicture> warp_picture(const Report& report, const Finding& finding) {
  switch (about_rule(finding).picture) {
    case Picture::sectors:
      return uncoalesced(request_of_finding(report, finding), false);
    case Picture::gather:
      return uncoalesced(request_of_finding(report, finding), true);
    case Picture::broadcast:
      return broadcast();
    case Picture::idle_lanes:
      return partial(report, finding);
    case Picture::narrow:
      return narrow(finding);
    case Picture::atomics:
      return atomics(finding);
    case Picture::none:
      break;
  }
  return std::nullopt;
}

}  // namespace coalescope::analysis
