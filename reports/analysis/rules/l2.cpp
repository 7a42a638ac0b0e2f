// R01: a persisting window that the set-aside cannot hold, whose lines throw each other out. R02: lines that
// persist after their use. R03: windows of several streams that together exceed the set-aside. R04: data that
// are read from DRAM several times in one launch.

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/ratios.h"
#include "reports/analysis/rules/missing.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

constexpr double kOverSetAside = 1.05;
constexpr double kLaterShare = 0.05;  // of the launches that used the window
constexpr double kTimesRead = 1.8;
constexpr double kTimesReadUnpriced = 4;

double wanted_bytes(const model::AccessWindow& window) {
  return static_cast<double>(window.bytes) * window.hit_ratio;
}

std::string amount_text(double bytes) {
  return base::format_bytes(std::max(0.0, bytes));
}

// What the program set aside; the device's limit caps it.
std::optional<double> set_aside(const WindowSubject& subject) {
  if (!subject.row.set_aside_bytes) return std::nullopt;
  double bytes = static_cast<double>(*subject.row.set_aside_bytes);
  if (subject.device && subject.device->persisting_l2_max_bytes)
    bytes = std::min(bytes, static_cast<double>(*subject.device->persisting_l2_max_bytes));
  return bytes;
}

const char* const kNoSetAside = "how much L2 was set aside for it was not seen";

Judged over_set_aside(const WindowSubject& subject) {
  const auto aside = set_aside(subject);
  if (!aside) return not_judged(kNoSetAside);
  return judged(wanted_bytes(subject.row.window) / std::max(1.0, *aside));
}

Cost thrash_cost(const WindowSubject& subject) {
  const auto& machine = subject.machine;
  if (!machine.residency_full || !machine.residency_tuned)
    return unknown_cost("not calibrated: run 'coalescope calibrate --family C' on this GPU");
  const double region = static_cast<double>(subject.row.window.bytes);
  const auto full = profile::value_near(machine.residency_full->curve, region);
  const auto tuned = profile::value_near(machine.residency_tuned->curve, region);
  if (!full || !tuned || *tuned <= 0)
    return unknown_cost("cost unknown: regions of this size were not calibrated");
  const double share = std::max(0.0, 1 - *full / *tuned);
  return {std::llround(static_cast<double>(subject.row.gpu_ns) * share),
          fmt::format(
              "with a region of {} the reference kernel reaches {} with hitRatio 1.0 and {} with a tuned one "
              "({})",
              amount_text(region), base::format_bandwidth(*full * 1e9), base::format_bandwidth(*tuned * 1e9),
              machine.residency_full->source)};
}

std::string tuning_advice(const WindowSubject& subject) {
  const double aside = set_aside(subject).value_or(0);
  const double region = static_cast<double>(subject.row.window.bytes);
  std::string text;
  const auto most = subject.device ? subject.device->persisting_l2_max_bytes : std::nullopt;
  if (most && static_cast<double>(*most) > aside)
    text = fmt::format("Set aside up to {} (cudaLimitPersistingL2CacheSize = {}). ",
                       amount_text(static_cast<double>(*most)), *most);
  const double reached = most ? std::max(aside, static_cast<double>(*most)) : aside;
  return text + fmt::format(
                    "Keep num_bytes = {} and set hitRatio = {:.2f}, so that {} of it persist; or make the "
                    "window num_bytes = {:.0f} with hitRatio = 1.0 over the part that is used most.",
                    subject.row.window.bytes, std::min(1.0, reached / std::max(1.0, region)),
                    amount_text(std::min(reached, region)), std::min(reached, region));
}

Judged later_share(const WindowSubject& subject) {
  const WindowRow& row = subject.row;
  if (row.launches == 0)
    return row.pointers_known
               ? judged(0)
               : not_judged("where the pointers of the kernels under it lead was not recorded");
  return judged(static_cast<double>(row.later_gpu_ns) /
                static_cast<double>(std::max<std::int64_t>(1, row.gpu_ns)));
}

Judged together_over_set_aside(const WindowSubject& subject) {
  if (subject.row.other_windows == 0) return judged(0);
  const auto aside = set_aside(subject);
  if (!aside) return not_judged(kNoSetAside);
  return judged((wanted_bytes(subject.row.window) + static_cast<double>(subject.row.other_bytes)) /
                std::max(1.0, *aside));
}

Judged rereads(const KernelSubject& kernel) {
  const KernelRow& row = kernel.row;
  if (!row.dram_read_bytes) return lacks(row, model::Phase::traffic, "DRAM reads");
  const std::int64_t l2_bytes = kernel.device ? kernel.device->l2_bytes.value_or(0) : 0;
  if (*row.dram_read_bytes <= l2_bytes) return judged(0);
  if (!row.footprint_bytes) return not_judged("where its pointers lead was not recorded");
  if (*row.footprint_bytes <= 0) return judged(0);
  return judged(static_cast<double>(*row.dram_read_bytes) / static_cast<double>(*row.footprint_bytes));
}

}  // namespace

