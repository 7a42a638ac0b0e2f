// R01: a persisting window that the set-aside cannot hold, whose lines throw each other out. R02: lines that
// persist after their use. R03: windows of several streams that together exceed the set-aside. R04: data that
// are read from DRAM several times in one launch.

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "core/base/units.h"
#include "core/base/whole.h"
#include "reports/analysis/ratios.h"
#include "reports/analysis/rules/missing.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

constexpr double kOverSetAside = 1.05;
// Memory that fits into L2 comes from DRAM once a launch at most; a quarter for what counters differ by.
constexpr double kTimesReadAfter = 1.3;
// An array up to this part of L2 comes from there when it is read again (C1: 46 of 50 MiB on an H100).
constexpr double kFitsL2 = 0.9;
constexpr std::size_t kMostNamed = 3;  // kernels in a sentence
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

Measure over_set_aside(const WindowSubject& subject) {
  const auto aside = set_aside(subject);
  if (!aside) return not_measured(kNoSetAside);
  return measured(wanted_bytes(subject.row.window) / std::max(1.0, *aside));
}

Cost thrash_cost(const WindowSubject& subject) {
  const auto& window = subject.row.window;
  Cost cost = thrashing_cost(subject.users, {static_cast<double>(window.bytes), wanted_bytes(window)},
                             subject.machine);
  cost.of_ns = gpu_ns_of(subject.users);
  return cost;
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

double left_bytes(const WindowSubject& subject) {
  const double wanted = wanted_bytes(subject.row.window);
  return std::min(wanted, set_aside(subject).value_or(wanted));
}

double l2_bytes(const WindowSubject& subject) {
  return subject.device ? static_cast<double>(subject.device->l2_bytes.value_or(0)) : 0;
}

double times_read(const KernelRow& row) {
  return static_cast<double>(row.dram_read_bytes.value_or(0)) /
         std::max(1.0, static_cast<double>(row.footprint_bytes.value_or(0)));
}

// What would stay in L2 but for the lines that are left there.
bool would_fit(const KernelRow& row, const WindowSubject& subject) {
  const double bytes = static_cast<double>(row.footprint_bytes.value_or(0));
  return bytes <= kFitsL2 * l2_bytes(subject) && bytes > kFitsL2 * (l2_bytes(subject) - left_bytes(subject));
}

std::vector<KernelUse> sufferers(const WindowSubject& subject) {
  std::vector<KernelUse> list;
  for (const KernelUse& use : subject.later)
    if (would_fit(*use.kernel, subject) && times_read(*use.kernel) >= kTimesReadAfter) list.push_back(use);
  return list;
}

Measure read_again_after(const WindowSubject& subject) {
  if (subject.row.launches == 0)
    return subject.row.pointers_known
               ? measured(0)
               : not_measured("where the pointers of the kernels under it lead was not recorded");
  double most = 0;
  for (const KernelUse& use : sufferers(subject)) most = std::max(most, times_read(*use.kernel));
  if (most > 0) return measured(most);
  for (const KernelUse& use : subject.later) {
    if (!use.kernel->footprint_bytes)
      return not_measured("where the pointers of later kernels lead was not recorded");
    if (would_fit(*use.kernel, subject) && !use.kernel->dram_read_bytes)
      return not_measured("what later kernels read from DRAM was not measured");
  }
  return measured(0);
}

Cost left_cost(const WindowSubject& subject) {
  const auto later = sufferers(subject);
  const double again = static_cast<double>(subject.row.uses_after_later) /
                       std::max(1.0, static_cast<double>(subject.row.later_launches));
  Cost cost = left_lines_cost(later, left_bytes(subject), again, subject.machine);
  cost.of_ns = gpu_ns_of(later);
  return cost;
}

// The one that was set first stands for all that were in force with it.
Measure together_over_set_aside(const WindowSubject& subject) {
  if (subject.row.other_windows == 0 || !subject.row.first_of_all) return measured(0);
  const auto aside = set_aside(subject);
  if (!aside) return not_measured(kNoSetAside);
  return measured((wanted_bytes(subject.row.window) + static_cast<double>(subject.row.other_bytes)) /
                  std::max(1.0, *aside));
}

Cost together_cost(const WindowSubject& subject) {
  const auto& row = subject.row;
  Cost cost = thrashing_cost(subject.together,
                             {static_cast<double>(row.window.bytes),
                              wanted_bytes(row.window) + static_cast<double>(row.other_bytes), true},
                             subject.machine);
  // Launches that run at once are slow at once.
  const auto at_once = [&](std::optional<std::int64_t>& ns) {
    if (ns) ns = base::whole(static_cast<double>(*ns) / std::max(1.0, row.at_once));
  };
  cost.of_ns = gpu_ns_of(subject.together);
  at_once(cost.lost_ns);
  at_once(cost.of_ns);
  return cost;
}

Measure rereads(const KernelSubject& kernel) {
  if (kernel.under_window) return measured(0);
  const KernelRow& row = kernel.row;
  if (!row.dram_read_bytes) return lacks(row, model::Phase::traffic, "DRAM reads");
  const std::int64_t l2_bytes = kernel.device ? kernel.device->l2_bytes.value_or(0) : 0;
  if (*row.dram_read_bytes <= l2_bytes) return measured(0);
  if (!row.footprint_bytes) return not_measured("where its pointers lead was not recorded");
  if (*row.footprint_bytes <= 0) return measured(0);
  return measured(static_cast<double>(*row.dram_read_bytes) / static_cast<double>(*row.footprint_bytes));
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
     "times that a later kernel reads its memory from DRAM, which would fit into L2 without the lines",
     kTimesReadAfter, kTimesReadAfter, false,
     "C4 without a reset speaks; with any of the resets it does not"},
    read_again_after,
    left_cost,
    [](const WindowSubject& subject) {
      std::string text =
          fmt::format("{} timed launches used the window, and {} of L2 stayed set apart",
                      base::format_count(subject.row.launches), amount_text(left_bytes(subject)));
      const auto later = sufferers(subject);
      if (later.size() > kMostNamed)
        return text +
               fmt::format("; {} later kernels read what would fit from DRAM again and again", later.size());
      for (const KernelUse& use : later)
        text += fmt::format("; {} reads its {} {} times from DRAM, and alone it would fit", use.kernel->name,
                            amount_text(static_cast<double>(use.kernel->footprint_bytes.value_or(0))),
                            base::format_ratio(times_read(*use.kernel)));
      return text;
    },
    [](const WindowSubject&) {
      return std::string(
          "After its last use take the window away (num_bytes = 0) and give the lines back with "
          "cudaCtxResetPersistingL2Cache(), or go over the data once with hitProp = "
          "cudaAccessPropertyNormal.");
    },
    nullptr,
    false,
    true};

constinit const Rule<WindowSubject> kWindowsTogether{
    {"R03", "Residency windows of several streams exceed the set-aside", "C5",
     "sum of num_bytes x hitRatio over the windows in force / L2 set aside", kOverSetAside, kOverSetAside,
     false, "C5 with full hit ratios speaks, with shared ones it does not"},
    together_over_set_aside,
    together_cost,
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
