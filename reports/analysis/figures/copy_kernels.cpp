#include "reports/analysis/figures/copy_kernels.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "reports/analysis/figures/owners.h"

namespace coalescope::analysis {
namespace {

// A ufunc: "cupy_copy__float32_float64" converts.
constexpr std::string_view kCupyCopy = "cupy_copy__";
// Of ATen's kernels.
constexpr std::array<std::string_view, 3> kConversions{"float16_copy_kernel_cuda", "LoadWithCast",
                                                       "float8_copy_kernel_cuda"};

bool holds_part(const KernelRow& row, std::string_view part) {
  return row.full_name.find(part) != std::string::npos;
}

bool cupy_converts(std::string_view name) {
  name.remove_prefix(name.find(kCupyCopy) + kCupyCopy.size());
  const auto between = name.find('_');
  return between != std::string_view::npos && name.substr(0, between) != name.substr(between + 1);
}

}  // namespace

bool copies_elements(const KernelRow& row) {
  return (row.owner == kTorch && holds_part(row, "copy_kernel_cuda")) ||
         (row.owner == kCupy && holds_part(row, kCupyCopy));
}

bool converts_type(const KernelRow& row) {
  if (!copies_elements(row)) return false;
  if (row.owner == kCupy) return cupy_converts(row.full_name);
  return std::ranges::any_of(kConversions, [&](std::string_view each) { return holds_part(row, each); });
}

}  // namespace coalescope::analysis
