#include "reports/comparison/kernels.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/judge/findings.h"
#include "reports/analysis/view/view.h"
#include "reports/comparison/change.h"
#include "reports/comparison/match.h"
#include "reports/comparison/row_counts.h"

namespace coalescope::comparison {
namespace {

using analysis::KernelFamily;
using analysis::KernelRow;
using analysis::Report;
using analysis::Show;

constexpr double kSectorBytes = static_cast<double>(analysis::kSectorBytes);

bool measured(const RowPair& pair) {
  return pair.before->load.sectors && pair.after->load.sectors && !pair.before->completed &&
         !pair.after->completed;
}

// One count over all shapes. Each is judged by itself, with the noise of its own launches.
struct Sum {
  double before = 0, after = 0, noise = 0;
  double changed = 0;  // in the shapes in which it changed
  Judgement judgement = Judgement::same;
  bool known = false;
};

Sum sum_of(const std::vector<RowPair>& pairs, const RowCount& count, std::optional<double> noise) {
  Sum sum;
  for (const RowPair& pair : pairs) {
    const auto before = count.value(*pair.before), after = count.value(*pair.after);
    if (!before || !after) continue;
    const double launches = static_cast<double>(pair.before->launches);
    double allowed = noise ? *noise : noise_of(pair.before->sector_spread, pair.after->sector_spread);
    if (count.scale == Scale::itself) allowed = std::max(allowed, kOneLaunch);
    const double least = std::max(least_change(count, *pair.before), least_change(count, *pair.after));
    sum.known = true;
    sum.before += launches * analysis::real(before);
    sum.after += launches * analysis::real(after);
    sum.noise = std::max(sum.noise, allowed);
    const Judgement judgement = judge(analysis::real(before), analysis::real(after), allowed, least);
    if (judgement == Judgement::same) continue;
    sum.changed += launches * (analysis::real(after) - analysis::real(before));
    sum.judgement = both(sum.judgement, judgement);
  }
  // Shapes that got better and others that got worse: what all of them move tells.
  if (sum.judgement == Judgement::changed && sum.changed != 0)
    sum.judgement = sum.changed > 0 ? Judgement::worse : Judgement::better;
  return sum;
}

Number number_of(const RowCount& count, const Sum& sum) {
  Number number{.key = std::string(count.key), .label = std::string(count.label), .show = count.show};
  if (sum.known) {
    number.before = sum.before;
    number.after = sum.after;
  }
  number.noise = sum.noise;
  number.judgement = sum.judgement;
  return number;
}

const Number* find(const std::vector<Number>& numbers, std::string_view key) {
  const auto found = std::ranges::find(numbers, key, &Number::key);
  return found == numbers.end() ? nullptr : &*found;
}

// It changed if the bytes or sectors did that it is made of; less is worse.
void add_degree(std::vector<Number>& numbers, const std::string& access) {
  const Number *bytes = find(numbers, access + "_bytes"), *sectors = find(numbers, access + "_sectors");
  if (!bytes || !sectors || !bytes->before || !sectors->before || *sectors->before <= 0 ||
      *sectors->after <= 0)
    return;
  Number degree{
      .key = access + "_degree", .label = "degree of coalescing of " + access + "s", .show = Show::share};
  degree.before = *bytes->before / (kSectorBytes * *sectors->before);
  degree.after = *bytes->after / (kSectorBytes * *sectors->after);
  if (bytes->judgement != Judgement::same || sectors->judgement != Judgement::same)
    degree.judgement = judge(-*degree.before, -*degree.after, kLeastShare);
  numbers.push_back(std::move(degree));
}

std::optional<double> time_of(const std::vector<RowPair>& pairs, const KernelRow* RowPair::*side) {
  double ns = 0;
  for (const RowPair& pair : pairs) {
    if (!pair.before->median_gpu_ns || !pair.after->median_gpu_ns) continue;
    ns += static_cast<double>(pair.before->launches) * analysis::real((pair.*side)->median_gpu_ns);
  }
  return ns > 0 ? std::optional(ns) : std::nullopt;
}

void add_advice(std::vector<Number>& numbers, const std::vector<RowPair>& compared,
                const std::vector<RowPair>& all, double least_ns) {
  for (const NoisyCount& each : noisy_counts()) {
    Number number = number_of(each.count, sum_of(compared, each.count, each.noise));
    number.judgement = judge(number.before, number.after, each.noise);
    number.advice = true;
    if (number.before) numbers.push_back(std::move(number));
  }
  Number time{.key = "gpu_ns", .label = "GPU time", .show = Show::ns};
  time.before = time_of(all, &RowPair::before);
  time.after = time_of(all, &RowPair::after);
  time.noise = kTimeNoise;
  time.advice = true;
  time.judgement = judge(time.before, time.after, kTimeNoise, least_ns);
  if (time.before) numbers.push_back(std::move(time));
}

Number launches_of(const KernelFamily& before, const KernelFamily& after, double noise) {
  Number number{.key = "launches", .label = "launches", .show = Show::count};
  number.before = static_cast<double>(before.launches);
  number.after = static_cast<double>(after.launches);
  number.noise = noise;
  if (judge(number.before, number.after, number.noise) != Judgement::same)
    number.judgement = Judgement::changed;
  return number;
}

Judgement judgement_of(const KernelChange& change) {
  Judgement counts = Judgement::same, launches = Judgement::same;
  for (const Number& number : change.numbers) {
    if (number.advice) continue;
    Judgement& kind = number.key == "launches" ? launches : counts;
    kind = both(kind, number.judgement);
  }
  if (counts == Judgement::changed && change.more_bytes != 0)
    counts = change.more_bytes > 0 ? Judgement::worse : Judgement::better;
  return counts == Judgement::same ? launches : counts;
}

double more_bytes(const std::vector<RowPair>& pairs) {
  double sectors = 0;
  for (const RowPair& pair : pairs)
    sectors +=
        static_cast<double>(pair.before->launches) * (sectors_of(*pair.after) - sectors_of(*pair.before));
  return sectors * kSectorBytes;
}

std::optional<bool> equal_code(const std::vector<RowPair>& pairs) {
  std::optional<bool> equal;
  for (const RowPair& pair : pairs)
    if (pair.before->code_crc && pair.after->code_crc && pair.before->grid == pair.after->grid)
      equal = equal.value_or(true) && pair.before->code_crc == pair.after->code_crc;
  return equal;
}

std::string why_not(const KernelChange& change, const std::vector<RowPair>& shapes) {
  if (change.match == Match::only_before) return "the capture after has no such kernel";
  if (change.match == Match::only_after) return "the capture before has no such kernel";
  if (shapes.empty()) return "it was launched with other shapes";
  const auto has = [&](const KernelRow* RowPair::*side) {
    return std::ranges::any_of(shapes,
                               [&](const RowPair& pair) { return (pair.*side)->load.sectors.has_value(); });
  };
  if (!has(&RowPair::after)) return "its bytes were not measured after";
  return has(&RowPair::before) ? "no shape was measured both times" : "its bytes were not measured before";
}

class KernelComparer {
 public:
  KernelComparer(const Report& before, const Report& after)
      : before_(before),
        after_(after),
        before_rows_(analysis::kernels_by_id(before)),
        after_rows_(analysis::kernels_by_id(after)),
        least_ns_(least_time(before)) {}

