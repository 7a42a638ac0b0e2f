// R01: a persisting window that the set-aside cannot hold, whose lines throw each other out. R02: lines that
// persist after their use. R03: windows of several streams that together exceed the set-aside.

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <vector>

#include "core/base/units.h"
#include "core/base/whole.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rules/residency_cost.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

constexpr double kOverSetAside = 1.05;
// Memory that fits into L2 comes from DRAM once a launch at most; a quarter for what counters differ by.
constexpr double kTimesReadAfter = 1.3;
// An array up to this part of the device's L2 comes from there when it is read again (C1: 46 of 50 MiB on an
// H100; a limit of the rule on every chip).
constexpr double kFitsL2 = 0.9;
constexpr std::size_t kMostNamed = 3;  // kernels in a sentence

double wanted_bytes(const model::L2Window& window) {
  return static_cast<double>(window.bytes) * window.hit_ratio;
}

std::string amount_text(double bytes) {
  return base::format_bytes(std::max(0.0, bytes));
}

// What the program set aside; the device's limit caps it.
std::optional<double> set_aside(const L2WindowSubject& subject) {
  if (!subject.row.set_aside_bytes) return std::nullopt;
  double bytes = static_cast<double>(*subject.row.set_aside_bytes);
  if (subject.device && subject.device->persisting_l2_max_bytes)
    bytes = std::min(bytes, static_cast<double>(*subject.device->persisting_l2_max_bytes));
  return bytes;
}

const char* const kNoSetAside = "how much L2 was set aside for it was not seen";

Advice tuning_advice(const L2WindowSubject& subject, double aside) {
  const double region = static_cast<double>(subject.row.window.bytes);
  FactList parameters;
  std::string text;
  const auto most = subject.device ? subject.device->persisting_l2_max_bytes : std::nullopt;
  if (most && static_cast<double>(*most) > aside) {
    parameters.count("set_aside_bytes", most, "bytes");
    text = fmt::format("Set aside up to {} (cudaLimitPersistingL2CacheSize = {}). ",
                       amount_text(static_cast<double>(*most)), *most);
  }
  const double reached = most ? std::max(aside, static_cast<double>(*most)) : aside;
  const double hit_ratio = std::min(1.0, reached / std::max(1.0, region));
  parameters.count("num_bytes", subject.row.window.bytes, "bytes")
      .add("hit_ratio", hit_ratio, "share")
      .add("narrower_num_bytes", std::min(reached, region), "bytes");
  return {std::string(kTuneHitRatioAdvice), parameters.take(),
          text + fmt::format(
                     "Keep num_bytes = {} and set hitRatio = {:.2f}, so that {} of it persist; or make the "
                     "L2 window num_bytes = {:.0f} with hitRatio = 1.0 over the part that is used most.",
                     subject.row.window.bytes, hit_ratio, amount_text(std::min(reached, region)),
                     std::min(reached, region))};
}

Evidence window_evidence(const model::L2Window& window, double aside) {
  return {FactList()
              .count("window_bytes", window.bytes, "bytes")
              .add("hit_ratio", window.hit_ratio, "share")
              .add("set_aside_bytes", aside, "bytes")
              .take(),
          fmt::format("{} with hitRatio {:.2f} want to persist in {} that are set aside",
                      amount_text(static_cast<double>(window.bytes)), window.hit_ratio, amount_text(aside))};
}

Assessment assess_window(const L2WindowSubject& subject) {
  const auto aside = set_aside(subject);
  if (!aside) return {not_measured(kNoSetAside)};
  const auto& window = subject.row.window;
  const Measure times = measured(wanted_bytes(window) / std::max(1.0, *aside));
  if (!times.reaches(kOverSetAside)) return {times};
  Cost cost = thrashing_cost(subject.users, {static_cast<double>(window.bytes), wanted_bytes(window)},
                             subject.machine);
  cost.of_ns = gpu_ns_of(subject.users);
  return {times, std::move(cost), window_evidence(window, *aside), tuning_advice(subject, *aside)};
}

double left_bytes(const L2WindowSubject& subject) {
  const double wanted = wanted_bytes(subject.row.window);
  return std::min(wanted, set_aside(subject).value_or(wanted));
}

