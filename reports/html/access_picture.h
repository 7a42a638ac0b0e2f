#pragma once
// The drawing of a warp's request as textbooks have it: the lanes above, the sectors of 32 bytes below, and a
// line from each lane to its bytes.

#include "reports/analysis/view/warp_picture.h"
#include "reports/html/markup.h"

namespace coalescope::html {

// A figure with its words as caption; a reader who does not see it is told the words.
Html access_picture(const analysis::WarpPicture& picture);

}  // namespace coalescope::html
