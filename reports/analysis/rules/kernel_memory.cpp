// L01: local memory, which is where spilled registers and arrays with an index that the compiler does not
// know lie. A01: atomics of many lanes on one address. C01: constant memory that lanes read at different
// addresses.

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/base/units.h"
#include "core/base/whole.h"
#include "reports/analysis/ratios.h"
#include "reports/analysis/rules/missing.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

constexpr double kLocalShare = 0.1;
constexpr double kLocalShareUnpriced = 0.3;
constexpr double kTimesSlower = 2;
constexpr double kTimesSlowerUnpriced = 8;
constexpr double kReturningShare = 0.1;
constexpr double kNeverUnpriced = 2;  // a share is 1 at most
constexpr double kFewWords = 8;
constexpr double kManyAddresses = 1 << 18;
// Compilers give this many registers at most; a kernel with as many has probably not found room for all
// values.
constexpr std::int64_t kMostRegisters = 255;

Measure local_share(const KernelSubject& kernel) {
  const KernelRow& row = kernel.row;
  if (row.local_sectors == 0) return measured(0);
  if (!row.local_sectors || !row.load.sectors || !row.store.sectors)
    return lacks(row, model::Phase::bytes, "local-memory sectors");
  return measured(real(row.local_sectors) /
                  (real(row.local_sectors) + real(row.load.sectors) + real(row.store.sectors)));
}

std::string local_advice(const KernelSubject& kernel) {
  if (kernel.row.registers_per_thread.value_or(0) >= kMostRegisters)
    return "It uses all 255 registers, so values are spilled: let a thread do less at a time, shorten the "
           "life of its "
           "values, or split the kernel.";
  return fmt::format(
      "An array with an index known only at run time lies in local memory: unroll the loop over it, or keep "
      "it in "
      "shared memory. If registers are spilled ({} are used; see -Xptxas -v), raise what __launch_bounds__ "
      "or "
      "-maxrregcount allow.",
      kernel.row.registers_per_thread ? std::to_string(*kernel.row.registers_per_thread)
                                      : "an unknown number of");
}

// Distinct words that a request's lanes go to. Sectors do not tell: one address and eight neighbours are one
// sector.
std::optional<double> words_a_request(const Access& access) {
  if (real(access.requests) <= 0 || !access.data_bytes) return std::nullopt;
  return real(access.data_bytes) / kWordBytes / real(access.requests);
}

// Addresses that all warps share: those of one request, or where they differ by lane, at most the words of
// the smallest allocation that the kernel was given.
double addresses_of(const KernelSubject& kernel, double words) {
  if (words <= kFewWords) return std::max(1.0, words);
  std::optional<std::int64_t> smallest;
  for (const PointerRow* pointer : kernel.pointers)
    if (pointer->memory == model::MemoryKind::device && pointer->allocation_bytes)
      smallest = std::min(smallest.value_or(*pointer->allocation_bytes), *pointer->allocation_bytes);
  return smallest ? std::max(words, real(smallest) / kWordBytes) : kManyAddresses;
}

// How many times as fast atomics on many addresses are; without a curve, how many lanes share one.
double slowdown(const KernelSubject& kernel, double words) {
  if (!kernel.machine.atomics) return kWarpLanes / std::max(1.0, words);
  const auto& curve = kernel.machine.atomics->curve;
  const auto rate = profile::value_near(curve, addresses_of(kernel, words));
  const double best = std::ranges::max(curve.points, {}, &profile::Point::y).y;
  return rate && *rate > 0 ? best / *rate : 0;
}

bool full_warps(const Access& access) {
  return access.lanes.value_or(kWarpLanes) >= kWarpLanes / 4;
}

// The kind of atomics that has most to gain: its access and the words of a request.
struct Contended {
  const Access* access = nullptr;
  double words = 0, times = 0;
};

Measure contention(const KernelSubject& kernel, Contended* worst = nullptr) {
  double most = 0;
  for (const Access* access : {&kernel.row.atomic, &kernel.row.reduction}) {
    if (!access->sectors) return lacks(kernel.row, model::Phase::bytes, "atomics");
    if (*access->sectors == 0 || !full_warps(*access)) continue;
    const auto words = words_a_request(*access);
    if (!words) return lacks(kernel.row, model::Phase::lines, "the threads of atomics");
    const double times = slowdown(kernel, *words);
    if (times > most && worst != nullptr) *worst = {access, *words, times};
    most = std::max(most, times);
  }
  return measured(most);
}

Measure returning_share(const KernelSubject& kernel) {
  const KernelRow& row = kernel.row;
  if (row.atomic.sectors == 0) return measured(0);
  if (!row.atomic.sectors) return lacks(row, model::Phase::bytes, "atomics");
  if (!row.atomic.requests) return lacks(row, model::Phase::lines, "executions of atomics");
  const double all = real(row.atomic.requests) + real(row.reduction.requests) + real(row.load.requests) +
                     real(row.store.requests);
  return measured(real(row.atomic.requests) / std::max(1.0, all));
}

}  // namespace

