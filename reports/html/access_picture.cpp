// Few elements, each with a long path: a page may have two hundred of these drawings. Drawn with attributes
// alone: the page's content policy forbids inline styles.
#include "reports/html/access_picture.h"

#include <algorithm>
#include <fmt/format.h>

#include "reports/analysis/view/shown.h"

namespace coalescope::html {
namespace {

using analysis::LaneBytes;
using analysis::WarpPicture;

constexpr double kLaneWidth = kPictureWidth / analysis::kLanesOfAWarp, kLaneHeight = 14;
constexpr double kSectorTop = 58, kSectorHeight = 18, kWidestSector = 96;
constexpr double kBytesOfASector = 32;

std::string box(double x, double y, double width, double height) {
  return fmt::format("M{:.5g} {:.5g}h{:.5g}v{:.5g}h-{:.5g}z", x, y, width, height, width);
}

Html path(std::string css, std::string lines) {
  return lines.empty() ? Html{} : element("path", {{"class", std::move(css)}, {"d", std::move(lines)}});
}

// Where the sectors stand: side by side in the middle, with gaps where they lie apart.
class Sectors {
 public:
  explicit Sectors(const WarpPicture& picture)
      : step_(std::min(kWidestSector, kPictureWidth / std::max(1, picture.sectors))),
        width_(picture.apart ? std::max(step_ * 0.7, step_ - 8) : step_ - 1),
        left_((kPictureWidth - step_ * std::max(1, picture.sectors)) / 2) {}

  [[nodiscard]] double x_of(int sector, double byte) const {
    return left_ + step_ * sector + width_ * byte / kBytesOfASector;
  }
  [[nodiscard]] double width_of(double bytes) const { return width_ * bytes / kBytesOfASector; }

 private:
  double step_, width_, left_;
};

// What a lane's bytes cover; an element may reach into the next sector.
void add_bytes(std::string& drawn, const Sectors& sectors, const LaneBytes& lane,
               const WarpPicture& picture) {
  const double end = lane.offset + picture.element_bytes;
  const double here = std::min(end, kBytesOfASector) - lane.offset;
  drawn += box(sectors.x_of(lane.sector, lane.offset), kSectorTop, std::max(1.0, sectors.width_of(here)),
               kSectorHeight);
  if (end > kBytesOfASector && lane.sector + 1 < picture.sectors)
    drawn += box(sectors.x_of(lane.sector + 1, 0), kSectorTop, sectors.width_of(end - kBytesOfASector),
                 kSectorHeight);
}

}  // namespace

Html access_drawing(const WarpPicture& picture) {
  const Sectors sectors(picture);
  std::string on, off, lines, moved, used;
  for (int sector = 0; sector < picture.sectors; ++sector)
    moved += box(sectors.x_of(sector, 0), kSectorTop, sectors.width_of(kBytesOfASector), kSectorHeight);
  for (std::size_t at = 0; at < picture.lanes.size(); ++at) {
    const LaneBytes& lane = picture.lanes[at];
    const double x = kLaneWidth * static_cast<double>(at);
    (lane.takes_part ? on : off) += box(x + 1, 1, kLaneWidth - 3, kLaneHeight);
    if (!lane.takes_part) continue;
    lines += fmt::format("M{:.5g} {}L{:.5g} {}", x + kLaneWidth / 2, kLaneHeight + 1,
                         sectors.x_of(lane.sector, lane.offset + picture.element_bytes / 2), kSectorTop);
    add_bytes(used, sectors, lane, picture);
  }
  Html inside = path("lane", std::move(on));
  inside << path("lane-off", std::move(off)) << path("sector", std::move(moved))
         << path("asked", std::move(used)) << path("reach", std::move(lines));
  return inside;
}

Html access_picture(const WarpPicture& picture) {
  Html content = element("svg",
                         {{"viewBox", fmt::format("0 0 {} {}", kPictureWidth, kPictureHeight)},
                          {"role", "img"},
                          {"aria-label", "One request of a warp: " + picture.words}},
                         access_drawing(picture));
  content << element("figcaption", analysis::upper_first(picture.words) + ".");
  return element("figure", {{"class", picture.schematic ? "access schematic" : "access"}}, content);
}

}  // namespace coalescope::html
