#pragma once
// `coalescope doctor`: says whether recording works on this machine, what stands in its way, and the command
// that mends it. It changes nothing, and leaves nothing behind.

#include <string>
#include <vector>

#include "tool/doctor_check.h"

namespace coalescope::tool {

struct DoctorOptions {
  bool json = false;
  std::string program;  // to be recorded; empty: none in particular
};

// Every check in its order.
[[nodiscard]] Checks examine(const Machine& machine, const std::string& program);

[[nodiscard]] std::string doctor_text(const Checks& checks, std::size_t width);
[[nodiscard]] std::string doctor_json(const Checks& checks);

int run(const DoctorOptions& options);

}  // namespace coalescope::tool
