#pragma once
// What is left of a name that is too long for a table column, where nothing better is known of it.

#include <cstddef>
#include <string>
#include <string_view>

namespace coalescope::analysis {

// The words that tell one list of template arguments from another, each once, in their order and as many as
// fit: "TensorConversionOp, half, float". Numbers, scopes and the helpers of well known libraries go.
[[nodiscard]] std::string digest(std::string_view arguments, std::size_t longest);

// A name without template arguments. Words that all kernels of its library have go first, then its
// middle: both ends tell more ("triton_per_fused_add_...view_7").
[[nodiscard]] std::string shortened_word(std::string_view name, std::size_t longest);

// Only its beginning, "distribution_elementwise_g...": where template arguments follow that tell more.
[[nodiscard]] std::string beginning(std::string_view name, std::size_t longest);

}  // namespace coalescope::analysis