double l2_bytes(const L2WindowSubject& subject) {
  return subject.device ? static_cast<double>(subject.device->l2_bytes.value_or(0)) : 0;
}

double times_read(const KernelRow& row) {
  return static_cast<double>(row.dram_read_bytes.value_or(0)) /
         std::max(1.0, static_cast<double>(row.footprint_bytes.value_or(0)));
}

// What would stay in L2 but for the lines that are left there.
bool would_fit(const KernelRow& row, const L2WindowSubject& subject) {
  const double bytes = static_cast<double>(row.footprint_bytes.value_or(0));
  return bytes <= kFitsL2 * l2_bytes(subject) && bytes > kFitsL2 * (l2_bytes(subject) - left_bytes(subject));
}

std::vector<KernelUse> kernels_hit(const L2WindowSubject& subject) {
  std::vector<KernelUse> list;
  for (const KernelUse& use : subject.later)
    if (would_fit(*use.kernel, subject) && times_read(*use.kernel) >= kTimesReadAfter) list.push_back(use);
  return list;
}

Measure read_again_after(const L2WindowSubject& subject, const std::vector<KernelUse>& hit) {
  if (subject.row.launches == 0)
    return subject.row.pointers_known
               ? measured(0)
               : not_measured("the pointer targets of the kernels under it were not recorded");
  double most = 0;
  for (const KernelUse& use : hit) most = std::max(most, times_read(*use.kernel));
  if (most > 0) return measured(most);
  for (const KernelUse& use : subject.later) {
    if (!use.kernel->footprint_bytes)
      return not_measured("the pointer targets of later kernels were not recorded");
    if (would_fit(*use.kernel, subject) && !use.kernel->dram_read_bytes)
      return not_measured("what later kernels read from DRAM was not measured");
  }
  return measured(0);
}

// What lines that nobody gave back cost the kernels after them, were they given back before each of their
// launches; after a part of these the window is used again.
Cost left_lines_cost(std::span<const KernelUse> later, double bytes, double times_fetched_again,
                     const Machine& machine) {
  double lost = 0, fetched = 0;
  std::string basis;
  for (const KernelUse& use : later) {
    const Cost cost = reread_cost(*use.kernel, use.kernel->footprint_bytes.value_or(0), machine);
    if (!cost.lost_ns) return unknown_cost(cost.basis);
    lost += real(cost.lost_ns) * use.share;
    fetched += real(use.kernel->launches) * use.share * times_fetched_again * bytes;
    if (basis.empty()) basis = cost.basis;
  }
  if (machine.dram) lost -= fetched / machine.dram->bandwidth * 1e9;
  if (fetched > 0) basis += "; less what it takes to fetch the L2 window's lines again";
  return {rounded(std::max(0.0, lost)), basis};
}

Cost left_cost(const L2WindowSubject& subject, std::span<const KernelUse> hit) {
  const double again = static_cast<double>(subject.row.uses_after_later) /
                       std::max(1.0, static_cast<double>(subject.row.later_launches));
  Cost cost = left_lines_cost(hit, left_bytes(subject), again, subject.machine);
  cost.of_ns = gpu_ns_of(hit);
  return cost;
}

Evidence left_evidence(const L2WindowSubject& subject, std::span<const KernelUse> hit, double most_times) {
  FactList facts;
  facts.count("launches", subject.row.launches, "launches")
      .add("left_bytes", left_bytes(subject), "bytes")
      .count("later_kernels", std::ssize(hit), "kernels")
      .add("most_times_read", most_times, "times");
  std::string text = fmt::format("{} timed launches used the L2 window, and {} of L2 stayed set apart",
                                 base::format_count(subject.row.launches), amount_text(left_bytes(subject)));
  if (hit.size() > kMostNamed)
    return {
        facts.take(),
        text + fmt::format("; {} later kernels read what would fit from DRAM again and again", hit.size())};
  for (const KernelUse& use : hit)
    text += fmt::format("; {} reads its {} {} times from DRAM, and alone it would fit", use.kernel->name,
                        amount_text(static_cast<double>(use.kernel->footprint_bytes.value_or(0))),
                        base::format_ratio(times_read(*use.kernel)));
  return {facts.take(), std::move(text)};
}

