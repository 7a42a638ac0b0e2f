#pragma once
// The checks of `doctor` that read files and the environment only.

#include "tool/doctor_check.h"

namespace coalescope::tool {

// The kernel module's version; empty: there is none.
[[nodiscard]] std::string kernel_module_version(const Machine& machine);
[[nodiscard]] bool is_wsl(const Machine& machine);

// How this user gets to read counters: on this machine, or in the container that this is.
[[nodiscard]] std::string how_to_permit(const Machine& machine);
// How a GPU comes into this machine or container.
[[nodiscard]] std::string how_to_get_a_gpu(const Machine& machine);

// Whether this user may read counters, as the driver's own setting says; empty: the driver does not say.
[[nodiscard]] std::optional<Check> check_permission(const Machine& machine);
// Programs that are known to hold counters: "nv-hostengine (pid 12)".
[[nodiscard]] std::vector<std::string> counter_holders(const Machine& machine);
[[nodiscard]] Check check_other_tool(const Machine& machine);
[[nodiscard]] Check check_mig(const Machine& machine);
[[nodiscard]] Check check_mps(const Machine& machine);
[[nodiscard]] Check check_wsl(const Machine& machine);

}  // namespace coalescope::tool
