// R04: data that are read from DRAM several times in one launch.

#include <algorithm>
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rules/missing.h"
#include "reports/analysis/rules/rules.h"
#include "reports/analysis/rules/surplus_cost.h"

namespace coalescope::analysis {
namespace {

constexpr double kTimesRead = 1.8;
constexpr double kTimesReadUnpriced = 4;
constexpr double kMostlyIndexed = 0.5;
constexpr double kWholeSectors = 0.95;

// Then no order of the work would keep what comes again in a cache.
bool goes_where_data_say(const KernelSubject& kernel) {
  double sectors = 0, indexed = 0;
  for (const LineRow* line : kernel.lines) {
    if (line->loads.value_or(0) > 0) sectors += real(line->sectors);
    indexed += real(line->indexed_sectors);
  }
  return sectors > 0 && indexed >= kMostlyIndexed * sectors;
}

// Where the code does not tell what is loaded, all memory counts: that makes the rule speak too late. So it
// does where parts of sectors are stored, because L2 may read the rest of them from DRAM.
std::optional<std::int64_t> memory_read(const KernelRow& row) {
  const bool stores_whole_sectors = row.store.degree.value_or(0) >= kWholeSectors || row.store.sectors == 0;
  return row.loaded_footprint_bytes.value_or(0) > 0 && stores_whole_sectors ? row.loaded_footprint_bytes
                                                                            : row.footprint_bytes;
}

Measure times_read_in_a_launch(const KernelSubject& kernel) {
  if (kernel.under_l2_window || goes_where_data_say(kernel)) return measured(0);
  const KernelRow& row = kernel.row;
  if (!row.dram_read_bytes) return lacks(row, model::Phase::traffic, "DRAM reads");
  const std::int64_t l2_bytes = kernel.device ? kernel.device->l2_bytes.value_or(0) : 0;
  if (*row.dram_read_bytes <= l2_bytes) return measured(0);
  if (row.has_loaded_pointers)
    return not_measured("it loads pointers from memory, and where these lead is not recorded");
  const auto memory = memory_read(row);
  if (!memory) return not_measured("its pointer targets were not recorded");
  if (*memory <= 0) return measured(0);
  // What surplus brings is not read again: G01 and G05 have it.
  const double reads =
      std::max(0.0, real(row.dram_read_bytes) - surplus_dram_reads(row, kernel.machine.chip));
  return measured(reads / real(memory));
}

Evidence reread_evidence(const KernelRow& row, double times) {
  const double read = real(row.dram_read_bytes), memory = real(memory_read(row));
  return {FactList()
              .add("dram_read_bytes", read, "bytes")
              .add("footprint_bytes", memory, "bytes")
              .add("times_read", times, "times")
              .take(),
          fmt::format("a launch reads {} from DRAM, {} times the {} that {}", base::format_bytes(read),
                      base::format_ratio(times), base::format_bytes(memory),
                      memory_read(row) == row.footprint_bytes ? "its pointers lead to" : "it loads from")};
}

Advice blocking_advice(double l2_bytes) {
  const double block_bytes = l2_bytes / 2;
  return {std::string(kWorkInBlocksAdvice), FactList().add("block_bytes", block_bytes, "bytes").take(),
          fmt::format("Work in blocks: do everything with a part of at most {} (half of L2) before going to "
                      "the next, so that it comes from DRAM once. If a part of the data is used far more "
                      "often, let it persist in L2.",
                      base::format_bytes(std::max(0.0, block_bytes)))};
}

Assessment assess_rereads(const KernelSubject& kernel) {
  const Measure times = times_read_in_a_launch(kernel);
  if (!times.reaches(kTimesRead)) return {times};
  const KernelRow& row = kernel.row;
  return {times, reread_cost(row, *memory_read(row), kernel.machine), reread_evidence(row, *times.value),
          blocking_advice(kernel.device ? real(kernel.device->l2_bytes) : 0)};
}

}  // namespace

constinit const Rule<KernelSubject> kRereads{
    {.id = "R04",
     .title = "Data read from DRAM again and again",
     .repair = "reuse the data of {} while a cache holds them",
     .families = "C1",
     .measure = "bytes read from DRAM / bytes of the allocations that it loads from",
     .limit = kTimesRead,
     .unpriced_limit = kTimesReadUnpriced,
     .note = false,
     .calibrated = "C1: footprints beyond L2 that are gone over again speak; those within it, and single "
                   "passes, do not",
     .ended_by = "G01 L01"},
    assess_rereads,
    nullptr};

}  // namespace coalescope::analysis
