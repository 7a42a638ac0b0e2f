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

bool completed(const RowPair::Side& side) {
  return std::ranges::any_of(side, &KernelRow::completed);
}

std::optional<double> spread_of(const RowPair::Side& side) {
  std::optional<double> spread = side.front()->launch_spread;
  for (const KernelRow* row : side)
    spread = spread && row->launch_spread ? std::max(spread, row->launch_spread) : std::nullopt;
  return spread;
}

double allowed_noise(const RowPair& pair, const RowCount& count, std::optional<double> given) {
  double noise = given ? *given : noise_of(spread_of(pair.before), spread_of(pair.after));
  const bool pooled =
      pair.before.size() > 1 || pair.after.size() > 1;  // one launch may be with the wrong ones
  if (count.scale == Scale::itself || pooled) noise = std::max(noise, kOneLaunch);
  return noise + missing_noise(pair.before, count.value) + missing_noise(pair.after, count.value);
}

struct Values {
  std::optional<double> before, after;
  bool at_least = false;  // one of them is so much or more
};

// Of launches that were not measured one thing is certain: they count nothing or more. Where the measured
// ones alone count more than the other capture does, that tells.
Values values_of(const RowPair& pair, const RowCount& count, std::optional<double> noise) {
  Values values{per_launch(pair.before, count.value), per_launch(pair.after, count.value)};
  if (values.before.has_value() == values.after.has_value()) return values;
  auto& missing = values.before ? values.after : values.before;
  const auto least = at_least(values.before ? pair.after : pair.before, count.value);
  const double known = *(values.before ? values.before : values.after);
  values.at_least = judge(known, least, allowed_noise(pair, count, noise)) == Judgement::worse;
  if (values.at_least) missing = least;
  return values;
}

bool measured(const RowPair& pair) {
  const RowCount& sectors = *std::ranges::find(row_counts(), "load_sectors", &RowCount::key);
  const Values values = values_of(pair, sectors, std::nullopt);
  return values.before && values.after && !completed(pair.before) && !completed(pair.after);
}

// One recording noticed that launches do several things, the other did not: whether its few measured launches
// may have been those that do what it counted.
bool by_chance(const RowPair& pair, const RowCount& count, double noise) {
  constexpr double kLeastChance = 0.01;
  if ((pair.before.size() == 1) == (pair.after.size() == 1)) return false;
  const KernelRow& one = *(pair.before.size() == 1 ? pair.before : pair.after).front();
  const auto& several = pair.before.size() == 1 ? pair.after : pair.before;
  RowPair::Side same;
  const auto known = count.value(one);
  std::ranges::copy_if(several, std::back_inserter(same), [&](const KernelRow* row) {
    const auto value = count.value(*row);
    return !value || judge(analysis::real(known), analysis::real(value), noise) == Judgement::same;
  });
  const double share = static_cast<double>(launches_of(same)) /
                       static_cast<double>(std::max<std::int64_t>(1, launches_of(several)));
  const auto launches = std::max({one.bytes_samples.measured, one.lines_samples.measured,
                                  one.traffic_samples.measured, one.hits_samples.measured});
  return std::pow(share, launches) > kLeastChance;
}

// One count over all shapes. Each is judged by itself, with the noise of its own launches.
struct Sum {
  double before = 0, after = 0, noise = 0;
  double changed = 0;  // in the shapes in which it changed
  Judgement judgement = Judgement::same;
  bool known = false, at_least = false;
};

Sum sum_of(const std::vector<RowPair>& pairs, const RowCount& count, std::optional<double> noise) {
  Sum sum;
  for (const RowPair& pair : pairs) {
    const auto [before, after, at_least] = values_of(pair, count, noise);
    if (!before || !after) continue;
    sum.at_least = sum.at_least || at_least;
    const auto launches = static_cast<double>(launches_of(pair.before));
    const double allowed = allowed_noise(pair, count, noise);
    const double least = std::max(least_change(count, pair.before), least_change(count, pair.after));
    sum.known = true;
    sum.before += launches * *before;
    sum.after += launches * *after;
    sum.noise = std::max(sum.noise, allowed);
    const Judgement judgement = judge(before, after, allowed, least);
    if (judgement == Judgement::same || by_chance(pair, count, allowed)) continue;
    sum.changed += launches * (*after - *before);
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
  if (sum.at_least) number.label += " (at least)";
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

std::optional<double> time_of(const std::vector<RowPair>& pairs, RowPair::Side RowPair::*side) {
  const auto time = [](const KernelRow& row) { return row.median_gpu_ns; };
  double ns = 0;
  for (const RowPair& pair : pairs) {
    if (!per_launch(pair.before, time) || !per_launch(pair.after, time)) continue;
    ns += static_cast<double>(launches_of(pair.before)) * *per_launch(pair.*side, time);
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

Number launches_number(const KernelFamily& before, const KernelFamily& after, double noise) {
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
        static_cast<double>(launches_of(pair.before)) * (sectors_of(pair.after) - sectors_of(pair.before));
  return sectors * kSectorBytes;
}

std::optional<bool> equal_code(const std::vector<RowPair>& pairs) {
  std::optional<bool> equal;
  for (const auto& [before, after] : pairs)
    for (const KernelRow* row : after)
      if (before.front()->code_crc && row->code_crc && before.front()->grid == row->grid)
        equal = equal.value_or(true) && before.front()->code_crc == row->code_crc;
  return equal;
}

std::string why_not(const KernelChange& change, const std::vector<RowPair>& shapes) {
  if (change.match == Match::only_before) return "the capture after has no such kernel";
  if (change.match == Match::only_after) return "the capture before has no such kernel";
  if (shapes.empty()) return "it was launched with other shapes";
  const auto has = [&](RowPair::Side RowPair::*side) {
    return std::ranges::any_of(shapes, [&](const RowPair& pair) {
      return std::ranges::any_of(pair.*side,
                                 [](const KernelRow* row) { return row->load.sectors.has_value(); });
    });
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
    change.numbers.push_back(launches_number(before, after, number_noise(before_, after_)));
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
