#pragma once
// What one GPU can do, as measured by `calibrate`: named figures and curves, from which costs are predicted.
// What was not measured is not there, and nobody puts a guess in its place.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/profile/names.h"

namespace coalescope::profile {

struct Point {
  double x = 0;
  double y = 0;
  std::optional<double> spread;  // interquartile range of y, in the curve's unit
};

// Between its points a curve is straight: over x, or over log x where sizes run through powers of two.
struct Curve {
  std::string unit;      // of y: "GB/s"
  std::string abscissa;  // what x counts: "words", "bytes"
  bool logarithmic = false;
  std::vector<Point> points;  // at least one; x rises
};

struct Figure {
  double value = 0;
  std::string unit;
  std::optional<double> spread;
};

// How much a profile says about the GPU of a capture, the best first.
enum class Origin {
  capture,  // the capture's own calibration rows
  stored,   // an earlier calibration of this very GPU
  shipped,  // of another GPU of the same product, which comes with coalescope
};

struct MachineProfile {
  Origin origin = Origin::capture;
  std::string gpu_uuid;
  std::string gpu_name;
  std::optional<std::int64_t> driver_version;  // 13000: as CUDA counts the driver's API
  std::optional<std::int64_t> cupti_version;
  std::string tool_version;
  std::int64_t recorded_unix_ns = 0;
  std::string provenance;  // for people: where and how it was measured
  std::map<std::string, Figure, std::less<>> figures;
  std::map<std::string, Curve, std::less<>> curves;
};

// A figure of the first profile that has it, and that profile: from there come origin and date.
struct FoundFigure {
  double value = 0;
  std::string_view unit;
  const MachineProfile* from = nullptr;
};
struct FoundCurve {
  const Curve* curve = nullptr;
  const MachineProfile* from = nullptr;
};

// `profiles` are in order of preference; see sources.h for how they come together. Names: names.h.
[[nodiscard]] std::optional<FoundFigure> find_figure(std::span<const MachineProfile> profiles,
                                                     std::string_view name);
[[nodiscard]] std::optional<FoundCurve> find_curve(std::span<const MachineProfile> profiles,
                                                   std::string_view name);

// y at x; std::nullopt outside of what was measured.
[[nodiscard]] std::optional<double> value_at(const Curve& curve, double x);

// The same, and beyond either end the value there: for curves that were measured until they are level.
[[nodiscard]] std::optional<double> value_near(const Curve& curve, double x);

// "calibrated on this machine", "measured on another NVIDIA H100 80GB HBM3".
[[nodiscard]] std::string origin_words(const MachineProfile& profile);

}  // namespace coalescope::profile
