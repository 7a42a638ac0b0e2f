#pragma once
// A machine profile as the file that is stored and shipped.

#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/profile/machine_profile.h"

namespace coalescope::profile {

inline constexpr int kProfileVersion = 1;

[[nodiscard]] std::string to_json(const MachineProfile& profile);

// `name` is the file's, for the message of an error.
[[nodiscard]] base::Result<MachineProfile> from_json(std::string_view text, std::string_view name);

}  // namespace coalescope::profile
