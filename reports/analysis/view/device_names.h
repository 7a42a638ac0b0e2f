#pragma once
// What readers call a GPU: the number that its process gives it, as in cudaSetDevice.

#include <cstdint>
#include <string>
#include <unordered_map>

#include "reports/analysis/report.h"

namespace coalescope::analysis {

// By Device::id: "GPU 0"; where several processes used GPUs, "rank 1, GPU 0".
using DeviceNames = std::unordered_map<std::int64_t, std::string>;
[[nodiscard]] DeviceNames device_names(const Report& report);
// "a GPU that is not known" for an id without a device.
[[nodiscard]] std::string device_name(const DeviceNames& names, std::int64_t device_id);

}  // namespace coalescope::analysis
