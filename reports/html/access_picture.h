#pragma once
// The drawing of a warp's request as textbooks have it: the lanes above, the sectors of 32 bytes below, and a
// line from each lane to its bytes.

#include "reports/analysis/view/warp_picture.h"
#include "reports/html/markup.h"

namespace coalescope::html {

inline constexpr double kPictureWidth = 640, kPictureHeight = 78;

// The shapes alone, of the classes lane, lane-off, sector, asked and reach, for an svg of this size.
Html access_drawing(const analysis::WarpPicture& picture);

// A figure with its words as caption; a reader who does not see it is told the words.
Html access_picture(const analysis::WarpPicture& picture);

}  // namespace coalescope::html
