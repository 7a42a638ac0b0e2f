#pragma once
// Where machine profiles come from: calibration rows of a capture, the user's data folder, coalescope itself.

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/model/calibration.h"
#include "core/model/device.h"
#include "core/model/run.h"
#include "core/profile/machine_profile.h"

namespace coalescope::profile {

// The figures and curves that these rows determine; without any of them an empty profile.
[[nodiscard]] MachineProfile derive(std::span<const model::Calibration> rows);

// The same with the identity of the GPU and of the run.
[[nodiscard]] MachineProfile derive(std::span<const model::Calibration> rows, const model::Device& device,
                                    const model::Process& process, const model::Capture& capture);

// ${XDG_DATA_HOME:-$HOME/.local/share}/coalescope/profiles; std::nullopt: neither variable is set.
[[nodiscard]] std::optional<std::filesystem::path> profile_folder();

// What `fresh` lacks is taken from `old`: a calibration of a few families keeps the rest of what is known.
[[nodiscard]] MachineProfile united(MachineProfile fresh, const MachineProfile& old);

// Replaces the GPU's profile in that folder: the path that was written.
[[nodiscard]] base::Result<std::filesystem::path> store(const MachineProfile& profile,
                                                        const std::filesystem::path& folder);

// std::nullopt: that GPU was never calibrated. A file that cannot be read is an error.
[[nodiscard]] base::Result<std::optional<MachineProfile>> stored(std::string_view gpu_uuid,
                                                                 const std::filesystem::path& folder);

// What comes with coalescope for this product.
[[nodiscard]] std::optional<MachineProfile> shipped(std::string_view gpu_name);

// All that is known of a GPU, in order of preference: what its capture's rows tell, the stored profile (where
// `folder` is given and holds one), the shipped one. Empty ones are left out.
[[nodiscard]] std::vector<MachineProfile> profiles_for(const model::Device& device,
                                                       const MachineProfile& of_capture,
                                                       const std::optional<std::filesystem::path>& folder);

}  // namespace coalescope::profile
