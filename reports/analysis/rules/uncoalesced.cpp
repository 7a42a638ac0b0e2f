// G01: loads or stores that touch more sectors than their bytes need. G05: the same where a load's address
// comes from what another one has loaded. Limits: reversed and permuted lanes and wide elements waste nothing
// and must be no finding; an offset of one word wastes a fifth and is let through to the cost, which is what
// decides; a stride of two words wastes half and is bad whatever it costs.

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/figures/access_shape.h"
#include "reports/analysis/figures/called_for.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rules/access_pattern.h"
#include "reports/analysis/rules/missing.h"
#include "reports/analysis/rules/rules.h"
#include "reports/analysis/rules/surplus_cost.h"

namespace coalescope::analysis {
namespace {

constexpr double kWastedShare = 0.1;
constexpr double kWastedShareUnpriced = 0.5;
// A lane uses a byte of its sector at least, and counters of few requests may say less.
constexpr double kLeastNeeded = 0.03;

// From here on DRAM brought the kernel's memory more often than strides do: neighbours of a sector count
// twice.
constexpr double kReread = 2.5;
// A tile of 32 x 32 elements is turned by 256 threads.
constexpr double kTileElements = 4;
// Of a line's surplus, from which on gathers are what it is about.
constexpr double kMostlyGathers = 0.5;

Request mean_load(const LineRow& line) {
  const double loads = static_cast<double>(line.loads.value_or(0));
  if (loads <= 0 || line.stores.value_or(0) > 0 || !line.sectors || !line.ideal_sectors) return {};
  return {static_cast<double>(*line.sectors) / loads, static_cast<double>(*line.ideal_sectors) / loads,
          line.lanes};
}

// The line that wastes most of this operation; it has the shape that advice is about.
const LineRow* worst_line(const KernelSubject& kernel, std::optional<std::int64_t> LineRow::*executions) {
  for (const LineRow* line : kernel.lines)
    if ((line->*executions).value_or(0) > 0 && line->surplus_sectors.value_or(0) > 0) return line;
  return nullptr;
}

// Lanes apart with each load, a load in order for each of these, and DRAM that brings the kernel's memory
// several times: strides come back to their sectors soon, or never.
bool goes_by_index(const KernelSubject& kernel, const LineRow& line) {
  if (shape_of(mean_load(line)) != Shape::apart) return false;
  const KernelRow& row = kernel.row;
  if (!row.dram_read_bytes || row.footprint_bytes.value_or(0) <= 0 ||
      static_cast<double>(*row.dram_read_bytes) < kReread * static_cast<double>(*row.footprint_bytes))
    return false;
  return std::ranges::any_of(kernel.lines, [&](const LineRow* other) {
    return other != &line && other->loads.value_or(0) >= line.loads.value_or(0) &&
           shape_of(mean_load(*other)) == Shape::contiguous;
  });
}

// Data say where its loads go.
bool follows_indices(const KernelSubject& kernel, const LineRow& line) {
  return called_for(kernel.row) == CalledFor::index || line.indexed ||
         (!line.decoded && goes_by_index(kernel, line));
}

// DRAM brings the kernel's memory more than once, or L2 does again and again.
bool brings_again(const KernelRow& row) {
  if (!row.dram_read_bytes || row.footprint_bytes.value_or(0) <= 0) return true;
  return *row.dram_read_bytes > *row.footprint_bytes ||
         real(row.l2_read_sectors) * kSectorBytes > kReread * real(row.footprint_bytes);
}

// Each lane goes to a sector of its own, and DRAM brings neighbours of it that nobody uses, or uses later.
bool is_scattered(const KernelRow& row, const LineRow& line) {
  const double touched = real(row.load.sectors) * kSectorBytes;
  return line.scattered_loads.value_or(0) > 0 && (brings_again(row) || real(row.dram_read_bytes) > touched);
}

// The same, where the code was not read.
bool seems_scattered(const KernelSubject& kernel, const LineRow& line) {
  if (called_for(kernel.row) == CalledFor::index) return shape_of(mean_load(line)) == Shape::apart;
  return brings_again(kernel.row);
}

enum class Order { none, kept, lost };  // of the addresses that data give
// Where each thread goes along a run of its own, indices say only where it begins. Lanes that share sectors
// have sorted indices: nothing is left to sort.
Order order_of_indices(const KernelSubject& kernel) {
  const LineRow* line = worst_line(kernel, &LineRow::loads);
  if (line == nullptr || !follows_indices(kernel, *line)) return Order::none;
  const bool gathers = line->decoded
                           ? real(line->gathered_surplus) >= kMostlyGathers * real(line->surplus_sectors)
                           : !keeps_runs(kernel.row.load);
  if (!gathers) return Order::none;
  return (line->decoded ? is_scattered(kernel.row, *line) : seems_scattered(kernel, *line)) ? Order::lost
                                                                                            : Order::kept;
}

// What such loads waste crosses the bus, and Z01 says so.
bool loads_from_host(const KernelRow& row) {
  return row.sysmem_sectors && row.l2_read_sectors && 2 * *row.sysmem_sectors > *row.l2_read_sectors;
}

Measure wasted_share(const KernelRow& row, const Access& access) {
  if (&access == &row.load && loads_from_host(row)) return measured(0);
  const auto needed = needed_share(access);
  if (needed) return measured(1 - *needed);
  if (access.sectors == 0) return measured(0);
  return lacks(row, model::Phase::bytes, "its sectors");
}

std::string level_text(std::string_view name, const std::optional<double>& degree) {
  return degree ? fmt::format(", {} {}", name, base::format_share(std::min(1.0, *degree))) : std::string();
}

// "; through parameter 2 (64 MiB, from make())": of the line that wastes most.
std::string parameter_text(const KernelSubject& kernel, std::int64_t parameter) {
  std::string text = fmt::format("; through parameter {}", parameter);
  const auto is_it = [&](const PointerRow* pointer) { return pointer->parameter == parameter; };
  const auto found = std::ranges::find_if(kernel.pointers, is_it);
  // A structure may hold several.
  if (std::ranges::count_if(kernel.pointers, is_it) != 1 || !(*found)->allocation_bytes) return text;
  text += " (" + base::format_bytes(real((*found)->allocation_bytes));
  if ((*found)->place) text += ", requested by " + *(*found)->place;
  return text + ")";
}

Evidence sector_evidence(const KernelSubject& kernel, const Access& access,
                         const std::optional<double>& needed, const LineRow* worst) {
  FactList facts;
  facts.add("sectors_per_request", access.sectors_per_request, "sectors")
      .add("needed_share", needed, "share");
  std::string text;
  if (access.sectors_per_request && needed) {
    const double ideal = *access.sectors_per_request * *needed;
    facts.add("needed_sectors_per_request", ideal, "sectors");
    text = fmt::format("{} sectors per request (ideal: {})", base::format_ratio(*access.sectors_per_request),
                       base::format_ratio(ideal));
  } else if (needed) {
    text = fmt::format("{} of the sectors were needed", base::format_share(*needed));
  }
  if (access.degree) {
    facts.add("degree", access.degree, "share")
        .add("l2_degree", access.l2_degree, "ratio")
        .add("dram_degree", access.dram_degree, "ratio");
    text +=
        fmt::format("; requested share of the bytes that moved: L1 {}", base::format_share(*access.degree)) +
        level_text("L2", access.l2_degree) + level_text("DRAM", access.dram_degree);
  }
  // Of a line that loads and stores the parameter may be the other's.
  if (worst != nullptr && worst->parameter && (real(worst->loads) == 0 || real(worst->stores) == 0)) {
    facts.count("parameter", *worst->parameter, "parameter");
    text += parameter_text(kernel, *worst->parameter);
  }
  return {facts.take(), std::move(text)};
}

// Loads and stores with one cause are one finding, so no sentence says which of them.
struct PatternAdvice {
  Pattern pattern;
  std::string_view id;
  std::string_view text;  // {}: how many times too many sectors
};
constexpr std::array kAdvice{
    PatternAdvice{
        Pattern::offset, "G01.offset",
        "Requests begin off a 32-byte boundary, each by the same: align the base address, or let the index "
        "begin at a multiple of 32 bytes; cudaMalloc and blocks of a multiple of 32 threads do."},
    PatternAdvice{
        Pattern::rows, "G01.rows",
        "Rows begin off 32-byte boundaries: pad each row to a multiple of 32 bytes (cudaMallocPitch) "
        "and step by the pitch."},
    PatternAdvice{
        Pattern::structures, "G01.structures",
        "Each thread accesses a structure, or a short run, of its own, piece by piece. Keep each "
        "field in an array of its own, let neighbouring threads take neighbouring elements of a run, "
        "or move 8 or 16 bytes at once (__align__)."},
    PatternAdvice{Pattern::chunks, "G01.chunks",
                  "Each thread walks along a run of elements of its own, so that neighbouring threads access "
                  "addresses a "
                  "run apart: let neighbouring threads take neighbouring elements, and step by the number of "
                  "threads; or "
                  "take a tile through shared memory. "
                  "Where the run is a structure, keep each field in an array of its own."},
    PatternAdvice{Pattern::halves, "G01.halves",
                  "Each thread accesses more than 16 bytes side by side, in several pieces: let neighbouring "
                  "threads take "
                  "neighbouring pieces of 16 bytes, and step by the number of threads for the next."},
    PatternAdvice{
        Pattern::stride, "G01.stride",
        "Neighbouring threads access addresses {} elements apart and use only a part of what lies between: "
        "keep what is used together in an array of its own (split a structure's fields), or change the "
        "layout."},
    PatternAdvice{
        Pattern::narrow_block, "G01.narrow_block",
        "A block is narrower than a warp, so that a warp takes a part of several rows, and a part of "
        "the sectors of each: make the block 32 threads wide, or as wide as whole sectors at least."},
    PatternAdvice{
        Pattern::transpose, "G01.transpose",
        "Neighbouring threads walk down a column: take a tile through shared memory (a[32][33]), four "
        "elements a thread, access it along rows and turn it there. If only one side can be contiguous, let "
        "it "
        "be the stores."},
    PatternAdvice{
        Pattern::far_index, "G01.far_index",
        "Neighbouring threads access addresses a whole grid or row apart, though the kernel uses all of each "
        "sector in the end: swap the roles of threadIdx and blockIdx (or of x and y) in the index."},
    PatternAdvice{
        Pattern::far, "G01.far",
        "Neighbouring threads access addresses far apart and use a part of each sector only: swap the roles "
        "of "
        "the indices so that neighbours access neighbours, or store what is used together side by side."},
    PatternAdvice{
        Pattern::scatter, "G01.scatter",
        "Each thread stores where an index says, so neighbouring threads store far apart. Let thread i store "
        "to out[i] and load by an index instead, keep the results in the order in which they are computed, "
        "or "
        "sort the indices."},
    PatternAdvice{
        Pattern::unclear, "G01.unclear",
        "Let neighbouring threads access neighbouring words: look at the index of the line at fault."},
};

Advice pattern_advice(const KernelSubject& kernel, Operation operation, double needed) {
  const Pattern pattern = pattern_of(kernel, operation);
  const double times = 1 / std::max(kLeastNeeded, needed);
  const auto found = std::ranges::find(kAdvice, pattern, &PatternAdvice::pattern);
  return {std::string(found->id), FactList().add("times_too_many_sectors", times, "times").take(),
          fmt::format(fmt::runtime(found->text), base::format_ratio(times))};
}

Cost cost_of(const KernelSubject& kernel, Operation operation) {
  const Pattern pattern = pattern_of(kernel, operation);
  return surplus_cost(kernel.row, operation, kernel.machine,
                      {pattern == Pattern::chunks, pattern == Pattern::transpose ? kTileElements : 1});
}

Assessment assess_accesses(const KernelSubject& kernel, Operation operation) {
  const bool loads = operation == Operation::load;
  const bool by_index = loads && order_of_indices(kernel) != Order::none;
  const Access& access = loads ? kernel.row.load : kernel.row.store;
  const Measure wasted = by_index ? measured(0) : wasted_share(kernel.row, access);
  if (!wasted.reaches(kWastedShare)) return {wasted};
  const auto needed = needed_share(access);
  return {
      wasted, cost_of(kernel, operation),
      sector_evidence(kernel, access, needed, worst_line(kernel, loads ? &LineRow::loads : &LineRow::stores)),
      pattern_advice(kernel, operation, needed.value_or(1))};
}

Assessment assess_gathers(const KernelSubject& kernel) {
  const KernelRow& row = kernel.row;
  const bool scattered = order_of_indices(kernel) == Order::lost;
  const Measure wasted = scattered ? wasted_share(row, row.load) : measured(0);
  if (!wasted.reaches(kWastedShare)) return {wasted};
  return {wasted,
          surplus_cost(row, Operation::load, kernel.machine),
          sector_evidence(kernel, row.load, needed_share(row.load), worst_line(kernel, &LineRow::loads)),
          {"G05.sort_indices",
           {},
           "Loaded data, an index or a position, say where each lane reads, and those of neighbours lie "
           "far apart: sort or bin them so that a warp's lie together, or reorder the data once. Declaring "
           "what is read const "
           "__restrict__ (or __ldg) lets the compiler use the read-only path, which helps where indices come "
           "again soon."}};
}

std::optional<double> surplus_of_loads(const LineRow& line) {
  return surplus_of(line, Operation::load);
}
std::optional<double> surplus_of_stores(const LineRow& line) {
  return surplus_of(line, Operation::store);
}

constexpr std::string_view kMeasure = "share of the touched sectors that the requested bytes do not need";
constexpr std::string_view kCalibrated =
    "A1, A2 and A7 stay silent; A4, A5, A8, A9 and A10 speak; A3 does where it costs time";

}  // namespace

constinit const Rule<KernelSubject> kUncoalescedLoads{
    {"G01", "Uncoalesced loads", "coalesce the loads of {}", "A3 A4 A5 A8 A9 A10", kMeasure, kWastedShare,
     kWastedShareUnpriced, false, kCalibrated, "loads", Picture::sectors, 0.05, "F03"},
    [](const KernelSubject& kernel) { return assess_accesses(kernel, Operation::load); },
    surplus_of_loads};

constinit const Rule<KernelSubject> kUncoalescedStores{
    {"G01", "Uncoalesced stores", "coalesce the stores of {}", "A3 A4 A5 A8 A9 A10", kMeasure, kWastedShare,
     kWastedShareUnpriced, false, kCalibrated, "stores", Picture::sectors, 0.05, "F03"},
    [](const KernelSubject& kernel) { return assess_accesses(kernel, Operation::store); },
    surplus_of_stores};

constinit const Rule<KernelSubject> kScatteredReads{
    {"G05", "Reads scattered by an index", "sort the indices by which {} reads", "A11", kMeasure,
     kWastedShare, kWastedShareUnpriced, false, "A11: the same reads with sorted indices stay silent", "",
     Picture::gather},
    assess_gathers,
    surplus_of_loads};

}  // namespace coalescope::analysis
