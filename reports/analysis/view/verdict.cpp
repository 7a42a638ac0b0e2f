#include "reports/analysis/view/verdict.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>
#include <span>

#include "core/base/units.h"
#include "core/base/whole.h"
#include "reports/analysis/figures/families.h"
#include "reports/analysis/figures/names.h"
#include "reports/analysis/rows/unmeasured.h"
#include "reports/analysis/rules/rules.h"
#include "reports/analysis/view/busy_time.h"
#include "reports/analysis/view/measure_more.h"
#include "reports/analysis/view/savings.h"
#include "reports/analysis/view/shown.h"
#include "reports/analysis/view/summary.h"

namespace coalescope::analysis {
namespace {

// A repair that saves less than this share of the GPU time is a small one.
constexpr double kWorthwhile = 0.01;
// Below this share of the kernels' time the verdict says why the rest was not measured, and what measures it.
constexpr double kNearlyAll = 0.9;
constexpr double kLittle = 0.5;
// Less of a difference between two shares is not worth a sentence.
constexpr double kNoticeable = 0.05;
// Copies made once are worth a sentence from this share of the GPU time on.
constexpr double kMuch = 0.3;

// Only where they are a large part of the run: a longer run would have no more of them.
std::string copied_once(const Report& report) {
  const std::int64_t gpu_ns = run_ns(report.totals);
  std::int64_t once_ns = 0;
  for (const TransferRow& row : report.transfers)
    if (row.bursts == 1 && row.direction != model::Direction::set)
      base::add_to(once_ns, row.gpu_ns.value_or(0));
  if (static_cast<double>(once_ns) < kMuch * static_cast<double>(gpu_ns) || gpu_ns <= 0) return {};
  return fmt::format(" Copies made once take {} of the {} of GPU time.", base::format_ns(once_ns),
                     base::format_ns(gpu_ns));
}

std::string in_place(const Finding& finding) {
  const std::string place = place_to_change(finding);
  std::string phrase = repair_phrase(finding);
  if (place.empty()) return phrase;
  if (!phrase.ends_with(')')) return phrase + " (" + place + ")";
  phrase.back() = ';';
  return phrase + " " + place + ")";
}

// Below ten in letters, as at the beginning of a sentence.
std::string in_letters(std::int64_t count, std::string_view one, std::string_view many) {
  constexpr std::array<std::string_view, 10> kLetters{"No",   "One", "Two",   "Three", "Four",
                                                      "Five", "Six", "Seven", "Eight", "Nine"};
  if (count < 0 || count >= std::ssize(kLetters)) return counted(count, one, many);
  return fmt::format("{} {}", kLetters[static_cast<std::size_t>(count)], count == 1 ? one : many);
}

std::string repairs_text(std::size_t repairs, std::int64_t saved_ns, std::int64_t gpu_ns) {
  return fmt::format("{} would save about {} of {} of GPU time ({})",
                     in_letters(static_cast<std::int64_t>(repairs), "repair", "repairs"),
                     base::format_ns(saved_ns), base::format_ns(gpu_ns),
                     base::format_share(static_cast<double>(saved_ns) / static_cast<double>(gpu_ns)));
}

// As findings are listed, which is by what is sure to be saved.
const Finding& first_listed(const Report& report, std::span<const Finding* const> findings) {
  const std::set<const Finding*> among(findings.begin(), findings.end());
  for (const auto* rows : {&report.findings, &report.hidden.findings})
    for (const Finding& finding : *rows)
      if (among.contains(&finding)) return finding;
  return *findings.front();
}

std::string of_savings(const Report& report, const Savings& savings) {
  const std::int64_t gpu_ns = std::max<std::int64_t>(1, run_ns(report.totals));
  const auto large = std::ranges::count_if(savings.repairs, [&](const Finding* each) {
    return static_cast<double>(*each->lost_ns) >= kWorthwhile * static_cast<double>(gpu_ns);
  });
  if (large == 0)
    return fmt::format("No single repair would save 1 % of the GPU time. {}; the largest is to {}.",
                       repairs_text(savings.repairs.size(), savings.gpu_ns, gpu_ns),
                       in_place(first_listed(report, savings.repairs)));
  std::int64_t large_ns = 0;
  const auto largest = std::span(savings.repairs).first(static_cast<std::size_t>(large));
  for (const Finding* each : largest) base::add_to(large_ns, *each->lost_ns);
  large_ns = std::min(large_ns, savings.gpu_ns);
  std::string text = repairs_text(static_cast<std::size_t>(large), large_ns, gpu_ns);
  text += (large == 1 ? ": " : "; the first is to ") + in_place(first_listed(report, largest)) + ".";
  if (const auto small = std::ssize(savings.repairs) - large; small > 0)
    text += fmt::format(" {} would save {} more.", in_letters(small, "smaller repair", "smaller repairs"),
                        base::format_ns(savings.gpu_ns - large_ns));
  return text;
}

std::string of_waits(const Savings& savings) {
  std::int64_t sure_ns = 0, most_ns = 0;
  for (const Finding* each : savings.waits) {
    base::add_to(sure_ns, each->least_lost_ns.value_or(*each->lost_ns));
    base::add_to(most_ns, each->most_lost_ns.value_or(*each->lost_ns));
  }
  return fmt::format(
      "{} would shorten the run by {}: {}.",
      in_letters(std::ssize(savings.waits), "change on the host", "changes on the host"),
      sure_ns == 0 ? "up to " + base::format_ns(most_ns) : "about " + base::format_ns(savings.wait_ns),
      in_place(*savings.waits.front()));
}

// In the order in which the findings are listed.
std::string of_priced(const Report& report, const Savings& savings) {
  if (savings.waits.empty()) return of_savings(report, savings);
  if (savings.repairs.empty()) return of_waits(savings);
  std::vector<const Finding*> all = savings.repairs;
  all.insert(all.end(), savings.waits.begin(), savings.waits.end());
  const std::string repairs = of_savings(report, savings), waits = of_waits(savings);
  return is_of_waits(first_listed(report, all)) ? waits + " " + repairs : repairs + " " + waits;
}

// Nothing has a price: nothing was found, or what was found cannot be priced.
std::string without_prices(const Report& report) {
  const auto findings = ranked_findings(report);
  if (findings.empty()) {
    std::string text = nothing_found(report);
    if (!report.kernels.empty() && unjudged_kernels(report) < std::ssize(report.kernels))
      text += fmt::format(
          " {} were applied to {} and {}.", counted(std::ssize(rule_catalogue()), "rule", "rules"),
          counted(report.totals.kernel_families, "kernel", "kernels"),
          counted(std::ssize(report.transfers), "class of transfers", "classes of transfers"));
    return text;
  }
  const bool none_stands_out =
      std::ranges::all_of(findings, [](const Finding& finding) { return finding.aside.has_value(); });
  return fmt::format(
      "{}, {}; the first is to {}.", in_letters(std::ssize(findings), "finding", "findings"),
      none_stands_out ? "all small, notes, or inside kernels that are not yours" : "with unknown savings",
      in_place(findings.front()));
}

// How much of the kernels' time has one kind of measurement, and why the rest has none.
struct Part {
  std::int64_t measured_ns = 0;
  std::map<model::CoverageReason, std::int64_t> reasons;  // with the time of the kernels that lack it
};

struct Coverage {
  std::int64_t all_ns = 0;
  bool untimed = false;  // kernels without a time, which are in no share
  std::vector<const KernelRow*> kernels;
  Part accesses, traffic;
  [[nodiscard]] double share(const Part& part) const {
    return all_ns > 0 ? static_cast<double>(part.measured_ns) / static_cast<double>(all_ns) : 0;
  }
};

// Measured itself, or by another shape of nearly its size.
bool is_covered(const KernelRow& row, model::Phase phase, std::int64_t measured) {
  return row.completed || measured > 0 || std::ranges::any_of(row.unmeasured, [&](const Unmeasured& missing) {
           return missing.phase == phase && missing.reason == model::CoverageReason::size_measured;
         });
}

void add_part(const KernelRow& row, model::Phase phase, std::int64_t measured, Part& part) {
  const std::int64_t gpu_ns = row.gpu_ns.value_or(0);
  if (is_covered(row, phase, measured)) return base::add_to(part.measured_ns, gpu_ns);
  for (const Unmeasured& missing : row.unmeasured)
    if (missing.phase == phase && missing.reason != model::CoverageReason::measured)
      base::add_to(part.reasons[missing.reason], gpu_ns);
}

Coverage coverage_of(const Report& report) {
  Coverage coverage;
  for (const auto* rows : {&report.kernels, &report.hidden.kernels})
    for (const KernelRow& row : *rows) {
      if (row.origin == Origin::tool) continue;  // nobody asked for their counts
      coverage.kernels.push_back(&row);
      coverage.untimed |= !row.gpu_ns;
      base::add_to(coverage.all_ns, row.gpu_ns.value_or(0));
      add_part(row, model::Phase::bytes, std::max(row.bytes_samples.measured, row.lines_samples.measured),
               coverage.accesses);
      add_part(row, model::Phase::traffic, row.traffic_samples.measured, coverage.traffic);
    }
  return coverage;
}

std::string main_reason(const Part& part) {
  const auto most =
      std::ranges::max_element(part.reasons, {}, [](const auto& reason) { return reason.second; });
  return most == part.reasons.end() ? "" : std::string(cause_of(most->first));
}

// Where accesses were counted and the hardware's counters were not read, half of the rules had nothing to
// judge.
bool lacks_traffic(const Coverage& coverage) {
  const double share = coverage.share(coverage.traffic);
  return !coverage.traffic.reasons.empty() && share < kNearlyAll &&
         share < coverage.share(coverage.accesses) - kNoticeable &&
         !coverage.traffic.reasons.contains(model::CoverageReason::phase_off);
}

std::string traffic_text(const Coverage& coverage) {
  if (!lacks_traffic(coverage)) return {};
  const std::string reason = main_reason(coverage.traffic);
  return fmt::format(" L2 and DRAM traffic was measured for {} of it{}.",
                     coverage.traffic.measured_ns == 0
                         ? "none"
                         : "only " + base::format_share(coverage.share(coverage.traffic)),
                     reason.empty() ? "" : " (" + reason + ")");
}

std::string coverage_text(const Coverage& coverage, bool any_finding) {
  const double share = coverage.share(coverage.accesses);
  const std::string reason = main_reason(coverage.accesses);
  // Without findings the text has said that nothing was counted.
  if (coverage.accesses.measured_ns == 0 && !any_finding)
    return reason.empty() ? "" : "The reason: " + reason + ".";
  if (coverage.accesses.measured_ns == 0)
    return "No access of any kernel was counted" + (reason.empty() ? "." : ": " + reason + ".");
  const std::string part = share == 1        ? "all"
                           : share >= 0.995  ? "nearly all"
                           : share < kLittle ? "only " + base::format_share(share)
                                             : base::format_share(share);
  return fmt::format("Counts cover {} of {} GPU time{}.{}", part,
                     share == 1 && coverage.untimed ? "the timed kernels'" : "the kernels'",
                     share < kNearlyAll && !reason.empty() ? " (" + reason + ")" : "",
                     traffic_text(coverage));
}

}  // namespace

std::string repair_phrase(const Finding& finding) {
  const RuleAbout& about = about_rule(finding);
  const std::string subject = shortened(finding.subject);
  std::string phrase = finding.repair;
  if (phrase.empty()) {
    if (about.id.empty()) return fmt::format("look at \"{}\" of {}", lower_first(finding.title), subject);
    phrase = about.repair;
    // "loads and stores", where the parts of a fault are one finding.
    if (!about.part.empty())
      phrase.replace(phrase.find(about.part), about.part.size(),
                     finding.title.substr(about.title.size() - about.part.size()));
  }
  constexpr std::string_view kSubject = "{}";
  if (const auto at = phrase.find(kSubject); at != std::string::npos)
    phrase.replace(at, kSubject.size(), subject);
  return phrase;
}

std::string place_to_change(const Finding& finding) {
  const bool call = finding.call_file && !finding.file;
  const auto& file = call ? finding.call_file : finding.file;
  const auto& line = call ? finding.call_line : finding.line;
  if (!file) return {};
  return line ? fmt::format("{}:{}", file_name(*file), *line) : file_name(*file);
}

RunVerdict verdict_of(const Report& report) {
  if (!report.calibration.empty()) return {"Calibration: " + outcome(report.calibration) + ".", "", {}};
  const Savings savings = savings_of(report);
  const Coverage coverage = coverage_of(report);
  RunVerdict verdict;
  const bool priced = !savings.repairs.empty() || !savings.waits.empty();
  verdict.text = priced ? of_priced(report, savings) : without_prices(report);
  if (coverage.kernels.empty() && report.transfers.empty()) return verdict;
  verdict.text += copied_once(report);
  const BusyTime busy = busy_time(report);
  // A GPU that idles most of the time has more to gain than any kernel.
  if (busy.mostly_idle)
    verdict.text = busy.text + " " + verdict.text;
  else if (!busy.text.empty())
    verdict.text += " " + busy.text;
  if (coverage.all_ns == 0) return verdict;
  verdict.coverage = coverage_text(coverage, !ranked_findings(report).empty());
  if (coverage.share(coverage.accesses) < kNearlyAll || lacks_traffic(coverage))
    verdict.command = measure_more(report, coverage.kernels, false);
  return verdict;
}

}  // namespace coalescope::analysis
