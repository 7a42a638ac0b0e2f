#include "reports/html/kernel_columns.h"

#include <array>
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/html/values.h"
#include "reports/html/words.h"

namespace coalescope::html {
namespace {

using analysis::Access;
using analysis::KernelRow;
using analysis::Samples;
using model::Phase;

Cell unmeasured(const KernelRow& row, Phase phase) {
  for (const auto& gap : row.unmeasured)
    if (gap.phase == phase) return missing("not measured", words(gap.reason), gap.text);
  return missing("not measured", "", "the capture does not say why");
}

// The title that every measured number gets: its exact value and how many launches it stands on.
Cell sampled(Cell cell, Samples samples) {
  cell.title += "; " + samples_text(samples);
  return cell;
}

std::string dim3_text(const std::array<std::int64_t, 3>& size) {
  if (size[1] == 1 && size[2] == 1) return base::format_count(size[0]);
  if (size[2] == 1) return fmt::format("{} x {}", size[0], size[1]);
  return fmt::format("{} x {} x {}", size[0], size[1], size[2]);
}

std::string resources_text(const KernelRow& row) {
  std::string text =
      fmt::format("{} dynamic", base::format_bytes(static_cast<double>(row.dynamic_shared_bytes)));
  if (row.static_shared_bytes)
    text += fmt::format(" and {} static", base::format_bytes(static_cast<double>(*row.static_shared_bytes)));
  text += " shared memory a block";
  if (row.registers_per_thread) text += fmt::format("; {} registers a thread", *row.registers_per_thread);
  if (row.local_bytes_per_thread)
    text += fmt::format("; {} B local memory a thread", *row.local_bytes_per_thread);
  return text;
}

Cell name(const KernelRow& row) {
  Html shown = element("code", {{"class", "name"}}, row.name);
  shown << element("small", {{"title", resources_text(row)}},
                   fmt::format("{} blocks of {} threads", dim3_text(row.grid), dim3_text(row.block)));
  std::string traits;
  for (const auto& trait : row.traits) traits += (traits.empty() ? "" : "; ") + trait;
  if (!traits.empty()) shown << element("small", {{"class", "traits"}}, traits);
  return {shown, row.full_name, std::nullopt};
}

Cell launches(const KernelRow& row) {
  return count_cell(row.launches, "launches");
}

Cell gpu_time(const KernelRow& row) {
  if (!row.gpu_ns) return unmeasured(row, Phase::trace);
  Cell cell = time_cell(*row.gpu_ns);
  cell.title += fmt::format("; {} of {} launches timed, the rest estimated from these", row.timed_launches,
                            row.launches);
  if (row.share) {
    cell.shown << element("small", base::format_share(*row.share)) << bar(*row.share);
    cell.title += fmt::format("; {} of the GPU time in kernels and transfers", exact_share(*row.share));
  }
  return cell;
}

Cell median(const KernelRow& row) {
  return row.median_gpu_ns ? sampled(time_cell(*row.median_gpu_ns), {row.timed_launches, row.launches})
                           : unmeasured(row, Phase::trace);
}

// A kernel that has no such instruction is measured, and has no ratio.
bool has_none(const Access& access) {
  return access.sectors == 0 || access.requests == 0;
}

// The same ratio at the levels below L1, where waste that a cache absorbed is gone.
Html further_down(const Access& access) {
  std::string text;
  for (const auto& [name, degree] :
       {std::pair("L2 ", access.l2_degree), std::pair("DRAM ", access.dram_degree)})
    if (degree)
      text += (text.empty() ? "" : ", ") + std::string(name) +
              (*degree > 1 ? "> 100 %" : base::format_share(*degree));
  if (text.empty()) return {};
  return element("small", {{"title", "bytes asked for / bytes that this level moved for them"}}, text);
}

Cell degree(const KernelRow& row, const Access& access, std::string_view none) {
  if (has_none(access)) return missing(none, "", samples_text(row.bytes));
  if (!access.degree) return unmeasured(row, Phase::bytes);
  Cell cell = share_cell(*access.degree, "of the bytes moved were asked for");
  if (access.data_bytes && access.sectors)
    cell.title += fmt::format("; {} of 32 x {} bytes a launch", base::format_count(*access.data_bytes),
                              base::format_count(*access.sectors));
  cell.shown << further_down(access);
  return sampled(std::move(cell), row.bytes);
}

Cell spread(const KernelRow& row, const Access& access, std::string_view none) {
  if (has_none(access)) return missing(none, "", samples_text(row.bytes));
  if (!access.sectors_per_request) return unmeasured(row, Phase::bytes);
  Cell cell = ratio_cell(*access.sectors_per_request, "sectors a request");
  if (access.sectors && access.requests)
    cell.title += fmt::format("; {} sectors for {} requests a launch", base::format_count(*access.sectors),
                              base::format_count(*access.requests));
  return sampled(std::move(cell), row.bytes);
}

Cell load_degree(const KernelRow& row) {
  return degree(row, row.load, "no loads");
}
Cell store_degree(const KernelRow& row) {
  return degree(row, row.store, "no stores");
}
Cell load_spread(const KernelRow& row) {
  return spread(row, row.load, "no loads");
}
Cell store_spread(const KernelRow& row) {
  return spread(row, row.store, "no stores");
}

Cell efficiency(const KernelRow& row) {
  return row.sector_efficiency
             ? sampled(share_cell(*row.sector_efficiency, "of the sectors were needed"), row.lines)
             : unmeasured(row, Phase::lines);
}

Cell l2_hits(const KernelRow& row) {
  if (row.l2_hit_ratio)
    return sampled(share_cell(*row.l2_hit_ratio, "of the sectors asked of L2 were there"), row.hits);
  const bool traffic_missing = row.traffic.measured == 0 && row.hits.measured > 0;
  return unmeasured(row, traffic_missing ? Phase::traffic : Phase::hits);
}

Cell dram_bytes(const KernelRow& row, std::optional<std::int64_t> bytes) {
  return bytes ? sampled(bytes_cell(*bytes), row.traffic) : unmeasured(row, Phase::traffic);
}
Cell dram_read(const KernelRow& row) {
  return dram_bytes(row, row.dram_read_bytes);
}
Cell dram_written(const KernelRow& row) {
  return dram_bytes(row, row.dram_write_bytes);
}

Cell dram_bandwidth(const KernelRow& row) {
  return row.dram_bandwidth ? sampled(bandwidth_cell(*row.dram_bandwidth), row.traffic)
                            : unmeasured(row, Phase::traffic);
}

Cell samples(const KernelRow& row) {
  const std::array<std::pair<std::string_view, Samples>, 4> phases{
      {{"bytes", row.bytes}, {"lines", row.lines}, {"traffic", row.traffic}, {"hits", row.hits}}};
  std::int64_t most = 0;
  std::string all;
  for (const auto& [phase, samples] : phases) {
    most = std::max(most, samples.measured);
    all += fmt::format("{}{}: {}", all.empty() ? "" : "; ", phase, samples_text(samples));
  }
  return {samples_text({most, row.launches}), all, static_cast<double>(most)};
}

constexpr std::array<Column<KernelRow>, 14> kKernelColumns{{
    {"", "Kernel", "Launches of one kernel with the same grid and block. The full name is in the title.",
     Align::text, name},
    {"Time", "Launches", "How often it was launched.", Align::number, launches},
    {"Time", "GPU time",
     "Time on the GPU, all launches together, and its share of the GPU time in kernels and transfers.",
     Align::number, gpu_time},
    {"Time", "A launch", "Median time of a launch.", Align::number, median},
    {"Degree of coalescing", "Loads",
     "Distinct bytes asked for / bytes moved for them, in global loads. 100 % is perfect; a word that a "
     "whole warp "
     "shares gives 12.5 %.",
     Align::number, load_degree},
    {"Degree of coalescing", "Stores", "The same for global stores.", Align::number, store_degree},
    {"Sectors a request", "Loads",
     "Pieces of 32 bytes moved for one load instruction of one warp. 4 is perfect for 4-byte words, 32 the "
     "worst.",
     Align::number, load_spread},
    {"Sectors a request", "Stores", "The same for global stores.", Align::number, store_spread},
    {"", "Sector efficiency",
     "Sectors that an ideal layout of the same bytes would need / sectors moved, over all memory "
     "instructions.",
     Align::number, efficiency},
    {"L2", "Hits", "Sectors that L2 had already / sectors asked of it.", Align::number, l2_hits},
    {"DRAM, a launch", "Read", "Bytes read from device memory.", Align::number, dram_read},
    {"DRAM, a launch", "Written", "Bytes written to device memory.", Align::number, dram_written},
    {"DRAM, a launch", "Bandwidth", "DRAM bytes / median time.", Align::number, dram_bandwidth},
    {"", "Samples",
     "On how many launches the counts stand. Only a few are measured: counting slows a launch down.",
     Align::text, samples},
}};

}  // namespace

std::span<const Column<KernelRow>> kernel_columns() {
  return kKernelColumns;
}

}  // namespace coalescope::html
