#pragma once
// Which CUPTI belongs to a program: where it may lie, in the order in which it is tried. Nothing is opened
// and no folder is listed: in the target that would take a descriptor (docs/decisions/007).

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace coalescope::cupti {

// Seen to be those of CUDA 12.6 to 13.x.
inline constexpr std::string_view kCupti13 = "libcupti.so.13";
inline constexpr std::string_view kCupti12 = "libcupti.so.12";

struct CuptiCandidate {
  std::string path;         // without a slash: the loader looks for it
  std::string_view origin;  // "beside libcudart", for a person
};

// What the search knows of the process.
struct CuptiClues {
  std::string folder;                      // that a person named; empty: none
  std::string recorded;                    // the file with which a program was recorded; empty: not known
  std::vector<std::string> loaded;         // paths of the files in memory
  std::vector<std::string> site_packages;  // of a Python that is not loaded
  int driver_major = 0;                    // CUDA's, 12 or 13; 0: not known
  std::function<std::optional<std::string>(std::string_view)> environment;
};

// Names of libcupti, the most fitting first: that of the runtime library in memory, then the newest that the
// driver can serve, then the others, which the driver may refuse.
[[nodiscard]] std::vector<std::string_view> cupti_names(const CuptiClues& clues);

// Those that may exist; nobody has looked yet.
[[nodiscard]] std::vector<CuptiCandidate> cupti_candidates(const CuptiClues& clues);

// Of this process.
[[nodiscard]] CuptiClues clues_of_process();

// "CUDA 12.8" of what cuptiGetVersion answers; "API version 25" where the list of versions has a gap.
[[nodiscard]] std::string cupti_release(std::uint32_t api_version);
// The first with the range profiler, which measures: CUDA 12.6.
inline constexpr std::uint32_t kOldestCupti = 24;

}  // namespace coalescope::cupti
