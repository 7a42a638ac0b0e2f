#pragma once
// What readers call a GPU: the number that its process gives it, as in cudaSetDevice; and GPUs of one kind.

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "reports/analysis/report.h"

namespace coalescope::analysis {

// By Device::id: "GPU 0"; where several processes used GPUs, "rank 1, GPU 0".
using DeviceNames = std::unordered_map<std::int64_t, std::string>;
[[nodiscard]] DeviceNames device_names(const Report& report);
// "a GPU that is not known" for an id without a device.
[[nodiscard]] std::string device_name(const DeviceNames& names, std::int64_t device_id);

// `texts` says something of each of the report's devices, in their order. Each different text once, with how
// many GPUs it is true of: "4 x NVIDIA H100". A GPU that several processes use is one.
[[nodiscard]] std::vector<std::string> gpus_in_words(const Report& report,
                                                     std::span<const std::string> texts);

}  // namespace coalescope::analysis