constinit const Rule<WindowSubject> kWindowOverSetAside{
    {"R01", "Residency window larger than the set-aside", "C2 C3", "num_bytes x hitRatio / L2 set aside",
     kOverSetAside, kOverSetAside, false, "C2 beyond the set-aside speaks; C2 within it and C3 do not"},
    over_set_aside,
    thrash_cost,
    [](const WindowSubject& subject) {
      return fmt::format("{} with hitRatio {:.2f} want to persist in {} that are set aside",
                         amount_text(static_cast<double>(subject.row.window.bytes)),
                         subject.row.window.hit_ratio, amount_text(set_aside(subject).value_or(0)));
    },
    tuning_advice,
    nullptr};

constinit const Rule<WindowSubject> kWindowLeftOn{
    {"R02", "Persisting lines left in L2", "C4",
     "GPU time of later kernels that do not use the window / of those that do", kLaterShare, kLaterShare,
     false, "C4 without a reset speaks; with any of the resets it does not"},
    later_share,
    [](const WindowSubject&) {
      return unknown_cost("cost unknown: it depends on how much of L2 the later kernels could use");
    },
    [](const WindowSubject& subject) {
      return fmt::format(
          "{} launches used the window; {} later ones ({}) did not, with up to {} of L2 still set apart",
          base::format_count(subject.row.launches), base::format_count(subject.row.later_launches),
          base::format_ns(subject.row.later_gpu_ns),
          amount_text(std::min(wanted_bytes(subject.row.window),
                               set_aside(subject).value_or(wanted_bytes(subject.row.window)))));
    },
    [](const WindowSubject&) {
      return std::string(
          "After its last use take the window away (num_bytes = 0) and give the lines back with "
          "cudaCtxResetPersistingL2Cache(), or go over the data once with hitProp = "
          "cudaAccessPropertyNormal.");
    },
    nullptr};

constinit const Rule<WindowSubject> kWindowsTogether{
    {"R03", "Residency windows of several streams exceed the set-aside", "C5",
     "sum of num_bytes x hitRatio over the windows in force / L2 set aside", kOverSetAside, kOverSetAside,
     false, "C5 with full hit ratios speaks, with shared ones it does not"},
    together_over_set_aside,
    [](const WindowSubject&) {
      return unknown_cost("cost unknown: it depends on which of the streams run at the same time");
    },
    [](const WindowSubject& subject) {
      return fmt::format(
          "{} windows at a time want {}; {} are set aside", subject.row.other_windows + 1,
          amount_text(wanted_bytes(subject.row.window) + static_cast<double>(subject.row.other_bytes)),
          amount_text(set_aside(subject).value_or(0)));
    },
    [](const WindowSubject& subject) {
      const double all = wanted_bytes(subject.row.window) + static_cast<double>(subject.row.other_bytes);
      const double factor = set_aside(subject).value_or(0) / std::max(1.0, all);
      return fmt::format(
          "Share the set-aside: multiply each hitRatio by {:.2f} (here {:.2f}), or let the streams take "
          "turns.",
          factor, subject.row.window.hit_ratio * factor);
    },
    nullptr};

constinit const Rule<KernelSubject> kRereads{
    {"R04", "Data read from DRAM again and again", "C1",
     "bytes read from DRAM / bytes of the allocations that its pointers lead to", kTimesRead,
     kTimesReadUnpriced, false,
     "C1: footprints beyond L2 that are gone over again speak; those within it, and single passes, do not"},
    rereads,
    [](const KernelSubject& kernel) {
      return reread_cost(kernel.row, kernel.row.footprint_bytes.value_or(0), kernel.machine);
    },
    [](const KernelSubject& kernel) {
      return fmt::format("a launch reads {} from DRAM, {} times the {} that its pointers lead to",
                         amount_text(static_cast<double>(kernel.row.dram_read_bytes.value_or(0))),
                         base::format_ratio(rereads(kernel).value.value_or(0)),
                         amount_text(static_cast<double>(kernel.row.footprint_bytes.value_or(0))));
    },
    [](const KernelSubject& kernel) {
      const std::int64_t l2 = kernel.device ? kernel.device->l2_bytes.value_or(0) : 0;
      return fmt::format(
          "Work in blocks: do everything with a part of at most {} (half of L2) before going to the "
          "next, so that it comes from DRAM once. If a part of the data is used far more often, let it "
          "persist in L2.",
          amount_text(static_cast<double>(l2) / 2));
    },
    nullptr};

}  // namespace coalescope::analysis
