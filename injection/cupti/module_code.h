#pragma once
// Reads what ModuleStore wrote: the modules of one process, mapped.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace coalescope::cupti {

// A module's code.
using Cubin = std::span<const std::byte>;

class ModuleCode {
 public:
  [[nodiscard]] static base::Result<ModuleCode> open(const std::string& path);
  ModuleCode(ModuleCode&& other) noexcept;
  ModuleCode& operator=(ModuleCode&&) = delete;
  ~ModuleCode();

  // In the file's order. A file that was cut off (its process was killed) yields what is whole.
  [[nodiscard]] std::vector<Cubin> all() const;

 private:
  ModuleCode(const std::byte* data, std::size_t bytes) : data_(data), bytes_(bytes) {}

  const std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace coalescope::cupti
