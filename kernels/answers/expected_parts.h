#pragma once
// What the tables of cases are made of: the access of a warp, the counts that follow from it, and one
// function a letter of the families. For expected*.cpp alone.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/answers/expected.h"
#include "kernels/answers/geometry.h"

namespace coalescope::kernels {

inline constexpr std::int64_t kSectorBytes = 32;
inline constexpr std::int64_t kSectorWords = kSectorBytes / kWordBytes;

// What one warp asks for in one direction: all but `requests` is of one request.
struct WarpAccess {
  std::int64_t requests = 1;
  std::int64_t bytes = 0;  // distinct
  std::int64_t sectors = 0;
  std::int64_t lanes = kWarpThreads;  // that take part
  std::int64_t lane_bytes = kWordBytes;

  // As the hardware counts: what the lanes ask for, each for itself, would fit in so many sectors, but none
  // is counted that was not touched. So lanes that share words make it fewer only where the sectors are few
  // anyway (a broadcast: 1 of 1); 32 words scattered with doubles among them still have 4.
  [[nodiscard]] constexpr std::int64_t ideal_sectors() const {
    return std::min(sectors, (lanes * lane_bytes + kSectorBytes - 1) / kSectorBytes);
  }
};

// 32 neighbouring words on a sector boundary: 32 W = 128 bytes = 4 sectors.
inline constexpr WarpAccess kSequential{1, 128, 4};

// The request in which each lane goes to one of these words, counted from a sector boundary.
[[nodiscard]] WarpAccess access_to(std::span<const std::int64_t> words);

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
  std::int64_t threads = 0;  // that took part, over all requests

  // `access` by each of so many warps.
  void add(const WarpAccess& access, std::int64_t warps);
  // Warps that together go once over `words` neighbouring words, the last of them over what is left, from
  // `first_word` on, counted from a sector boundary. So many times.
  void add_stretch(std::int64_t first_word, std::int64_t words, std::int64_t times);
  void add(const LaunchAccess& other);
};

// `others`: what is neither a load nor a store to the counters, but among the instructions on global memory.
[[nodiscard]] std::vector<ExpectedCount> counts_of(const LaunchAccess& load, const LaunchAccess& store,
                                                   const LaunchAccess& others = {});
[[nodiscard]] std::vector<ExpectedCount> counts_of(const Work& work);

// What a launch does in shared memory.
struct SharedAccess {
  std::int64_t requests = 0;
  std::int64_t wavefronts = 0;
  std::int64_t ideal_wavefronts = 0;  // were there no bank conflicts
};
[[nodiscard]] std::vector<ExpectedCount> shared_counts(const SharedAccess& access);

void append(std::vector<ExpectedCount>& counts, const std::vector<ExpectedCount>& more);

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
