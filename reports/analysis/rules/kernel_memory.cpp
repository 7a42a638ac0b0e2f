// L01: local memory, which is where spilled registers and arrays with an index that the compiler does not
// know lie. A01: atomics of many lanes on one address. C01: constant memory that lanes read at different
// addresses.

#include <algorithm>
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/rules/missing.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

constexpr double kLocalShare = 0.1;
constexpr double kLocalShareUnpriced = 0.3;
constexpr double kLanesAnAddress = 4;
constexpr double kLanesAnAddressUnpriced = 8;
constexpr double kWordBytes = 4;
constexpr double kSpreadDegree = 0.125;  // of lanes that each have a word in a sector of its own
// Compilers give this many registers at most; a kernel with as many has probably not found room for all
// values.
constexpr std::int64_t kMostRegisters = 255;

double real(const std::optional<std::int64_t>& count) {
  return static_cast<double>(count.value_or(0));
}

Judged local_share(const KernelSubject& kernel) {
  const KernelRow& row = kernel.row;
  if (row.local_sectors == 0) return judged(0);
  if (!row.local_sectors || !row.load.sectors || !row.store.sectors)
    return lacks(row, model::Phase::bytes, "local-memory sectors");
  return judged(real(row.local_sectors) /
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

// Lanes for each distinct address of a request.
std::optional<double> lanes_an_address(const Access& access) {
  if (real(access.sectors) <= 0 || real(access.data_bytes) <= 0) return 0;
  if (access.lanes && access.requests)
    return *access.lanes * real(access.requests) * kWordBytes / real(access.data_bytes);
  // Without lines: bytes fall below an eighth of the sectors only where lanes share words.
  if (!access.degree || *access.degree <= 0) return std::nullopt;
  return std::max(1.0, kSpreadDegree / *access.degree);
}

Judged contention(const KernelSubject& kernel) {
  double most = 0;
  for (const Access* access : {&kernel.row.atomic, &kernel.row.reduction}) {
    if (!access->sectors) return lacks(kernel.row, model::Phase::bytes, "atomics");
    const auto lanes = lanes_an_address(*access);
    if (!lanes) return lacks(kernel.row, model::Phase::lines, "the threads of atomics");
    most = std::max(most, *lanes);
  }
  return judged(most);
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
    {"A01", "Contended atomics", "B7", "lanes of a request that go to the same address", kLanesAnAddress,
     kLanesAnAddressUnpriced, false,
     "B7: one and few addresses speak; spread and warp-aggregated ones do not"},
    contention,
    [](const KernelSubject& kernel) { return contention_cost(kernel.row, kernel.machine); },
    [](const KernelSubject& kernel) {
      return fmt::format("{} lanes of each warp go to one address",
                         base::format_ratio(contention(kernel).value.value_or(0)));
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

// Nothing that is recorded counts the addresses of a constant load, so this rule says so, and no more.
constinit const Rule<KernelSubject> kConstantAddresses{
    {"C01", "Constant memory read at several addresses", "B5", "addresses of a warp's constant load", 2, 4,
     false, "B5: not judged"},
    [](const KernelSubject&) {
      return not_judged(
          "no counter that is recorded tells at how many addresses a warp reads constant memory");
    },
    [](const KernelSubject&) { return unknown_cost("not judged"); },
    [](const KernelSubject&) { return std::string(); },
    [](const KernelSubject&) {
      return std::string("Use constant memory only for what all lanes of a warp read at the same address.");
    },
    nullptr};

}  // namespace coalescope::analysis
