#pragma once
// What the tables of cases are made of: the access of a warp, the counts that follow from it, and one
// function a letter of the families. For expected*.cpp alone.

#include <cstdint>
#include <optional>
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

// What a whole launch asks for in one direction, where its warps differ.
struct LaunchAccess {
  std::int64_t requests = 0;
  std::int64_t bytes = 0;
  std::int64_t sectors = 0;
  std::int64_t ideal_sectors = 0;

  // `access` by each of so many warps.
  void add(const WarpAccess& access, std::int64_t warps);
  // Warps that together go once over `words` neighbouring words, the last of them over what is left, from
  // `first_word` on, counted from a sector boundary. So many times.
  void add_stretch(std::int64_t first_word, std::int64_t words, std::int64_t times);
};

[[nodiscard]] std::vector<ExpectedCount> counts_of(const LaunchAccess& load, const LaunchAccess& store);
[[nodiscard]] std::vector<ExpectedCount> counts_of(const Work& work);

// What a launch does in shared memory.
struct SharedAccess {
  std::int64_t requests = 0;
  std::int64_t wavefronts = 0;
  std::int64_t ideal_wavefronts = 0;  // were there no bank conflicts
};
[[nodiscard]] std::vector<ExpectedCount> shared_counts(const SharedAccess& access);

void append(std::vector<ExpectedCount>& counts, const std::vector<ExpectedCount>& more);
void replace(std::vector<ExpectedCount>& counts, model::MetricId metric, std::int64_t count);
void remove(std::vector<ExpectedCount>& counts, model::MetricId metric);

// A kernel with or without a number as template argument, which is the curve's abscissa.
[[nodiscard]] Case kernel_case(std::string family, const std::string& function, std::optional<int> argument,
                               std::string title);

// A kernel without parameter.
[[nodiscard]] Case single(std::string family, const std::string& function, std::string title,
                          std::int64_t useful_bytes, const Work& work);

// A kernel with a number as template argument.
[[nodiscard]] Case point(std::string family, const std::string& function, int argument, std::string title,
                         std::int64_t useful_bytes, const Work& work);

void add_global_cases(std::vector<Case>& all);   // A1 to A7
void add_layout_cases(std::vector<Case>& all);   // A8 to A12
void add_on_chip_cases(std::vector<Case>& all);  // B
void add_host_cases(std::vector<Case>& all);     // D
void add_machine_cases(std::vector<Case>& all);  // E

}  // namespace coalescope::kernels
