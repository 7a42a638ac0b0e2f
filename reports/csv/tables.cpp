#include "reports/csv/tables.h"

#include <fmt/format.h>

#include "core/model/enums.h"

namespace coalescope::csv {
namespace {

using analysis::Access;

std::string_view full_name(const Kernels& kernels, std::optional<std::int64_t> kernel_id) {
  const auto kernel = kernel_id ? kernels.find(*kernel_id) : kernels.end();
  return kernel == kernels.end() ? std::string_view() : kernel->second->full_name;
}

void access(Record& record, const std::string& prefix, const Access& row) {
  record.number(prefix + "_data_bytes_per_launch", row.data_bytes);
  record.number(prefix + "_sectors_per_launch", row.sectors);
  record.number(prefix + "_requests_per_launch", row.requests);
  record.number(prefix + "_degree_of_coalescing_ratio", row.degree);
  record.number(prefix + "_sectors_per_request", row.sectors_per_request);
  record.number(prefix + "_sector_efficiency_ratio", row.sector_efficiency);
  record.number(prefix + "_threads_per_request", row.lanes);
  record.number(prefix + "_l2_degree_ratio", row.l2_degree);
  record.number(prefix + "_dram_degree_ratio", row.dram_degree);
}

void shared(Record& record, const analysis::SharedAccess& row) {
  record.number("shared_requests_per_launch", row.requests);
  record.number("shared_wavefronts_per_launch", row.wavefronts);
  record.number("shared_ideal_wavefronts_per_launch", row.ideal_wavefronts);
  record.number("shared_surplus_wavefronts_per_launch", row.surplus_wavefronts);
}

void size(Record& record, const std::string& prefix, const std::array<std::int64_t, 3>& size) {
  record.number(prefix + "_x", std::optional(size[0]));
  record.number(prefix + "_y", std::optional(size[1]));
  record.number(prefix + "_z", std::optional(size[2]));
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, "; "));
}

std::string reasons(const analysis::KernelRow& row) {
  std::string text;
  for (const auto& gap : row.unmeasured)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", name_of(gap.phase), gap.text);
  return text;
}

}  // namespace

void describe(Record& record, const analysis::Finding& row, const Kernels& kernels) {
  constexpr std::array<std::string_view, 3> kLevels{"note", "warning", "severe"};
  record.text("rule", row.rule);
  record.text("level", kLevels.at(static_cast<std::size_t>(row.level)));
  record.text("title", row.title);
  record.text("subject", row.subject);
  record.text("full_kernel_name", full_name(kernels, row.kernel_id));
  record.number("kernel_id", row.kernel_id);
  record.text("file", row.file);
  record.number("line", row.line);
  record.number("lost_ns", row.lost_ns);
  record.number("lost_share_of_run_ratio", row.lost_share);
  record.number("subject_gpu_ns", row.subject_ns);
  record.text("evidence", row.evidence);
  record.text("advice", row.advice);
  record.text("basis", row.basis);
  record.end();
}

