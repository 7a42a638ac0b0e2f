#include "reports/analysis/rows/kernel_rows.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>
#include <string>
#include <type_traits>

#include "core/base/demangle.h"
#include "core/base/units.h"
#include "core/base/whole.h"
#include "core/capture/limits.h"
#include "reports/analysis/figures/access_shape.h"
#include "reports/analysis/figures/names.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/kernel_fields.h"
#include "reports/analysis/rows/launch_spread.h"
#include "reports/analysis/rows/mixed.h"
#include "reports/analysis/rows/unmeasured.h"

namespace coalescope::analysis {
namespace {

using model::CoverageReason;
using model::MetricId;
using model::Phase;

// Each line of a kernel bears its name, too.
constexpr std::size_t kLongestShown = 60;
// A short name can be made that stands for a very long one.
constexpr std::size_t kMostDemangled = std::size_t{1} << 26;

const capture::GroupReadings kNoReadings;

std::optional<double> mean(const capture::GroupReadings& readings, MetricId id) {
  const auto found = readings.find(id);
  if (found == readings.end() || found->second.launches <= 0) return std::nullopt;
  const double value = static_cast<double>(found->second.sum) / static_cast<double>(found->second.launches);
  return plausible(value) ? std::optional(value) : std::nullopt;
}

Count count(std::optional<double> value) {
  return value && plausible(*value) ? Count(std::llround(*value)) : std::nullopt;
}

// A sum of parts is known when all of them are.
std::optional<double> sum(std::optional<double> a, std::optional<double> b) {
  return a && b ? std::optional(*a + *b) : std::nullopt;
}

constexpr double kFewAtomics = 0.01;  // of L2's sectors: they leave its hit ratio as it is

Access access(const capture::GroupReadings& readings, MetricId bytes, MetricId sectors,
              std::optional<MetricId> requests) {
  Access result;
  result.data_bytes = count(mean(readings, bytes));
  result.sectors = count(mean(readings, sectors));
  if (requests) result.requests = count(mean(readings, *requests));
  result.degree = degree(result.data_bytes, result.sectors);
  result.sectors_per_request = sectors_per_request(result.sectors, result.requests);
  return result;
}

// What the memory below moved for the bytes that were asked for. Asynchronous copies are reads, too; a chip
// that does not count them has none. What TMA asks for is not counted.
void take_levels(KernelRow& row) {
  if (row.tma_instructions.value_or(0) > 0) return;
  const Count asked = row.load.data_bytes
                          ? Count(*row.load.data_bytes + row.async_copy.data_bytes.value_or(0))
                          : std::nullopt;
  row.load.l2_degree = degree(asked, row.l2_read_sectors);
  row.load.dram_degree = share_asked(asked, row.dram_read_bytes);
  row.store.l2_degree = degree(row.store.data_bytes, row.l2_write_sectors);
  row.store.dram_degree = share_asked(row.store.data_bytes, row.dram_write_bytes);
}

// Hits are counted in other launches than sectors, and cannot be compared with them either.
capture::GroupReadings without_traffic(capture::GroupReadings readings) {
  for (const auto& metric : model::metric_catalogue())
    if (metric.phase == Phase::traffic || metric.phase == Phase::hits) readings.erase(metric.id);
  return readings;
}

std::optional<Traffic> mean_traffic(const capture::GroupReadings& readings) {
  const auto l2_read = mean(readings, MetricId::l2_read_sectors);
  const auto l2_write = mean(readings, MetricId::l2_write_sectors);
  const auto dram_read = mean(readings, MetricId::dram_read_bytes);
  const auto dram_write = mean(readings, MetricId::dram_write_bytes);
  if (!l2_read || !l2_write || !dram_read || !dram_write) return std::nullopt;
  return Traffic{*l2_read, *l2_write, *dram_read, *dram_write,
                 mean(readings, MetricId::executed_instructions).value_or(0)};
}

void note_implausible(KernelRow& row, const capture::GroupReadings& readings) {
  for (const auto& metric : model::metric_catalogue()) {
    const auto found = readings.find(metric.id);
    if (found == readings.end() || mean(readings, metric.id)) continue;
    row.unmeasured.push_back({metric.phase, CoverageReason::window_discarded,
                              std::string(metric.key) +
                                  " not shown: the capture holds a count that no launch "
                                  "can have; record again"});
  }
}

void take_readings(KernelRow& row, const capture::GroupReadings& readings) {
  row.load = access(readings, MetricId::global_load_bytes, MetricId::global_load_sectors,
                    MetricId::global_load_requests);
  row.store = access(readings, MetricId::global_store_bytes, MetricId::global_store_sectors,
                     MetricId::global_store_requests);
  row.atomic = access(readings, MetricId::global_atomic_bytes, MetricId::global_atomic_sectors, std::nullopt);
  row.reduction =
      access(readings, MetricId::global_reduction_bytes, MetricId::global_reduction_sectors, std::nullopt);
  row.async_copy = access(readings, MetricId::async_copy_bytes, MetricId::async_copy_sectors,
                          MetricId::async_copy_requests);
  row.tma_instructions = count(mean(readings, MetricId::tma_instructions));
  const auto divergent = mean(readings, MetricId::constant_divergent_loads);
  const auto replays = mean(readings, MetricId::constant_replays);
  row.constant_divergent_loads = count(divergent);
  if (divergent && replays && *divergent > 0) row.constant_addresses = 1 + *replays / *divergent;
  row.atomic_sectors = count(sum(mean(readings, MetricId::global_atomic_sectors),
                                 mean(readings, MetricId::global_reduction_sectors)));
  const auto local_loads = mean(readings, MetricId::local_load_sectors);
  const auto local_stores = mean(readings, MetricId::local_store_sectors);
  row.local_load_sectors = count(local_loads);
  row.local_store_sectors = count(local_stores);
  row.local_sectors = count(sum(local_loads, local_stores));
  const auto l2 = sum(mean(readings, MetricId::l2_read_sectors), mean(readings, MetricId::l2_write_sectors));
  const auto hits = mean(readings, MetricId::l2_hit_sectors);
  row.l2_sectors = count(l2);
  row.l2_read_sectors = count(mean(readings, MetricId::l2_read_sectors));
  row.l2_write_sectors = count(mean(readings, MetricId::l2_write_sectors));
  // CUPTI counts the hits of atomics, one for each address of a warp, and the accesses of none.
  const bool with_atomics = real(row.atomic_sectors) > kFewAtomics * l2.value_or(0);
  if (!with_atomics) row.l2_hit_ratio = l2_hit_ratio(hits, l2);
  note_implausible(row, readings);
  if (l2 && hits && *l2 > 0 && with_atomics)
    row.unmeasured.push_back(
        {Phase::hits, CoverageReason::measured,
         "L2 hits not shown: they include those of the kernel's atomics, whose accesses are not counted"});
  else if (l2 && hits && *l2 > 0 && !row.l2_hit_ratio)
    row.unmeasured.push_back({Phase::hits, CoverageReason::measured,
                              "L2 hits not shown: more hits than accesses were counted, so the launches that "
                              "were measured for the two differ; record with a higher --samples"});
  row.dram_read_bytes = count(mean(readings, MetricId::dram_read_bytes));
  row.dram_write_bytes = count(mean(readings, MetricId::dram_write_bytes));
  row.sysmem_sectors = count(mean(readings, MetricId::l2_sysmem_sectors));
  row.instructions = count(mean(readings, MetricId::executed_instructions));
  take_levels(row);
}

Count a_launch(const std::optional<std::int64_t>& sum, std::int64_t launches) {
  if (!sum || launches <= 0) return std::nullopt;
  return count(static_cast<double>(*sum) / static_cast<double>(launches));
}

void take_operation(Access& access, const InstructionSums::Operation& sums) {
  access.sector_efficiency = sector_efficiency(sums.ideal_sectors, sums.sectors);
  access.needed_sector_share = sector_efficiency(sums.needed_sectors, sums.sectors);
  access.lanes = lanes(sums.threads, sums.requests);
  if (sums.lines > 0 && sums.requests) access.lines_per_request = sums.lines / real(sums.requests);
  if (sums.has_widths && sums.width_bytes > 0) access.width_bytes = sums.width_bytes / real(sums.requests);
}

// Where the phase `bytes` measured nothing, the instructions tell the sectors.
void take_sectors(Access& access, const InstructionSums::Operation& sums, std::int64_t launches) {
  if (access.sectors || access.requests || !sums.requests) return;
  access.sectors = a_launch(sums.sectors, launches);
  access.requests = a_launch(sums.requests, launches);
  access.sectors_per_request = sectors_per_request(access.sectors, access.requests);
}

void take_instructions(KernelRow& row, const InstructionSums& sums) {
  row.code_crc = sums.code_crc;
  row.sector_efficiency = sector_efficiency(sums.ideal_sectors, sums.sectors);
  take_operation(row.load, sums.load);
  take_operation(row.store, sums.store);
  take_sectors(row.load, sums.load, sums.launches);
  take_sectors(row.store, sums.store, sums.launches);
  take_operation(row.atomic, sums.atomic);
  take_operation(row.reduction, sums.reduction);
  for (const auto& [access, operation] :
       {std::pair(&row.atomic, &sums.atomic), std::pair(&row.reduction, &sums.reduction)}) {
    access->requests = a_launch(operation->requests, sums.launches);
    access->sectors_per_request = sectors_per_request(access->sectors, access->requests);
  }
  row.shared.requests = a_launch(sums.shared_requests, sums.launches);
  row.shared.wavefronts = a_launch(sums.shared_wavefronts, sums.launches);
  row.shared.ideal_wavefronts = a_launch(sums.shared_ideal_wavefronts, sums.launches);
  if (row.shared.wavefronts && row.shared.ideal_wavefronts)
    row.shared.surplus_wavefronts = a_launch(sums.surplus_wavefronts, sums.launches);
}

// Launches without a time are few, and taken to last as long as the median of those that have one. Those that
// a long recording only counted are many: the timed ones are a sample of them, and stand for them in the
// mean.
double untimed_ns(const capture::GroupView& group) {
  const auto counted = static_cast<double>(group.counted_launches);
  const double others = static_cast<double>(group.launches - group.timed_launches) - counted;
  const double mean = static_cast<double>(*group.timed_gpu_ns) / static_cast<double>(group.timed_launches);
  return others * static_cast<double>(*group.median_gpu_ns) + counted * mean;
}

// Of a kernel all of whose launches were measured the counters know the time: gpu__time_duration, which holds
// the kernel's start and end, too.
void take_counted_times(KernelRow& row, const capture::GroupReadings& readings, const ChipConstants& chip) {
  const auto duration_ns = mean(readings, MetricId::traffic_ns);
  if (row.timed_launches > 0 || !duration_ns) return;
  row.timed_launches = std::min(readings.at(MetricId::traffic_ns).launches, row.launches);
  row.median_gpu_ns = count(std::max(*duration_ns - chip.duration_beyond_ns, 0.0));
  if (row.median_gpu_ns)
    row.gpu_ns = count(static_cast<double>(row.launches) * static_cast<double>(*row.median_gpu_ns));
}

void take_times(KernelRow& row, const capture::GroupView& group, const capture::GroupReadings& readings,
                const ChipConstants& chip) {
  row.launches = group.launches;
  row.timed_launches = group.timed_launches;
  row.first_launch_ns = group.first_start_ns;
  row.last_launch_ns = group.last_start_ns;
  row.median_gpu_ns = group.median_gpu_ns;
  if (group.timed_gpu_ns && group.median_gpu_ns)
    row.gpu_ns = count(static_cast<double>(*group.timed_gpu_ns) + untimed_ns(group));
  take_counted_times(row, readings, chip);
  if (const auto asked = asked_bytes(row)) row.asked_bandwidth = bandwidth(*asked, row.median_gpu_ns);
  if (row.dram_read_bytes && row.dram_write_bytes)
    row.dram_bandwidth = bandwidth(*row.dram_read_bytes + *row.dram_write_bytes, row.median_gpu_ns);
}

using CoverageByPhase = std::array<const model::Coverage*, model::kPhaseNames.size()>;

// A launch that was counted is not timed: a kernel may have had no other. Recordings that ended early, or
// were made before this was recorded, tell it by their numbers only.
CoverageReason reason_without_row(const KernelRow& row, Phase phase, const CoverageByPhase& coverage) {
  if (phase != Phase::trace) return CoverageReason::measured;
  std::int64_t counted = 0;
  for (const model::Coverage* found : coverage) counted += found ? found->launches_measured : 0;
  return row.launches > 0 && counted >= row.launches ? CoverageReason::too_few_launches
                                                     : CoverageReason::measured;
}

void take_coverage(KernelRow& row, const CoverageByPhase& coverage) {
  for (const auto& [phase, name] : model::kPhaseNames) {
    if (phase == Phase::replay) continue;  // its launches count for others
    const model::Coverage* found = coverage[static_cast<std::size_t>(phase)];
    const std::int64_t measured =
        phase == Phase::trace ? row.timed_launches : (found ? found->launches_measured : 0);
    if (const auto samples = samples_of(phase)) row.*samples = {measured, row.launches};
    // A contradiction among the readings has been noted already.
    if (measured > 0 || std::ranges::find(row.unmeasured, phase, &Unmeasured::phase) != row.unmeasured.end())
      continue;
    const auto reason = found ? found->reason : reason_without_row(row, phase, coverage);
    row.unmeasured.push_back({phase, reason, unmeasured_text(phase, reason, row.launches)});
  }
}

// Different kernels must not look the same: where short names collide the whole names are shown, and those
// that are too long for that are numbered.
void tell_apart(std::vector<KernelRow>& rows) {
  using Kernel = std::pair<std::string, std::int64_t>;  // its name, and which of those that have it
  std::unordered_map<std::string, std::map<Kernel, std::size_t>> kernels_of_name;
  std::set<std::string> shared_names;
  for (const auto& row : rows) {
    auto& kernels = kernels_of_name[row.name];
    kernels.try_emplace({row.mangled_name, row.of_that_name}, kernels.size() + 1);
    if (row.of_that_name > 1) shared_names.insert(row.mangled_name);
  }
  for (auto& row : rows) {
    const auto& kernels = kernels_of_name.at(row.name);
    if (kernels.size() < 2) continue;
    const std::size_t number = kernels.at({row.mangled_name, row.of_that_name});
    const std::string whole = base::without_signature(row.full_name);
    if (whole.size() <= kLongestShown && !shared_names.contains(row.mangled_name))
      row.name = whole;
    else
      row.name += fmt::format(" #{}", number);
  }
}

}  // namespace

Count asked_bytes(const KernelRow& row) {
  if (row.tma_instructions.value_or(0) > 0 || !row.load.data_bytes || !row.store.data_bytes)
    return std::nullopt;
  std::int64_t sum = 0;
  for (const Access* access : {&row.load, &row.store, &row.atomic, &row.reduction, &row.async_copy})
    base::add_to(sum, access->data_bytes.value_or(0));
  return sum;
}

Samples KernelRow::*samples_of(Phase phase) {
  Samples KernelRow::*samples = nullptr;
  for_each_field<KernelRow>([&](const auto& field) {
    if constexpr (std::is_same_v<decltype(field.member), Samples KernelRow::*>)
      if (field.key == name_of(phase)) samples = field.member;
  });
  return samples;
}

std::vector<KernelRow> kernel_rows(std::span<const capture::GroupView> groups,
                                   const ReadingsByGroup& readings,
                                   const InstructionSumsByGroup& instructions,
                                   std::span<const model::Coverage> coverage, const Machines& machines) {
  std::unordered_map<model::GroupId, CoverageByPhase> coverage_of_group;
  for (const auto& row : coverage)
    if (const auto phase = static_cast<std::size_t>(row.phase);
        phase < model::kPhaseNames.size() && row.phase != Phase::replay)
      coverage_of_group[row.group_id][phase] = &row;

  struct Name {
    std::string full, shown;
  };
  std::unordered_map<std::string, Name> names;  // many groups share a kernel
  std::size_t demangled_bytes = 0;
  // Compilers that make code at run time give many functions one name.
  std::map<std::pair<std::int64_t, std::string>, std::map<std::int64_t, std::int64_t>> of_one_name;
  std::vector<KernelRow> rows;
  rows.reserve(groups.size());
  for (const auto& group : groups) {
    KernelRow row;
    row.id = group.group_id.value;
    auto& kernels = of_one_name[{group.process_id.value, group.kernel_name}];
    row.of_that_name = kernels.try_emplace(group.kernel_id.value, std::ssize(kernels) + 1).first->second;
    auto& name = names[group.kernel_name];
    if (name.full.empty()) {
      name.full = demangled_bytes < kMostDemangled ? base::demangle(group.kernel_name) : group.kernel_name;
      demangled_bytes += name.full.size();
      name.full = capture::cut(name.full, capture::share_of(capture::kMostNamesTogether, groups.size()));
      name.shown = short_kernel_name(name.full);
    }
    row.name = name.shown;
    row.full_name = name.full;
    row.mangled_name = group.kernel_name;
    row.process_id = group.process_id.value;
    row.device_id = group.device_id.value;
    row.grid = group.grid;
    row.block = group.block;
    row.dynamic_shared_bytes = group.dynamic_shared_bytes;
    row.variant = group.variant;
    row.parameters = group.parameters;
    row.static_shared_bytes = group.static_shared_bytes;
    row.registers_per_thread = group.registers_per_thread;
    row.local_bytes_per_thread = group.local_bytes_per_thread;
    row.code_file = group.code_file;
    row.code_loader = group.code_loader;
    const auto read = readings.find(group.group_id);
    const capture::GroupReadings& all = read == readings.end() ? kNoReadings : read->second;
    row.mixed = mixed_of(all);
    row.launch_spread = launch_spread(all);
    const capture::GroupReadings others = row.mixed ? without_traffic(all) : kNoReadings;
    const capture::GroupReadings& counters = row.mixed ? others : all;
    if (row.mixed) {
      row.mixed->mean = mean_traffic(all);
      note_mixed(row);
    }
    take_readings(row, counters);
    // CUPTI 13.0 tells 0 of every kernel.
    if (row.local_bytes_per_thread == 0 && real(row.local_sectors) > 0)
      row.local_bytes_per_thread = std::nullopt;
    if (const auto found = instructions.find(group.group_id); found != instructions.end())
      take_instructions(row, found->second);
    const auto machine = machines.find(row.device_id);
    take_times(row, group, counters, machine == machines.end() ? kGh100 : machine->second.chip);
    const auto found = coverage_of_group.find(group.group_id);
    take_coverage(row, found == coverage_of_group.end() ? CoverageByPhase{} : found->second);
    row.traits = traits_of(row);
    rows.push_back(std::move(row));
  }
  tell_apart(rows);
  std::ranges::stable_sort(rows, std::greater{},
                           [](const KernelRow& row) { return row.gpu_ns.value_or(-1); });
  return rows;
}

void number_variants(std::vector<KernelRow>& rows) {
  for (KernelRow& row : rows)
    if (row.variant) row.name += fmt::format(" [{}]", *row.variant);
}

double memory_requests(const KernelRow& row) {
  return real(row.atomic.requests) + real(row.reduction.requests) + real(row.load.requests) +
         real(row.store.requests);
}

bool works_in_host_memory(const KernelRow& row) {
  return row.sysmem_sectors.value_or(0) > 0;
}

}  // namespace coalescope::analysis
