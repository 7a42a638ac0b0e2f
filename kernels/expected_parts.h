#pragma once
// What the tables of cases are made of: the access of a warp, the counts that follow from it, and one
// function a letter of the families. For expected*.cpp alone.

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/expected.h"

namespace coalescope::kernels {

inline constexpr std::int64_t kSectorBytes = 32;

// What one warp asks for in one direction: distinct bytes and sectors are those of one request.
struct WarpAccess {
  std::int64_t requests = 1;
  std::int64_t bytes = 0;
  std::int64_t sectors = 0;

  // The least that its bytes would fit in.
  [[nodiscard]] constexpr std::int64_t ideal_sectors() const {
    return (bytes + kSectorBytes - 1) / kSectorBytes;
  }
};

// 32 neighbouring words on a sector boundary: 32 W = 128 bytes = 4 sectors.
inline constexpr WarpAccess kSequential{1, 128, 4};

// What a launch does: its threads, and what each of its warps loads and stores.
struct Work {
  std::int64_t threads;
  WarpAccess load;
  WarpAccess store;
};

[[nodiscard]] std::vector<ExpectedCount> counts_of(const Work& work);

// A kernel without parameter.
[[nodiscard]] Case single(std::string family, const std::string& function, std::string title,
                          std::int64_t useful_bytes, const Work& work);

// A kernel with a number as template argument.
[[nodiscard]] Case point(std::string family, const std::string& function, int argument, std::string title,
                         std::int64_t useful_bytes, const Work& work);

void add_global_cases(std::vector<Case>& all);   // A
void add_host_cases(std::vector<Case>& all);     // D
void add_machine_cases(std::vector<Case>& all);  // E

}  // namespace coalescope::kernels