// All that would fit into L2 without the lines, whether they pay for them here or not.
std::vector<std::int64_t> explained_rereads(const L2WindowSubject& subject) {
  std::vector<std::int64_t> kernels;
  for (const KernelUse& use : subject.later)
    if (real(use.kernel->footprint_bytes) <= l2_bytes(subject)) kernels.push_back(use.kernel->id);
  return kernels;
}

Assessment assess_left_lines(const L2WindowSubject& subject) {
  const auto hit = kernels_hit(subject);
  const Measure times = read_again_after(subject, hit);
  if (!times.reaches(kTimesReadAfter)) return {times};
  return {times,
          left_cost(subject, hit),
          left_evidence(subject, hit, *times.value),
          {std::string(kGiveBackAdvice),
           {},
           "After its last use take the L2 window away (num_bytes = 0) and give the lines back with "
           "cudaCtxResetPersistingL2Cache(), or go over the data once with hitProp = "
           "cudaAccessPropertyNormal."},
          explained_rereads(subject)};
}

// Of all windows that were in force at one time; the one that was set first stands for them.
struct Together {
  double wanted = 0, aside = 0;
};

Cost together_cost(const L2WindowSubject& subject, double wanted) {
  const auto& row = subject.row;
  Cost cost = thrashing_cost(subject.together, {static_cast<double>(row.window.bytes), wanted, true},
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

Evidence together_evidence(const Together& bytes, std::int64_t windows) {
  return {FactList()
              .count("windows", windows, "windows")
              .add("wanted_bytes", bytes.wanted, "bytes")
              .add("set_aside_bytes", bytes.aside, "bytes")
              .take(),
          fmt::format("{} L2 windows at a time want {}; {} are set aside", windows, amount_text(bytes.wanted),
                      amount_text(bytes.aside))};
}

Advice sharing_advice(const Together& bytes, double hit_ratio) {
  const double factor = bytes.aside / std::max(1.0, bytes.wanted);
  return {
      std::string(kShareSetAsideAdvice),
      FactList().add("factor", factor, "ratio").add("hit_ratio", hit_ratio * factor, "share").take(),
      fmt::format("Share the set-aside: multiply each hitRatio by {:.2f} (here {:.2f}), or let the streams "
                  "take turns.",
                  factor, hit_ratio * factor)};
}

Assessment assess_windows_together(const L2WindowSubject& subject) {
  const auto& row = subject.row;
  if (row.other_windows == 0 || !row.first_of_all) return {measured(0)};
  const auto aside = set_aside(subject);
  if (!aside) return {not_measured(kNoSetAside)};
  const Together bytes{wanted_bytes(row.window) + static_cast<double>(row.other_bytes), *aside};
  const Measure times = measured(bytes.wanted / std::max(1.0, bytes.aside));
  if (!times.reaches(kOverSetAside)) return {times};
  return {times, together_cost(subject, bytes.wanted), together_evidence(bytes, row.other_windows + 1),
          sharing_advice(bytes, row.window.hit_ratio)};
}

}  // namespace

constinit const Rule<L2WindowSubject> kL2WindowOverSetAside{
    {"R01", "L2 window larger than the set-aside", "make the L2 window fit what is set aside", "C2 C3",
     "num_bytes x hitRatio / L2 set aside", kOverSetAside, kOverSetAside, false,
     "C2 beyond the set-aside speaks; C2 within it and C3 do not"},
    assess_window,
    nullptr};

constinit const Rule<L2WindowSubject> kL2WindowLeftOn{
    {"R02", "Persisting lines left in L2", "reset persisting L2 lines after their last use", "C4",
     "times that a later kernel reads its memory from DRAM, which would fit into L2 without the lines",
     kTimesReadAfter, kTimesReadAfter, false,
     "C4 without a reset speaks; with any of the resets it does not"},
    assess_left_lines,
    nullptr};

constinit const Rule<L2WindowSubject> kL2WindowsTogether{
    {"R03", "L2 windows of several streams exceed the set-aside",
     "share what is set aside in L2 between the streams' windows", "C5",
     "sum of num_bytes x hitRatio over the L2 windows in force / L2 set aside", kOverSetAside, kOverSetAside,
     false, "C5 with full hit ratios speaks, with shared ones it does not"},
    assess_windows_together,
    nullptr};

}  // namespace coalescope::analysis