constinit const Rule<KernelSubject> kLocalMemory{
    {"L01", "Local memory", "B6", "local sectors / all sectors that L1 served", kLocalShare,
     kLocalShareUnpriced, false, "B6: spilled registers and run-time indices speak; constant indices do not"},
    local_share,
    [](const KernelSubject& kernel) { return local_cost(kernel.row, kernel.machine); },
    [](const KernelSubject& kernel) {
      const KernelRow& row = kernel.row;
      std::string text = fmt::format("{} sectors a launch are of local memory, {} of all",
                                     base::format_count(row.local_sectors.value_or(0)),
                                     base::format_share(local_share(kernel).value.value_or(0)));
      if (row.local_bytes_per_thread)
        text += fmt::format("; {} B a thread", base::format_count(*row.local_bytes_per_thread));
      return text;
    },
    local_advice,
    [](const LineRow& line) -> std::optional<double> {
      if (line.local_sectors.value_or(0) == 0) return std::nullopt;
      return real(line.local_sectors);
    }};

constinit const Rule<KernelSubject> kContendedAtomics{
    {"A01", "Contended atomics", "B7", "how many times as fast atomics on addresses of their own would be",
     kTimesSlower, kTimesSlowerUnpriced, false,
     "B7: one and few addresses speak; spread and aggregated ones do not"},
    [](const KernelSubject& kernel) { return contention(kernel); },
    [](const KernelSubject& kernel) {
      Contended worst;
      (void)contention(kernel, &worst);
      return contention_cost(kernel.row, *worst.access, addresses_of(kernel, worst.words), kernel.machine);
    },
    [](const KernelSubject& kernel) {
      Contended worst;
      (void)contention(kernel, &worst);
      std::string text = fmt::format("a warp's atomics go to {} words; all warps share {} or fewer",
                                     base::format_ratio(worst.words),
                                     base::format_count(base::whole(addresses_of(kernel, worst.words))));
      if (kernel.machine.atomics)
        text +=
            fmt::format(", where atomics are {} times slower than on many", base::format_ratio(worst.times));
      return text;
    },
    [](const KernelSubject&) {
      return std::string(
          "Add up within the warp first (__reduce_add_sync, or a shuffle) and let one lane do the atomic; or "
          "give "
          "each block counters of its own in shared memory and add those up at its end.");
    },
    [](const LineRow& line) -> std::optional<double> {
      const auto atomics = line.atomics.value_or(0) + line.reductions.value_or(0);
      if (atomics == 0) return std::nullopt;
      return static_cast<double>(atomics);
    }};

constinit const Rule<KernelSubject> kReturningAtomics{
    {"A01", "Atomics that return a value", "B7", "share of the requests that are atomics with a result",
     kReturningShare, kNeverUnpriced, false,
     "B7: atomics whose result is asked for speak where they cost time; reductions do not"},
    returning_share,
    [](const KernelSubject& kernel) { return returning_cost(kernel.row, kernel.machine); },
    [](const KernelSubject& kernel) {
      return fmt::format("{} of its requests to global memory are atomics that wait for the old value",
                         base::format_share(returning_share(kernel).value.value_or(0)));
    },
    [](const KernelSubject&) {
      return std::string(
          "If the old value is not needed, do not use what the atomic returns: the compiler then makes a "
          "reduction of it, "
          "for which nobody waits.");
    },
    [](const LineRow& line) -> std::optional<double> {
      if (line.atomics.value_or(0) == 0) return std::nullopt;
      return static_cast<double>(*line.atomics);
    }};

constinit const Rule<KernelSubject> kConstantAddresses{
    {"C01", "Constant memory read at several addresses", "B5", "addresses of a warp's constant load", 2, 4,
     false, "B5: k addresses take k times as long as one"},
    [](const KernelSubject& kernel) {
      const KernelRow& row = kernel.row;
      if (!row.constant_divergent_loads)
        return not_measured(
            "at how many addresses a warp reads constant memory is counted by --replay kernel only");
      return measured(*row.constant_divergent_loads == 0 ? 0 : row.constant_addresses.value_or(0));
    },
    [](const KernelSubject& kernel) { return divergent_constant_cost(kernel.row, kernel.machine); },
    [](const KernelSubject& kernel) {
      return fmt::format(
          "{} loads of constant memory a launch read {:.1f} addresses a warp, one after the other",
          base::format_count(kernel.row.constant_divergent_loads.value_or(0)),
          kernel.row.constant_addresses.value_or(0));
    },
    [](const KernelSubject&) {
      return std::string(
          "Use constant memory only for what all lanes of a warp read at the same address; keep tables that "
          "lanes index by themselves in shared or global memory.");
    },
    nullptr};

}  // namespace coalescope::analysis