void describe(Record& record, const analysis::KernelRow& row, const Kernels&) {
  const auto count = [&](std::string_view name, std::int64_t value) {
    record.number(name, std::optional(value));
  };
  count("kernel_id", row.id);
  record.text("name", row.name);
  record.text("full_name", row.full_name);
  record.text("mangled_name", row.mangled_name);
  count("process_id", row.process_id);
  count("device_id", row.device_id);
  size(record, "grid", row.grid);
  size(record, "block", row.block);
  count("dynamic_shared_bytes", row.dynamic_shared_bytes);
  record.number("variant", row.variant);
  record.text("parameters", row.parameters);
  record.number("static_shared_bytes", row.static_shared_bytes);
  record.number("registers_per_thread", row.registers_per_thread);
  record.number("local_bytes_per_thread", row.local_bytes_per_thread);
  count("launches", row.launches);
  count("timed_launches", row.timed_launches);
  record.number("median_gpu_ns", row.median_gpu_ns);
  record.number("gpu_ns", row.gpu_ns);
  record.number("share_of_run_ratio", row.share);
  access(record, "load", row.load);
  access(record, "store", row.store);
  access(record, "atomic", row.atomic);
  access(record, "reduction", row.reduction);
  access(record, "async_copy", row.async_copy);
  shared(record, row.shared);
  record.number("atomic_sectors_per_launch", row.atomic_sectors);
  record.number("local_sectors_per_launch", row.local_sectors);
  record.number("local_load_sectors_per_launch", row.local_load_sectors);
  record.number("local_store_sectors_per_launch", row.local_store_sectors);
  record.number("tma_instructions_per_launch", row.tma_instructions);
  record.number("sector_efficiency_ratio", row.sector_efficiency);
  record.number("l2_sectors_per_launch", row.l2_sectors);
  record.number("l2_read_sectors_per_launch", row.l2_read_sectors);
  record.number("l2_write_sectors_per_launch", row.l2_write_sectors);
  record.number("l2_hit_ratio", row.l2_hit_ratio);
  record.number("dram_read_bytes_per_launch", row.dram_read_bytes);
  record.number("dram_write_bytes_per_launch", row.dram_write_bytes);
  record.number("sysmem_sectors_per_launch", row.sysmem_sectors);
  record.number("footprint_bytes", row.footprint_bytes);
  record.number("host_footprint_bytes", row.host_footprint_bytes);
  record.number("asked_bytes_per_s", row.asked_bandwidth);
  record.number("dram_bytes_per_s", row.dram_bandwidth);
  count("launches_measured_bytes", row.bytes.measured);
  count("launches_measured_lines", row.lines.measured);
  count("launches_measured_traffic", row.traffic.measured);
  count("launches_measured_hits", row.hits.measured);
  record.text("worst_file", row.worst_file);
  record.number("worst_line", row.worst_line);
  record.text("traits", joined(row.traits));
  record.text("not_measured", reasons(row));
  record.end();
}

void describe(Record& record, const analysis::LineRow& row, const Kernels& kernels) {
  record.number("kernel_id", std::optional(row.kernel_id));
  record.text("kernel", row.kernel_name);
  record.text("full_kernel_name", full_name(kernels, row.kernel_id));
  record.text("file", row.file);
  record.number("line", row.line);
  record.number("pc_offset_bytes", row.pc_offset);
  record.number("memory_instructions", std::optional(row.instructions));
  record.number("loads_per_launch", row.loads);
  record.number("stores_per_launch", row.stores);
  record.number("sectors_per_launch", row.sectors);
  record.number("ideal_sectors_per_launch", row.ideal_sectors);
  record.number("surplus_sectors_per_launch", row.surplus_sectors);
  record.number("sector_efficiency_ratio", row.sector_efficiency);
  record.number("sectors_per_request", row.sectors_per_request);
  record.number("atomics_per_launch", row.atomics);
  record.number("reductions_per_launch", row.reductions);
  record.number("async_copies_per_launch", row.async_copies);
  record.number("threads_per_launch", row.threads);
  record.number("threads_per_request", row.lanes);
  record.number("least_degree_of_coalescing_ratio", row.least_degree);
  record.number("greatest_degree_of_coalescing_ratio", row.greatest_degree);
  record.number("local_sectors_per_launch", row.local_sectors);
  shared(record, row.shared);
  record.number("broadcast_loads_per_launch", row.broadcast_loads);
  record.yes_or_no("indexed", row.indexed);
  record.text("traits", joined(row.traits));
  record.text("source", row.text);
  record.end();
}

void describe(Record& record, const analysis::TransferRow& row, const Kernels&) {
  const auto count = [&](std::string_view name, std::int64_t value) {
    record.number(name, std::optional(value));
  };
  count("device_id", row.device_id);
  record.text("direction", name_of(row.direction));
  record.text("source_memory", name_of(row.source_memory));
  record.text("destination_memory", name_of(row.destination_memory));
  record.yes_or_no("asynchronous", row.asynchronous);
  count("smallest_bytes", row.smallest_bytes);
  count("largest_bytes", row.largest_bytes);
  count("transfers", row.transfers);
  count("bytes", row.bytes);
  record.number("gpu_ns", row.gpu_ns);
  record.number("share_of_run_ratio", row.share);
  record.number("bytes_per_s", row.bandwidth);
  record.number("reference_bytes_per_s", row.reference_bandwidth);
  record.text("reference", row.reference);
  record.yes_or_no("through_host", row.through_host);
  record.end();
}

}  // namespace coalescope::csv
