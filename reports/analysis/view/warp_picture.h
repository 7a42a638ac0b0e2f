#pragma once
// What a request of a finding looks like: where the lanes of a warp lie in 32-byte sectors. Counters say how
// many sectors a request touches, how many its bytes need and how many lanes take part; where in its sector a
// lane lies they do not say, and the picture is then a schematic one.

#include <string>
#include <vector>

#include "reports/analysis/report.h"

namespace coalescope::analysis {

inline constexpr std::size_t kLanesOfAWarp = 32;

struct LaneBytes {
  bool takes_part = false;
  int sector = 0;     // of those drawn
  double offset = 0;  // bytes from the sector's beginning
};

struct WarpPicture {
  std::vector<LaneBytes> lanes;  // kLanesOfAWarp
  int sectors = 0;               // touched
  double element_bytes = 4;      // of each lane; may reach into the next sector
  bool apart = false;            // sectors that are drawn side by side lie apart
  bool schematic = false;
  std::string words;  // what it shows, with the figures that it follows
};

// nullopt: the finding is about no access to global memory, or was not counted well enough.
[[nodiscard]] std::optional<WarpPicture> warp_picture(const Report& report, const Finding& finding);

}  // namespace coalescope::analysis
