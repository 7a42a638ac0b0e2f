#include "reports/analysis/machine/chip_constants.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace coalescope::analysis {
namespace {

constexpr std::array kChips{kGh100};

// A recording that could not read counters has no name from CUPTI; one chip alone has this capability.
std::string_view chip_name(const model::Device& device) {
  if (device.chip) return *device.chip;
  return device.compute_capability_major == 9 && device.compute_capability_minor == 0 ? kGh100.chip : "";
}

}  // namespace

KnownChip chip_of(const model::Device& device) {
  const std::string_view name = chip_name(device);
  const auto found = std::ranges::find(kChips, name, &ChipConstants::chip);
  if (found != kChips.end()) return {*found, ""};
  const std::string_view shown = name.empty() ? std::string_view(device.name) : name;
  return {kGh100,
          fmt::format(
              "; the model's constants, and how far its prices are off, were measured on {} and not on {}",
              kGh100.measured_on, shown.empty() ? "this GPU" : shown)};
}

}  // namespace coalescope::analysis
