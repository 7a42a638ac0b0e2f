#include "reports/analysis/rows/rounds.h"

#include <algorithm>

#include "core/base/whole.h"

namespace coalescope::analysis {
namespace {

// Copies below this are parameters and results, not the data of a stage.
constexpr std::int64_t kLeastStageBytes = std::int64_t{256} * 1024;
// With more kernels between the copies than these, most of them do not touch what was copied last.
constexpr std::int64_t kMostKernels = 4;

bool is_copy(const RoundStep& step) {
  return (step.step == Step::upload || step.step == Step::download) && step.bytes >= kLeastStageBytes;
}

}  // namespace

void Rounds::add(const RoundStep& step) {
  add_to_round(step);
  if (!is_copy(step)) return;
  add_to_turn(step);
  count_by_stream(step);
}

void Rounds::forget() {
  round_ = {};
  round_.broken = true;
}

// Upload, kernels, download: an upload after anything else begins the next round. What runs beside another
// operation is staged already.
void Rounds::add_to_round(const RoundStep& step) {
  if (step.overlaps) {
    round_ = {};
    return;
  }
  const std::int64_t ns = step.end_ns - step.start_ns;
  const bool is_kernel = step.step == Step::kernel;
  if (!is_kernel && !is_copy(step)) return;
  if (is_kernel && round_.download_ns > 0) end_round();
  if (step.step == Step::upload && round_.kernel_ns + round_.download_ns > 0) end_round();
  if (round_.began_ns < 0) round_.began_ns = step.start_ns;
  round_.ended_ns = step.end_ns;
  if (is_kernel) {
    round_.kernel_ns += ns;
    ++round_.kernels;
    return;
  }
  const bool up = step.step == Step::upload;
  (up ? round_.upload_ns : round_.download_ns) += ns;
  (up ? round_.upload_bytes : round_.download_bytes) += step.bytes;
  round_.pageable = round_.pageable || step.pageable;
}

void Rounds::end_round() {
  const bool moves = round_.upload_ns + round_.download_ns > 0;
  if (moves && !round_.broken && round_.kernels > 0 && round_.kernels <= kMostKernels) {
    ++sum_.rounds;
    ++whole_[{round_.upload_bytes, round_.download_bytes}];
    sum_.upload_ns += round_.upload_ns;
    sum_.kernel_ns += round_.kernel_ns;
    sum_.download_ns += round_.download_ns;
    sum_.pageable = sum_.pageable || round_.pageable;
    stretch(round_.began_ns, round_.ended_ns);
  }
  round_ = {};
}

void Rounds::add_to_turn(const RoundStep& step) {
  const bool up = step.step == Step::upload;
  if (up && turn_.download_bytes > 0) end_turn();
  if (turn_.began_ns < 0) {
    turn_.began_ns = step.start_ns;
    turn_.stream = step.stream;
  }
  turn_.ended_ns = step.end_ns;
  turn_.overlaps = turn_.overlaps || step.overlaps;
  turn_.several_streams = turn_.several_streams || step.stream != turn_.stream;
  turn_.pageable = turn_.pageable || step.pageable;
  (up ? turn_.upload_ns : turn_.download_ns) += step.end_ns - step.start_ns;
  (up ? turn_.upload_bytes : turn_.download_bytes) += step.bytes;
}

void Rounds::end_turn() {
  if (turn_.upload_bytes > 0 && turn_.download_bytes > 0) turns_.push_back(turn_);
  turn_ = {};
}

void Rounds::count_by_stream(const RoundStep& step) {
  bool& uploaded = uploaded_[step.stream];
  if (step.step == Step::download && uploaded) ++sum_.all;
  uploaded = step.step == Step::upload;
}

void Rounds::stretch(std::int64_t began_ns, std::int64_t ended_ns) {
  sum_.began_ns = sum_.began_ns == 0 ? began_ns : std::min(sum_.began_ns, began_ns);
  sum_.ended_ns = std::max(sum_.ended_ns, ended_ns);
}

// Rounds that measuring broke up are like the whole ones where their copies are, and where all are alike.
void Rounds::count_alike() {
  if (whole_.size() != 1) return;
  std::int64_t alike = 0;
  std::vector<const Turn*> list;
  for (const Turn& turn : turns_)
    if (!turn.overlaps && Bytes(turn.upload_bytes, turn.download_bytes) == whole_.begin()->first) {
      ++alike;
      list.push_back(&turn);
    }
  if (alike <= sum_.rounds) return;
  const double times = static_cast<double>(alike) / static_cast<double>(sum_.rounds);
  sum_.rounds = alike;
  for (auto* ns : {&sum_.upload_ns, &sum_.kernel_ns, &sum_.download_ns})
    *ns = base::whole(static_cast<double>(*ns) * times);
  for (const Turn* turn : list) stretch(turn->began_ns, turn->ended_ns);
}

// Measuring takes operations apart that would overlap otherwise, but never those of one stream: its next
// round waits for this one, whoever looks on.
bool Rounds::is_in_turn(std::size_t at) const {
  const Turn& turn = turns_[at];
  const auto follows = [&](const Turn& other) {
    return !other.several_streams && other.stream == turn.stream;
  };
  return !turn.overlaps && !turn.several_streams && (at == 0 || follows(turns_[at - 1])) &&
         (at + 1 == turns_.size() || follows(turns_[at + 1]));
}

// Where every round was measured: copies have times, and kernels take what they take otherwise.
void Rounds::count_by_copies(std::span<const MeasuredLaunch> measured) {
  auto launch = measured.begin();
  for (std::size_t i = 0; i < turns_.size(); ++i) {
    const Turn& turn = turns_[i];
    while (launch != measured.end() && launch->at_ns < turn.began_ns) ++launch;
    std::int64_t kernels = 0, kernel_ns = 0;
    for (; launch != measured.end() && launch->at_ns < turn.ended_ns; ++launch, ++kernels)
      kernel_ns += launch->usual_ns;
    if (kernels == 0 || kernels > kMostKernels || !is_in_turn(i)) continue;
    ++sum_.rounds;
    sum_.upload_ns += turn.upload_ns;
    sum_.kernel_ns += kernel_ns;
    sum_.download_ns += turn.download_ns;
    sum_.pageable = sum_.pageable || turn.pageable;
    stretch(turn.began_ns, turn.ended_ns);
  }
}

Rounds::Sum Rounds::sum(std::span<const MeasuredLaunch> measured) {
  end_round();
  end_turn();
  if (sum_.rounds > 0)
    count_alike();
  else
    count_by_copies(measured);
  // Rounds whose copies are in streams of their own belong to none.
  sum_.all = std::max(sum_.all, sum_.rounds);
  return sum_;
}

}  // namespace coalescope::analysis
