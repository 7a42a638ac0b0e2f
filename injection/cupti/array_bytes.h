#pragma once
// How large a CUDA array is by its description: its elements, without the padding that the driver adds and
// does not tell.

#include <algorithm>
#include <cstdint>
#include <cuda.h>
#include <optional>

namespace coalescope::cupti {

// Of one channel of an element. nullopt: formats that are compressed or whose planes differ in size.
[[nodiscard]] constexpr std::optional<std::int64_t> channel_bytes(CUarray_format format) {
  switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
      return 1;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
      return 2;
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_FLOAT:
      return 4;
    default:
      return std::nullopt;
  }
}

[[nodiscard]] constexpr std::optional<std::int64_t> array_bytes(const CUDA_ARRAY3D_DESCRIPTOR& array) {
  const auto channel = channel_bytes(array.Format);
  if (!channel) return std::nullopt;
  // A missing dimension is given as 0.
  const auto elements = std::max<std::size_t>(array.Width, 1) * std::max<std::size_t>(array.Height, 1) *
                        std::max<std::size_t>(array.Depth, 1);
  return static_cast<std::int64_t>(elements) * array.NumChannels * *channel;
}

[[nodiscard]] constexpr std::optional<std::int64_t> array_bytes(const CUDA_ARRAY_DESCRIPTOR& array) {
  return array_bytes(
      CUDA_ARRAY3D_DESCRIPTOR{array.Width, array.Height, 0, array.Format, array.NumChannels, 0});
}

}  // namespace coalescope::cupti
