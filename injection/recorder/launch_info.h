#pragma once
// A launch in our words, as the driver's callback tells it. Handles are keys only: nothing here is called.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/model/memory.h"

namespace coalescope::recorder {

struct Shape {
  std::array<std::int64_t, 3> grid{1, 1, 1};
  std::array<std::int64_t, 3> block{1, 1, 1};
  std::int64_t dynamic_shared_bytes = 0;

  bool operator==(const Shape&) const = default;
};

struct ContextHandle {
  std::uint64_t handle = 0;
  std::uint32_t uid = 0;
  std::int32_t device = 0;  // the process's own ordinal

  bool operator==(const ContextHandle&) const = default;
};

struct LaunchInfo {
  std::uint64_t function = 0;
  const char* kernel_name =
      "";  // mangled; valid during the callback. Names are long: few launches need the length
  Shape shape;
  ContextHandle context;
  std::uint64_t stream = 0;
  bool per_thread_stream = false;  // a null stream means the thread's own
  bool cooperative = false;
  std::uint32_t correlation = 0;                // the id that its record will have; 0: not known
  const void* const* parameters = nullptr;      // the address of each, valid during the callback
  std::span<const std::byte> parameter_buffer;  // or all of them in one

  // Where the parameter lies that has its place there; nullptr: the launch does not give it.
  [[nodiscard]] const void* parameter(std::size_t index, std::size_t offset, std::size_t bytes) const {
    if (parameters != nullptr) return parameters[index];
    return part_in_buffer(offset, bytes);
  }
  // A part of it, which begins `skipped` bytes after the parameter's begin and at `place` among all
  // parameters.
  [[nodiscard]] const void* part(std::size_t index, std::size_t skipped, std::size_t place,
                                 std::size_t bytes) const {
    if (parameters == nullptr) return part_in_buffer(place, bytes);
    const auto* const value = static_cast<const std::byte*>(parameters[index]);
    return value == nullptr ? nullptr : value + skipped;
  }
  [[nodiscard]] const void* part_in_buffer(std::size_t place, std::size_t bytes) const {
    return place + bytes <= parameter_buffer.size() ? parameter_buffer.data() + place : nullptr;
  }
  std::optional<model::L2Window> l2_window;  // that the launch carries, without group and time
};

}  // namespace coalescope::recorder
