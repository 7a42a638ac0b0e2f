#pragma once
// What the driver's calls that launch kernels say, read once.

#include <cupti.h>

#include "injection/recorder/launch_info.h"

namespace coalescope::cupti {

// At the ENTER of any of them; the context and whose default stream is meant are not the call's to say.
[[nodiscard]] recorder::LaunchInfo decode_launch(CUpti_CallbackId id, const CUpti_CallbackData& data);

}  // namespace coalescope::cupti
