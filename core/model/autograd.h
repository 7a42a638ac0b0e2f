#pragma once
// How PyTorch's gradients are known by the frames of Python that ask for them.

#include <string_view>

namespace coalescope::model {

// The function that hands the work over to PyTorch's threads.
[[nodiscard]] constexpr bool is_backward(std::string_view file, std::string_view function) {
  return file.ends_with("torch/autograd/__init__.py") && (function == "backward" || function == "grad");
}

}  // namespace coalescope::model
