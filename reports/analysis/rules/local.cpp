// L01: local memory, which is where spilled registers and arrays with an index that the compiler does not
// know lie.

#include <algorithm>
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rules/missing.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

constexpr double kLocalShare = 0.1;
constexpr double kLocalShareUnpriced = 0.3;
// At most so many go with an access: itself, and what computes its place in an array.
constexpr double kInstructionsAnAccess = 3;
// Instructions of every chip can name this many registers at most; a kernel with as many has probably not
// found room for all values.
constexpr std::int64_t kMostRegisters = 255;
// Launch bounds and -maxrregcount leave a multiple of this, and a kernel that spills uses all of it, or all
// but one.
constexpr std::int64_t kRegisterStep = 8;

bool may_be_at_a_limit(const std::optional<std::int64_t>& registers) {
  return !registers || (*registers + 1) % kRegisterStep <= 1;
}

// Of all ways to memory whose sectors L1 counts.
double other_sectors(const KernelRow& row) {
  return real(row.load.sectors) + real(row.store.sectors) + real(row.atomic_sectors) +
         real(row.async_copy.sectors);
}

Measure local_share(const KernelRow& row) {
  if (row.local_sectors == 0) return measured(0);
  if (row.tma_instructions.value_or(0) > 0) return not_measured("what TMA moves is not counted");
  if (!row.local_sectors || !row.load.sectors || !row.store.sectors)
    return lacks(row, model::Phase::bytes, "local-memory sectors");
  return measured(real(row.local_sectors) / (real(row.local_sectors) + other_sectors(row)));
}

// What traffic of local memory costs, were it none. The values are wanted at once, so that all of the time
// beyond what other traffic needs is spent on waiting for what L1 serves, in the parts that it serves.
Cost local_cost(const KernelRow& kernel, const Machine& machine) {
  const auto known = known_work_of(kernel);
  if (auto missing = missing_input(kernel, machine, known.has_value())) return unknown_cost(*missing);
  if (!kernel.local_load_sectors || !kernel.local_store_sectors)
    return unknown_cost("cost unknown: its local sectors were not measured");
  const Work& work = known->work;
  Work repaired = work;
  const double loads = real(kernel.local_load_sectors) * kSectorBytes;
  const double stores = real(kernel.local_store_sectors) * kSectorBytes;
  const double others = other_sectors(kernel) * kSectorBytes;
  repaired.l2_read_bytes -= spared(work.l2_read_bytes, 0, loads);
  repaired.l2_write_bytes -= spared(work.l2_write_bytes, 0, stores);
  repaired.dram_bytes -= spared(work.dram_bytes, std::min(work.dram_bytes, others), loads + stores);
  repaired.passes -= local_passes(kernel);
  const Prediction prediction = predict(kernel, work, repaired, machine,
                                        {.instructions_gone = kInstructionsAnAccess * local_passes(kernel)});
  const double launch_ns = real(kernel.median_gpu_ns);
  const double part = (loads + stores) / std::max(1.0, loads + stores + others);
  const double weight = std::min(1.0, prediction.utilisation / kIdle);
  const double waiting =
      prediction.is_nothing
          ? 0
          : (launch_ns - std::max(prediction.after.ns / kFull, prediction.least_ns)) * weight * part;
  const double saved = std::max(prediction.saved_ns, waiting);
  return {total(saved, kernel), prediction.basis() + std::string(known->remark)};
}

Evidence local_evidence(const KernelRow& row, double share) {
  std::string text =
      fmt::format("{} sectors per launch are of local memory, {} of all",
                  base::format_count(row.local_sectors.value_or(0)), base::format_share(share));
  if (row.local_bytes_per_thread)
    text += fmt::format("; {} B per thread", base::format_count(*row.local_bytes_per_thread));
  return {FactList()
              .count("local_sectors", row.local_sectors, "sectors")
              .add("local_share", share, "share")
              .count("local_bytes_per_thread", row.local_bytes_per_thread, "bytes")
              .take(),
          std::move(text)};
}

Advice local_advice(const std::optional<std::int64_t>& registers, bool spilled) {
  auto parameters = FactList().count("registers_per_thread", registers, "registers").take();
  if (registers.value_or(0) >= kMostRegisters)
    return {"L01.fewer_values", std::move(parameters),
            "It uses all 255 registers, so values are spilled: let a thread do less at a time, shorten the "
            "life of its values, or split the kernel."};
  const std::string used = registers ? std::to_string(*registers) : "an unknown number of";
  if (spilled)
    return {
        "L01.more_registers", std::move(parameters),
        fmt::format("By the machine code there is no array in local memory: values are spilled because a "
                    "thread has only {} registers. Raise what __launch_bounds__ or -maxrregcount allow, or "
                    "let a thread do less at a time.",
                    used),
        "give the threads of {} more registers"};
  std::string text =
      "An array with an index known only at run time lies in local memory: unroll the loop over it, or keep "
      "it in shared memory; a table of constants belongs in constant memory (static const or __constant__).";
  if (may_be_at_a_limit(registers))
    text += fmt::format(
        " If registers are spilled ({} are used; see -Xptxas -v), raise what __launch_bounds__ or "
        "-maxrregcount allow.",
        used);
  return {"L01.constant_index", std::move(parameters), std::move(text)};
}

Assessment assess_local(const KernelSubject& kernel) {
  const Measure share = local_share(kernel.row);
  if (!share.reaches(kLocalShare)) return {share};
  return {
      share, local_cost(kernel.row, kernel.machine), local_evidence(kernel.row, *share.value),
      local_advice(kernel.row.registers_per_thread, std::ranges::any_of(kernel.lines, &LineRow::spilled))};
}

}  // namespace

constinit const Rule<KernelSubject> kLocalMemory{
    {"L01", "Local memory", "keep the arrays and registers of {} out of local memory", "B6",
     "local sectors / all sectors that L1 served", kLocalShare, kLocalShareUnpriced, false,
     "B6: spilled registers and run-time indices speak; constant indices do not", "", Picture::none, 0.09},
    assess_local,
    [](const LineRow& line) -> std::optional<double> {
      // The compiler chooses where to spill; the fault is what leaves a thread too few registers.
      if (line.local_sectors.value_or(0) == 0 || line.spilled) return std::nullopt;
      return real(line.local_sectors);
    }};

}  // namespace coalescope::analysis
