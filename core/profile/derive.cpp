// From calibration rows to a profile: one row of a table for each figure and curve. A quantity's spread is a
// row of its own.
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "core/profile/sources.h"
#include "core/profile/spreads.h"

namespace coalescope::profile {
namespace {

using model::Calibration;

// Several times as many as any curve of ours has; each device of a report holds its curves.
constexpr std::size_t kMostPoints = 64;

constexpr std::string_view kBandwidth = "bandwidth_gb_s";
constexpr std::string_view kTime = "time_ns";
constexpr std::string_view kShare = "time_share";
constexpr std::string_view kRate = "rate_g_s";

// A name may stand twice: the first row whose case was measured counts.
struct FigureSource {
  std::string_view name, case_id, quantity;
};
constexpr std::array kFigures{
    FigureSource{figure::kDramRead, "dram_read", kBandwidth},
    FigureSource{figure::kDramWrite, "dram_write", kBandwidth},
    FigureSource{figure::kDramCopy, "dram_copy", kBandwidth},
    FigureSource{figure::kDramCopy, "sequential_copy", kBandwidth},
    FigureSource{figure::kL2Read, "l2_read", kBandwidth},
    FigureSource{figure::kL2Copy, "l2_copy", kBandwidth},
    FigureSource{figure::kGridStridedCopy, "grid_strided_copy", kBandwidth},
    FigureSource{figure::kZeroCopyRead, "zero_copy_read", kBandwidth},
    FigureSource{figure::kZeroCopyWrite, "zero_copy_write", kBandwidth},
    FigureSource{figure::kZeroCopyStrided, "zero_copy_strided_read", kBandwidth},
    FigureSource{figure::kHostToDevice, "copy_host_to_device_pinned/268435456", kBandwidth},
    FigureSource{figure::kDeviceToHost, "copy_device_to_host_pinned/268435456", kBandwidth},
    FigureSource{figure::kBothWays, "copy_both_ways", kBandwidth},
    FigureSource{figure::kCopyCall, "queued_copy", kTime},
    FigureSource{figure::kSynchronousCopy, "synchronous_copy", kTime},
    FigureSource{figure::kLaunch, "queued_launch", kTime},
    FigureSource{figure::kLaunchAndWait, "launch_and_wait", kTime},
    FigureSource{figure::kPeerCopy, "peer_copy", kBandwidth},
    FigureSource{figure::kPeerCopyStaged, "peer_copy_staged", kBandwidth},
    FigureSource{figure::kManagedFirstTouch, "managed_first_touch", kBandwidth},
    FigureSource{figure::kManagedPrefetched, "managed_prefetched", kBandwidth},
    FigureSource{figure::kPersistingBytes, "residency_set_aside", "bytes"},
};

// The points are the cases "prefix/x".
struct CurveSource {
  std::string_view name, prefix, quantity, abscissa;
  bool logarithmic;
};
constexpr std::array kCurves{
    CurveSource{curve::kOffset, "offset_copy", kBandwidth, "words", false},
    CurveSource{curve::kStride, "strided_copy", kBandwidth, "words", false},
    CurveSource{curve::kElementBytes, "element_copy", kBandwidth, "bytes", true},
    CurveSource{curve::kDramSectors, "dram_sectors", kBandwidth, "sectors per request", true},
    CurveSource{curve::kL2Sectors, "l2_sectors", kBandwidth, "sectors per request", true},
    CurveSource{curve::kHitRate, "hit_rate", kBandwidth, "hit rate", false},
    CurveSource{curve::kFootprint, "footprint", kBandwidth, "bytes", true},
    CurveSource{curve::kHostToDevicePinned, "copy_host_to_device_pinned", kBandwidth, "bytes", true},
    CurveSource{curve::kDeviceToHostPinned, "copy_device_to_host_pinned", kBandwidth, "bytes", true},
    CurveSource{curve::kHostToDevicePageable, "copy_host_to_device_pageable", kBandwidth, "bytes", true},
    CurveSource{curve::kDeviceToHostPageable, "copy_device_to_host_pageable", kBandwidth, "bytes", true},
    CurveSource{curve::kHostToDevicePinnedCall, "call_host_to_device_pinned", kBandwidth, "bytes", true},
    CurveSource{curve::kDeviceToHostPinnedCall, "call_device_to_host_pinned", kBandwidth, "bytes", true},
    CurveSource{curve::kHostToDevicePageableCall, "call_host_to_device_pageable", kBandwidth, "bytes", true},
    CurveSource{curve::kDeviceToHostPageableCall, "call_device_to_host_pageable", kBandwidth, "bytes", true},
    CurveSource{curve::kPieces, "copy_in_pieces", kBandwidth, "bytes", true},
    CurveSource{curve::kStagedTransfer, "staged_transfer_bound", kShare, "streams", true},
    CurveSource{curve::kStagedCompute, "staged_compute_bound", kShare, "streams", true},
    CurveSource{curve::kResidencyOff, "residency_off", kBandwidth, "bytes", true},
    CurveSource{curve::kResidencyFull, "residency_full", kBandwidth, "bytes", true},
    CurveSource{curve::kResidencyTuned, "residency_tuned", kBandwidth, "bytes", true},
    CurveSource{curve::kResidencyMostFull, "residency_light_full", kBandwidth, "bytes", true},
    CurveSource{curve::kResidencyMostTuned, "residency_light_tuned", kBandwidth, "bytes", true},
    CurveSource{curve::kAtomics, "atomics", kRate, "distinct addresses", true},
    CurveSource{curve::kSharedConflicts, "shared_conflicts", kRate, "conflict degree", true},
    CurveSource{curve::kConstant, "constant_loads", kRate, "distinct addresses", true},
};

bool is_value(const Calibration& row, std::string_view quantity) {
  return row.quantity == quantity && row.measured && *row.measured > 0;
}

void take_figure(MachineProfile& profile, const FigureSource& source, std::span<const Calibration> rows,
                 const Spreads& spreads) {
  if (profile.figures.contains(source.name)) return;
  const auto row = std::ranges::find_if(rows, [&](const Calibration& candidate) {
    return candidate.case_id == source.case_id && is_value(candidate, source.quantity);
  });
  if (row == rows.end()) return;
  profile.figures[std::string(source.name)] = {*row->measured, row->unit, spreads.of(*row)};
}

void take_curve(MachineProfile& profile, const CurveSource& source, std::span<const Calibration> rows,
                const Spreads& spreads) {
  const std::string prefix = std::string(source.prefix) + "/";
  Curve curve{"", std::string(source.abscissa), source.logarithmic, {}};
  for (const Calibration& row : rows)
    if (curve.points.size() < kMostPoints && row.abscissa && row.case_id.starts_with(prefix) &&
        is_value(row, source.quantity)) {
      curve.unit = row.unit;
      curve.points.push_back({*row.abscissa, *row.measured, spreads.of(row)});
    }
  if (curve.points.empty()) return;
  std::ranges::sort(curve.points, {}, &Point::x);
  profile.curves[std::string(source.name)] = std::move(curve);
}

// What the smallest copy takes beyond what its bytes take at full speed.
void take_fixed_cost(MachineProfile& profile) {
  const auto pinned = profile.curves.find(curve::kHostToDevicePinned);
  if (pinned == profile.curves.end() || pinned->second.points.size() < 2) return;
  const Point& smallest = pinned->second.points.front();
  const double full_gb_s = std::ranges::max(pinned->second.points, {}, &Point::y).y;
  const double fixed_ns = smallest.x / smallest.y - smallest.x / full_gb_s;
  if (fixed_ns > 0) profile.figures[std::string(figure::kCopyFixed)] = {fixed_ns, "ns", std::nullopt};
}

}  // namespace

MachineProfile derive(std::span<const Calibration> rows) {
  MachineProfile profile;
  const Spreads spreads(rows);
  for (const FigureSource& source : kFigures) take_figure(profile, source, rows, spreads);
  for (const CurveSource& source : kCurves) take_curve(profile, source, rows, spreads);
  take_fixed_cost(profile);
  return profile;
}

MachineProfile derive(std::span<const Calibration> rows, const model::Device& device,
                      const model::Process& process, const model::Capture& capture) {
  MachineProfile profile = derive(rows);
  profile.gpu_uuid = device.uuid;
  profile.gpu_name = device.name;
  profile.driver_version = process.driver_version;
  profile.cupti_version = process.cupti_version;
  profile.tool_version = capture.tool_version;
  profile.recorded_unix_ns = capture.started_unix_ns;
  profile.provenance = fmt::format("coalescope {} calibrate on {}", capture.tool_version, device.name);
  return profile;
}

}  // namespace coalescope::profile