  [[nodiscard]] KernelChange change(const FamilyPair& pair) const {
    KernelChange change;
    change.match = pair.match;
    change.before_family = pair.before;
    change.after_family = pair.after;
    const KernelFamily* before = pair.before ? &before_.kernel_families[*pair.before] : nullptr;
    const KernelFamily* after = pair.after ? &after_.kernel_families[*pair.after] : nullptr;
    const KernelFamily& shown = after ? *after : *before;
    const KernelRow& row = *(after ? after_rows_ : before_rows_).at(shown.kernel_ids.front());
    change.name = shown.name;
    change.call_site = row.call_site;
    if (before && after && before->name != after->name) change.before_name = before->name;
    if (before) change.share = before->share, change.shapes_before = before->shapes;
    if (after) change.share = std::max(change.share, after->share), change.shapes_after = after->shapes;
    // One that came or went tells only where it takes time; of others any difference in counts does.
    const double least = before && after ? analysis::kLeastSubjectShare : analysis::kLeastShareOfRun;
    change.decides = row.origin != analysis::Origin::tool && change.share.value_or(0) >= least;
    if (before && after)
      take_numbers(change, *before, *after);
    else
      change.judgement = Judgement::changed, change.not_compared = why_not(change, {});
    return change;
  }

 private:
  void take_numbers(KernelChange& change, const KernelFamily& before, const KernelFamily& after) const {
    const auto shapes = match_rows(before_rows_, before, after_rows_, after);
    std::vector<RowPair> compared;
    std::ranges::copy_if(shapes, std::back_inserter(compared), measured);
    change.shapes_compared = std::ssize(compared);
    // A cubin may hold both of two kernels.
    if (before.full_name == after.full_name) change.equal_code = equal_code(shapes);
    change.numbers.push_back(launches_of(before, after, number_noise(before_, after_)));
    if (compared.empty()) change.not_compared = why_not(change, shapes);
    for (const RowCount& count : row_counts())
      if (Number number = number_of(count, sum_of(compared, count, std::nullopt)); number.before)
        change.numbers.push_back(std::move(number));
    add_degree(change.numbers, "load");
    add_degree(change.numbers, "store");
    add_advice(change.numbers, compared, shapes, least_ns_);
    change.more_bytes = more_bytes(compared);
    change.judgement = judgement_of(change);
  }

  const Report &before_, &after_;
  Rows before_rows_, after_rows_;
  double least_ns_;
};

}  // namespace

std::vector<KernelChange> compare_kernels(const Report& before, const Report& after) {
  const KernelComparer comparer(before, after);
  std::vector<KernelChange> changes;
  for (const FamilyPair& pair : match_families(before, after)) changes.push_back(comparer.change(pair));
  const auto key = [](const KernelChange& change) {
    const bool changed = change.judgement != Judgement::same;
    return std::tuple(!(changed && change.decides), !changed, changed ? -std::fabs(change.more_bytes) : 0.0,
                      -change.share.value_or(0));
  };
  std::ranges::stable_sort(changes, {}, key);
  return changes;
}

}  // namespace coalescope::comparison
