#pragma once
// Kernels with which a library changes the layout of a tensor before or after its real work.

#include <algorithm>
#include <array>
#include <string_view>

namespace coalescope::analysis {

// cuDNN's, by parts of the function's name.
inline constexpr std::array<std::string_view, 3> kLayoutKernels{"nchwToNhwc", "nhwcToNchw",
                                                                "tensorTransform"};

[[nodiscard]] inline bool converts_layout(std::string_view function) {
  return std::ranges::any_of(
      kLayoutKernels, [&](std::string_view part) { return function.find(part) != std::string_view::npos; });
}

}  // namespace coalescope::analysis
