#pragma once
// Rounds of upload, kernels and download, in which kernels hardly run beside copies: how many there are,
// which of the copies they are, and in which stretch of the run. Rounds whose kernels do are staged already,
// and count only for the number of all. The download of a round may run beside the upload of the next one.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace coalescope::analysis {

enum class Step : std::uint8_t { kernel, upload, download, other };

struct RoundStep {
  std::int64_t start_ns = 0, end_ns = 0;
  std::int64_t bytes = 0;  // of a copy
  std::int32_t stream = 0;
  std::int32_t kernel = -1;  // its group
  Step step = Step::other;
  bool pageable = false;  // a copy of pageable memory
  bool queued = false;    // the host queued it before what ran before it had ended
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
    std::int64_t busy_ns = 0;  // as the three together, but what ran at once counts once
    std::int64_t idle_ns = 0;  // before and between their steps
    bool pageable = false;
    bool queued = false;             // most began with an upload that was
    bool several_streams = false;    // their copies are in
    std::int32_t kernel_apart = -1;  // in a stream of no copy, where others are in those of the copies
    std::int64_t began_ns = 0, ended_ns = 0;  // the first and the last of them
  };
  // `measured` in the order of time.
  [[nodiscard]] Sum sum(std::span<const MeasuredLaunch> measured);

 private:
  // A step: its part in which nothing that began before it ran, that beside steps of the other kind, and how
  // long nothing ran before it.
  struct Ran {
    std::int64_t alone_ns = 0, beside_ns = 0, idle_ns = 0;
  };
  // A copy in each direction and the kernels between, so far.
  struct Round {
    std::int64_t upload_ns = 0, kernel_ns = 0, download_ns = 0;
    std::int64_t busy_ns = 0, beside_ns = 0, idle_ns = 0;
    std::int64_t upload_bytes = 0, download_bytes = 0;
    std::int64_t kernels = 0;
    std::int64_t began_ns = -1, ended_ns = 0;
    bool pageable = false;
    bool queued = false;  // its first upload
    bool broken = false;  // it began, or went on, where launches were measured
    std::vector<std::pair<std::int32_t, std::int32_t>> streams;  // of its steps, with the kernel or -1
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

  void add_in_order_of_ends(const RoundStep& step, Ran ran);
  void add_to_round(const RoundStep& step, Ran ran);
  [[nodiscard]] Round& round_of(const RoundStep& step);
  void add_to_turn(const RoundStep& step, bool overlaps);
  void count_by_stream(const RoundStep& step);
  void look_at_streams();
  void begin_round();
  void count(const Round& round);
  void add_to_sum(const Round& round);
  void end_turn();
  void count_alike();
  void count_by_copies(std::span<const MeasuredLaunch> measured);
  [[nodiscard]] bool is_in_turn(std::size_t turn) const;
  void stretch(std::int64_t began_ns, std::int64_t ended_ns);

  Sum sum_;
  std::int64_t queued_ = 0;  // rounds
  Round round_;
  Round last_;                                       // whose download may come after the upload of `round_`
  std::optional<std::pair<RoundStep, Ran>> longer_;  // than what began after it
  std::int64_t kernel_end_ns_ = 0, copy_end_ns_ = 0;
  Turn turn_;
  std::vector<Round> long_;  // of many kernels, while these are few
  bool long_ones_count_ = false;
  std::map<Bytes, std::int64_t> whole_;  // rounds of which every step has a time
  std::vector<Turn> turns_;
  std::map<std::int32_t, bool> uploaded_;  // streams with an upload that no download followed
  std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t> in_streams_;  // rounds, as Round::streams
};

}  // namespace coalescope::analysis
