#include "reports/analysis/rows/rounds.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/base/whole.h"

namespace coalescope::analysis {
namespace {

// Copies below this are parameters and results, not the data of a stage.
constexpr std::int64_t kLeastStageBytes = std::int64_t{256} * 1024;
// A round of more kernels can hardly be cut into parts. Where such rounds come again and again each may run
// beside the next one.
constexpr std::int64_t kMostKernels = 4;
constexpr std::ptrdiff_t kManyRounds = 10;
// Steps that follow each other on several streams may begin a little early.
constexpr std::int64_t kHardly = 10;  // a tenth

bool hardly(std::int64_t beside_ns, std::int64_t of_ns) {
  return kHardly * beside_ns <= of_ns;
}

bool is_copy(const RoundStep& step) {
  return (step.step == Step::upload || step.step == Step::download) && step.bytes >= kLeastStageBytes;
}

}  // namespace

void Rounds::add(const RoundStep& step) {
  const bool copies = is_copy(step);
  if (!copies && step.step != Step::kernel) return;
  auto& end_ns = copies ? copy_end_ns_ : kernel_end_ns_;
  const std::int64_t other_end_ns = copies ? kernel_end_ns_ : copy_end_ns_;
  const std::int64_t busy_until_ns = std::max(end_ns, other_end_ns);
  const Ran ran{std::max<std::int64_t>(0, step.end_ns - std::max(step.start_ns, busy_until_ns)),
                std::max<std::int64_t>(0, std::min(step.end_ns, other_end_ns) - step.start_ns),
                busy_until_ns > 0 ? std::max<std::int64_t>(0, step.start_ns - busy_until_ns) : 0};
  end_ns = std::max(end_ns, step.end_ns);
  add_in_order_of_ends(step, ran);
  if (!copies) return;
  add_to_turn(step, step.start_ns < busy_until_ns);
  count_by_stream(step);
}

// The upload of the next round may begin before the last small kernel, or the download, of this one.
void Rounds::add_in_order_of_ends(const RoundStep& step, Ran ran) {
  if (longer_ && step.end_ns < longer_->first.end_ns) return add_to_round(step, ran);
  const auto before = std::exchange(longer_, std::pair(step, ran));
  if (before) add_to_round(before->first, before->second);
}

void Rounds::forget() {
  longer_.reset();
  round_ = last_ = {};
  round_.broken = true;
}

// Upload, kernels, download: an upload after anything else begins the next round, and so does a kernel after
// a download.
Rounds::Round& Rounds::round_of(const RoundStep& step) {
  const bool is_kernel = step.step == Step::kernel, is_upload = step.step == Step::upload;
  const bool is_late = !is_kernel && !is_upload && round_.kernels == 0 && last_.kernels > 0;
  if (is_late && last_.download_ns == 0) return last_;
  if (is_kernel ? round_.download_ns > 0 : is_upload && round_.kernels + round_.download_ns > 0)
    begin_round();
  if (round_.began_ns < 0) round_.began_ns = step.start_ns;
  return round_;
}

void Rounds::add_to_round(const RoundStep& step, Ran ran) {
  Round& round = round_of(step);
  const std::int64_t ns = step.end_ns - step.start_ns;
  round.busy_ns += ran.alone_ns;
  round.beside_ns += ran.beside_ns;
  round.idle_ns += ran.idle_ns;
  round.ended_ns = step.end_ns;
  const std::pair in_stream(step.stream, step.kernel);
  if (std::ranges::find(round.streams, in_stream) == round.streams.end()) round.streams.push_back(in_stream);
  if (step.step == Step::kernel) {
    round.kernel_ns += ns;
    ++round.kernels;
    return;
  }
  const bool up = step.step == Step::upload;
  if (up && round.upload_ns == 0) round.queued = step.queued;
  (up ? round.upload_ns : round.download_ns) += ns;
  (up ? round.upload_bytes : round.download_bytes) += step.bytes;
  round.pageable = round.pageable || step.pageable;
}

void Rounds::begin_round() {
  count(last_);
  last_ = std::exchange(round_, {});
}

void Rounds::count(const Round& round) {
  const std::int64_t copies_ns = round.upload_ns + round.download_ns;
  if (copies_ns == 0 || round.broken || round.kernels == 0) return;
  if (!hardly(round.beside_ns, std::min(copies_ns, round.kernel_ns))) return;
  if (round.kernels <= kMostKernels || long_ones_count_) return add_to_sum(round);
  long_.push_back(round);
  if (std::ssize(long_) < kManyRounds) return;
  long_ones_count_ = true;
  for (const Round& each : long_) add_to_sum(each);
}

void Rounds::add_to_sum(const Round& round) {
  ++sum_.rounds;
  ++whole_[{round.upload_bytes, round.download_bytes}];
  sum_.upload_ns += round.upload_ns;
  sum_.kernel_ns += round.kernel_ns;
  sum_.download_ns += round.download_ns;
  sum_.busy_ns += round.busy_ns;
  sum_.idle_ns += round.idle_ns;
  sum_.pageable = sum_.pageable || round.pageable;
  queued_ += round.queued ? 1 : 0;
  for (const auto& in_stream : round.streams) ++in_streams_[in_stream];
  stretch(round.began_ns, round.ended_ns);
}

void Rounds::add_to_turn(const RoundStep& step, bool overlaps) {
  const bool up = step.step == Step::upload;
  if (up && turn_.download_bytes > 0) end_turn();
  if (turn_.began_ns < 0) {
    turn_.began_ns = step.start_ns;
    turn_.stream = step.stream;
  }
  turn_.ended_ns = step.end_ns;
  turn_.overlaps = turn_.overlaps || overlaps;
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

// Streams of a few rounds only, as of the set-up, do not count.
void Rounds::look_at_streams() {
  std::set<std::int32_t> copies;
  std::map<std::int32_t, std::int32_t> kernels;  // by stream, one of them
  for (const auto& [in_stream, rounds] : in_streams_) {
    if (hardly(rounds, sum_.rounds)) continue;
    const auto& [stream, kernel] = in_stream;
    if (kernel < 0)
      copies.insert(stream);
    else
      kernels.emplace(stream, kernel);
  }
  sum_.several_streams = copies.size() > 1;
  const auto has_copies = [&](const auto& each) { return copies.contains(each.first); };
  const auto beside_copies = std::ranges::count_if(kernels, has_copies);
  if (!sum_.several_streams || beside_copies == 0 || std::ssize(kernels) != beside_copies + 1) return;
  sum_.kernel_apart = std::ranges::find_if_not(kernels, has_copies)->second;
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
  for (auto* ns : {&sum_.upload_ns, &sum_.kernel_ns, &sum_.download_ns, &sum_.busy_ns, &sum_.idle_ns})
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
    sum_.busy_ns += turn.upload_ns + kernel_ns + turn.download_ns;
    sum_.pageable = sum_.pageable || turn.pageable;
    stretch(turn.began_ns, turn.ended_ns);
  }
}

Rounds::Sum Rounds::sum(std::span<const MeasuredLaunch> measured) {
  if (longer_) add_to_round(longer_->first, longer_->second);
  begin_round();
  begin_round();
  end_turn();
  sum_.queued = 2 * queued_ > sum_.rounds;
  if (sum_.rounds > 0)
    count_alike();
  else
    count_by_copies(measured);
  look_at_streams();
  // Rounds whose copies are in streams of their own belong to none.
  sum_.all = std::max(sum_.all, sum_.rounds);
  return sum_;
}

}  // namespace coalescope::analysis
