#pragma once
// What is measured natively, without the recorder, because it needs several streams, L2 windows, a clock
// on the host, or simply its own time: the experiments as data, and the rows that they give. Host C++ only.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/calibration.h"

namespace coalescope::kernels {

// One function of the folder's .cu files. It may give rows of other cases than its id.
struct Experiment {
  std::string_view family;
  std::string_view id;
  std::string_view title;
};

// In the order in which they run.
std::span<const Experiment> experiments();

// 'A' for A1 to A12; but 'A1' not for A10.
[[nodiscard]] bool stands_for(std::string_view wanted, std::string_view family);

// Those of the given families; all if none is given.
[[nodiscard]] std::vector<const Experiment*> select_experiments(std::span<const std::string> families);

// Figures, and their names in the calibration table.
inline constexpr std::string_view kGbPerSecond = "bandwidth_gb_s";
inline constexpr std::string_view kTimeNs = "time_ns";
inline constexpr std::string_view kTimeShare = "time_share";
inline constexpr std::string_view kRate = "rate_g_s";

// A row of the calibration table to be, and what belongs to it.
struct Measurement {
  model::Calibration row;
  std::optional<double> spread;  // interquartile range of `measured`
  std::string kernel;            // whose L2 counters belong to the case; empty: nobody's
};

// One JSON object on one line: what the program writes and `calibrate` reads.
[[nodiscard]] std::string to_json_line(const Measurement& measurement);

}  // namespace coalescope::kernels
