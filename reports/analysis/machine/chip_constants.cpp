#include "reports/analysis/machine/chip_constants.h"

#include <algorithm>
#include <fmt/format.h>

namespace coalescope::analysis {

KnownChip chip_of(const model::Device& device) {
  const auto found = std::ranges::find_if(kChips, [&](const ChipConstants& each) {
    return device.chip ? each.chip == *device.chip
                       : each.capability_major == device.compute_capability_major &&
                             each.capability_minor == device.compute_capability_minor;
  });
  if (found != kChips.end()) return {*found, ""};
  const std::string_view shown = device.chip ? *device.chip : device.name;
  return {kGh100,
          fmt::format(
              "; the model's constants, and how far its prices are off, were measured on {} and not on {}",
              kGh100.measured_on, shown.empty() ? "this GPU" : shown)};
}

}  // namespace coalescope::analysis
