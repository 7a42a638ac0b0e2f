#pragma once
// How closely the trace follows a long run. A row costs room in the capture, and a kernel's record some
// microseconds in the target, so that only so many are taken. Up to a number of rows everything is listed,
// and up to a smaller one where they follow so fast that this slows the program down; from there on stretches
// and samples take turns:
//   counted  (stretch) kernels have no records: their launches are counted where they are made
//   timed    (sample) kernels have records, which are added up
//   listed   the 1st, 2nd, 4th, 8th, ... sample, in which everything is a row: a dozen in a day
// Used by the writer thread only.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/model/launch.h"

namespace coalescope::recorder {

enum class Turn : std::uint8_t { listed, counted, timed };

class TracePace {
 public:
  // Launches and transfers that are listed at first, and where they follow fast; nullopt: all.
  explicit TracePace(std::optional<std::int64_t> most_rows,
                     std::optional<std::int64_t> most_rows_busy = std::nullopt)
      : most_rows_(most_rows), most_rows_busy_(most_rows_busy) {}

  // `rows`: listed so far. `may_count`: every launch is seen where it is made; otherwise stretches are timed,
  // too.
  Turn turn_at(std::int64_t now_ns, std::int64_t rows, bool may_count);
  // A kernel came that has no time yet: a stretch ends, and a sample begins.
  void wake(std::int64_t now_ns);

  // Whether what began then is a row: records come later than the turn in which their kernels ran.
  [[nodiscard]] bool lists(std::int64_t start_ns) const;
  // Nothing was recorded at all between the two.
  void missed(std::int64_t began_ns, std::int64_t ended_ns);
  // Whether the run has become too long to list everything.
  [[nodiscard]] bool samples() const { return began_ns_.has_value(); }
  // In the order of time; of these only the last one may still change.
  [[nodiscard]] const std::vector<model::TraceGap>& gaps() const { return gaps_; }

 private:
  [[nodiscard]] bool is_full(std::int64_t now_ns, std::int64_t rows);
  void turn(bool sample, std::int64_t now_ns);
  void list(bool wanted, std::int64_t now_ns);
  void add_gap(std::int64_t began_ns, std::optional<std::int64_t> ended_ns);

  std::optional<std::int64_t> most_rows_;
  std::optional<std::int64_t> most_rows_busy_;
  std::int64_t seen_ns_ = 0;  // the last look, and what it saw
  std::int64_t seen_rows_ = 0;
  bool listed_ = true;
  bool sample_ = true;
  std::optional<std::int64_t> began_ns_;  // the stretch or sample
  std::uint64_t samples_ = 0;
  std::vector<model::TraceGap> gaps_;
};

}  // namespace coalescope::recorder
