#include "reports/comparison/verdict.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/view/shown.h"
#include "reports/comparison/change.h"
#include "reports/comparison/compare.h"

namespace coalescope::comparison {
namespace {

using analysis::counted;

// "2 kernels got worse (above all transpose: load sectors +5.0 %)".
std::string kernels_text(const Comparison& comparison, Judgement judgement, std::string_view what) {
  std::int64_t count = 0;
  const KernelChange* first = nullptr;
  for (const KernelChange& change : comparison.kernels) {
    if (!change.decides || change.judgement != judgement || !main_number(change)) continue;
    if (!first) first = &change;
    ++count;
  }
  if (!first) return {};
  const Number& number = *main_number(*first);
  return fmt::format("{} {} ({}{}: {} {})", counted(count, "kernel", "kernels"), what,
                     count > 1 ? "above all " : "", first->name, number.label, relative_text(number));
}

std::string matched_text(const Comparison& comparison, Match match, std::string_view what) {
  const auto count = std::ranges::count_if(comparison.kernels, [&](const KernelChange& change) {
    return change.decides && change.match == match;
  });
  return count > 0 ? fmt::format("{} {}", counted(count, "kernel", "kernels"), what) : "";
}

// "host to device transfers", "memory sets", "device memory".
std::string subject_of(const RowChange& row, std::string_view word) {
  if (row.name == name_of(model::Direction::set)) return "memory sets";
  return fmt::format("{} {}", row.name, word);
}

std::string rows_text(const std::vector<RowChange>& rows, Judgement judgement, std::string_view word) {
  const auto row = std::ranges::find(rows, judgement, &RowChange::judgement);
  if (row == rows.end()) return {};
  const auto number = std::ranges::find_if(
      row->numbers, [](const Number& each) { return !each.advice && each.judgement != Judgement::same; });
  const std::string_view label = number->key == "transfers" ? "number" : std::string_view(number->label);
  return fmt::format("{}: {} {}", subject_of(*row, word), label, relative_text(*number));
}

std::string findings_text(const Comparison& comparison, FindingState state, std::string_view what) {
  const auto count = std::ranges::count_if(comparison.findings, [&](const FindingChange& change) {
    return change.decides && change.state == state;
  });
  return count > 0 ? fmt::format("{} {}", counted(count, "finding", "findings"), what) : "";
}

std::string joined_parts(const std::vector<std::string>& parts) {
  std::string text;
  for (const auto& part : parts)
    if (!part.empty()) text += (text.empty() ? "" : "; ") + part;
  return text;
}

std::string worse_text(const Comparison& comparison) {
  return joined_parts({kernels_text(comparison, Judgement::worse, "got worse"),
                       rows_text(comparison.transfers, Judgement::worse, "transfers"),
                       rows_text(comparison.memory, Judgement::worse, "memory"),
                       findings_text(comparison, FindingState::appeared, "appeared"),
                       findings_text(comparison, FindingState::worse, "got worse")});
}

std::string better_text(const Comparison& comparison) {
  return joined_parts({kernels_text(comparison, Judgement::better, "got better"),
                       rows_text(comparison.transfers, Judgement::better, "transfers"),
                       rows_text(comparison.memory, Judgement::better, "memory"),
                       findings_text(comparison, FindingState::vanished, "vanished"),
                       findings_text(comparison, FindingState::better, "got better")});
}

std::string other_text(const Comparison& comparison) {
  return joined_parts({matched_text(comparison, Match::only_after, "new"),
                       matched_text(comparison, Match::only_before, "gone"),
                       kernels_text(comparison, Judgement::changed, "changed"),
                       rows_text(comparison.transfers, Judgement::changed, "transfers"),
                       rows_text(comparison.memory, Judgement::changed, "memory")});
}

std::string same_text(const Comparison& comparison) {
  const auto kernels = std::ranges::count_if(
      comparison.kernels, [](const KernelChange& change) { return change.shapes_compared > 0; });
  std::vector<std::string> parts;
  if (kernels > 0) parts.push_back(counted(kernels, "kernel", "kernels"));
  if (const auto count = std::ssize(comparison.transfers); count > 0)
    parts.push_back(counted(count, "class of transfers", "classes of transfers"));
  if (const auto count = std::ssize(comparison.findings); count > 0)
    parts.push_back(counted(count, "finding", "findings"));
  if (parts.empty()) return "No difference was found.";
  std::string text = parts.front();
  for (std::size_t at = 1; at < parts.size(); ++at)
    text += (at + 1 < parts.size() ? ", " : " and ") + parts[at];
  const bool one = parts.size() == 1 && text.starts_with("1 ");
  return fmt::format("No difference: {} {} the same.", text, one ? "is" : "are");
}

// Kernels that count as compared, though their bytes were not measured both times.
std::string equal_code_text(const Comparison& comparison) {
  std::int64_t count = 0;
  const KernelChange* largest = nullptr;
  for (const KernelChange& change : comparison.kernels) {
    if (change.shapes_compared > 0 || !change.equal_code.value_or(false)) continue;
    ++count;
    if (!largest || change.share.value_or(0) > largest->share.value_or(0)) largest = &change;
  }
  if (!largest) return {};
  return fmt::format(" Of {} ({}{}) only the code was compared: it is the same, and so are the shapes.",
                     counted(count, "kernel", "kernels"), count > 1 ? "above all " : "", largest->name);
}

std::string coverage_text(const Comparison& comparison) {
  if (!comparison.coverage) return {};
  if (*comparison.coverage >= kLeastCoverage)
    return fmt::format(" The kernels compared take {} of the kernels' GPU time.",
                       base::format_share(*comparison.coverage));
  return fmt::format(
      " Only kernels with {} of the kernels' GPU time were measured both times, so this says little about "
      "the rest.",
      base::format_share(*comparison.coverage));
}

}  // namespace

std::string relative_text(const Number& number) {
  const auto change = relative(number);
  if (!change) return number.before && number.after && *number.after != 0 ? "from none" : "";
  constexpr double kTimes = 10;  // percent beyond this say nothing
  if (*change >= kTimes) return "x" + base::format_count(std::llround(*change + 1));
  const double percent = std::fabs(*change) * 100;
  if (percent == 0) return "0 %";
  const char sign = *change < 0 ? '-' : '+';
  constexpr double kLeast = 0.1, kWhole = 99.95;  // as they are rounded
  if (percent < kLeast / 2) return fmt::format("under {}{} %", sign, kLeast);
  if (percent < kWhole) return fmt::format("{}{:.1f} %", sign, percent);
  // What is left of almost nothing is something.
  if (*change < 0 && *change > -1) return "more than -99.9 %";
  return fmt::format("{}{:.0f} %", sign, percent);
}

const Number* main_number(const KernelChange& change) {
  // What moves most bytes tells most; degrees and requests follow from it.
  constexpr std::array<std::string_view, 4> kFirst{"load_sectors", "store_sectors", "load_bytes",
                                                   "store_bytes"};
  const auto is_one = [&](const Number& number) {
    return !number.advice && number.judgement != Judgement::same && number.key != "launches";
  };
  for (const auto key : kFirst)
    for (const Number& number : change.numbers)
      if (number.key == key && is_one(number)) return &number;
  const auto other = std::ranges::find_if(change.numbers, is_one);
  if (other != change.numbers.end()) return &*other;
  const auto any = std::ranges::find_if(change.numbers, [](const Number& number) {
    return !number.advice && number.judgement != Judgement::same;
  });
  return any == change.numbers.end() ? nullptr : &*any;
}

void take_verdict(Comparison& comparison) {
  if (!comparison.not_comparable.empty()) {
    comparison.judgement = Judgement::changed;
    comparison.verdict = "Not comparable: " + comparison.not_comparable.front() + ".";
    return;
  }
  const std::string worse = worse_text(comparison), better = better_text(comparison),
                    other = other_text(comparison);
  comparison.judgement = !worse.empty() && !better.empty() ? Judgement::changed
                         : !worse.empty()                  ? Judgement::worse
                         : !better.empty()                 ? Judgement::better
                         : !other.empty()                  ? Judgement::changed
                                                           : Judgement::same;
  comparison.is_worse = !worse.empty();
  std::string text;
  if (!worse.empty()) text += "Worse: " + worse + ". ";
  if (!better.empty()) text += "Better: " + better + ". ";
  if (!other.empty()) text += "Changed: " + other + ". ";
  if (text.empty()) text = same_text(comparison) + " ";
  text.pop_back();
  comparison.verdict = text + coverage_text(comparison) + equal_code_text(comparison);
}

}  // namespace coalescope::comparison
