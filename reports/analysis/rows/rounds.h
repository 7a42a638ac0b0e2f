#pragma once
// Rounds of upload, kernels and download, each of which waited for the one before: how many there are, which
// of the copies they are, and in which stretch of the run. Rounds that overlap others are staged already, and
// count only for the number of all.

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace coalescope::analysis {

enum class Step : std::uint8_t { kernel, upload, download, other };

struct RoundStep {
  std::int64_t start_ns = 0, end_ns = 0;
  std::int64_t bytes = 0;  // of a copy
  std::int32_t stream = 0;
  Step step = Step::other;
  bool pageable = false;  // a copy of pageable memory
  bool overlaps = false;  // it begins before all that began earlier has ended
};

// A launch that was measured: it has no time of its own.
struct MeasuredLaunch {
  std::int64_t at_ns = 0;     // when the host made it
  std::int64_t usual_ns = 0;  // what its kernel takes otherwise
};

class Rounds {
 public:
  // In the order of time.
  void add(const RoundStep& step);
  // Launches were measured here: kernels may be missing.
  void forget();

  struct Sum {
    std::int64_t rounds = 0;  // one step after the other
    std::int64_t all = 0;     // with those that overlap
    std::int64_t upload_ns = 0, kernel_ns = 0, download_ns = 0;
    bool pageable = false;
    std::int64_t began_ns = 0, ended_ns = 0;  // the first and the last of them
  };
  // `measured` in the order of time.
  [[nodiscard]] Sum sum(std::span<const MeasuredLaunch> measured);

 private:
  // A copy in each direction and the kernels between, so far.
  struct Round {
    std::int64_t upload_ns = 0, kernel_ns = 0, download_ns = 0;
    std::int64_t upload_bytes = 0, download_bytes = 0;
    std::int64_t kernels = 0;
    std::int64_t began_ns = -1, ended_ns = 0;
    bool pageable = false;
    bool broken = false;  // it began, or went on, where launches were measured
  };
  // Copies to a device and back, whatever ran between; they have times where launches are measured, too.
  struct Turn {
    std::int64_t upload_ns = 0, download_ns = 0;
    std::int64_t upload_bytes = 0, download_bytes = 0;
    std::int64_t began_ns = -1, ended_ns = 0;
    std::int32_t stream = 0;
    bool pageable = false;
    bool overlaps = false, several_streams = false;
  };
  using Bytes = std::pair<std::int64_t, std::int64_t>;  // each way

  void add_to_round(const RoundStep& step);
  void add_to_turn(const RoundStep& step);
  void count_by_stream(const RoundStep& step);
  void end_round();
  void end_turn();
  void count_alike();
  void count_by_copies(std::span<const MeasuredLaunch> measured);
  [[nodiscard]] bool is_in_turn(std::size_t turn) const;
  void stretch(std::int64_t began_ns, std::int64_t ended_ns);

  Sum sum_;
  Round round_;
  Turn turn_;
  std::map<Bytes, std::int64_t> whole_;  // rounds of which every step has a time
  std::vector<Turn> turns_;
  std::map<std::int32_t, bool> uploaded_;  // streams with an upload that no download followed
};

}  // namespace coalescope::analysis
