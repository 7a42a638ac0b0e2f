#include "injection/recorder/part_file.h"

#include <algorithm>

namespace coalescope::recorder {
namespace {

// A row that does not fit costs itself; a full disk refuses every row, and then trying on only costs time.
constexpr int kMostRefused = 100;

}  // namespace

std::string part_stem(const RecorderOptions& options, const model::Process& process) {
  // Ranks on several machines may share the folder, and a program that replaces itself keeps its number.
  std::string name = process.host.empty() ? "host" : process.host;
  std::replace(name.begin(), name.end(), '/', '_');
  name += "-" + std::to_string(process.pid);
  if (process.rank) name += "-rank" + std::to_string(*process.rank);
  return options.directory + "/" + name + "-" + std::to_string(process.began_ns);
}

model::Capture new_part(const RecorderOptions& options) {
  model::Capture capture;
  capture.tool_version = COALESCOPE_VERSION;
  capture.started_unix_ns = options.started_unix_ns;
  return capture;
}

PartFile::PartFile(capture::Writer writer, GroupTable& groups, Backend& backend, Diagnostics& diagnostics)
    : writer_(std::move(writer)), groups_(groups), backend_(backend), diagnostics_(diagnostics) {}

base::Result<std::unique_ptr<PartFile>> PartFile::create(const RecorderOptions& options,
                                                         const model::Process& process, GroupTable& groups,
                                                         Backend& backend, Diagnostics& diagnostics) {
  auto writer = capture::Writer::create(part_stem(options, process) + ".part.coal");
  if (!writer) return tl::unexpected(writer.error());
  std::unique_ptr<PartFile> file(new PartFile(std::move(*writer), groups, backend, diagnostics));
  file->insert(new_part(options));
  file->insert(process);
  file->commit();
  return file;
}

void PartFile::check(const base::Result<void>& done) {
  if (done) return;
  ++refused_;
  diagnostics_.add("capture", "row_refused", done.error());
}

template <class Row>
void PartFile::insert(const Row& row) {
  if (refused_ < kMostRefused) check(writer_.insert(row));
}

template <class Row>
void PartFile::replace(const Row& row) {
  if (refused_ < kMostRefused) check(writer_.replace(row));
}

void PartFile::commit() {
  check(writer_.commit());
}

void PartFile::write(const model::Kernel& kernel) {
  insert(kernel);
  kernels_.emplace(kernel.id.value, kernel);
}

void PartFile::write(const model::KernelGroup& group) {
  insert(group);
}

void PartFile::write(const DeviceSeen& seen) {
  auto device = backend_.describe_device(seen.ordinal);
  if (device) {
    device->id = model::DeviceId{seen.ordinal + 1};
    device->process_id = model::ProcessId{1};
    replace(*device);
  } else {
    diagnostics_.add("device", "not_described", device.error());
  }
}

model::InstructionId PartFile::instruction_id(const InstructionCounts& counts) {
  const auto kernel = groups_.kernel_id(counts.kernel_name);
  const auto key = std::make_tuple(kernel.value, counts.module_crc, counts.pc_offset);
  if (const auto found = instructions_.find(key); found != instructions_.end()) return found->second;
  model::Instruction row;
  row.id = model::InstructionId{static_cast<std::int64_t>(instructions_.size()) + 1};
  row.kernel_id = kernel;
  row.module_crc = counts.module_crc;
  row.pc_offset = counts.pc_offset;
  insert(row);
  instructions_.emplace(key, row.id);
  return row.id;
}

void PartFile::write(const WindowRecord& record) {
  insert(record.window);
  const bool kept = record.window.outcome == model::CoverageReason::measured;
  for (const auto& metric : record.readings.metrics) {
    if (metrics_.insert(metric.id).second) replace(metric);
  }
  for (std::size_t i = 0; i < record.launches.size(); ++i) {
    model::Launch launch;
    launch.id = model::LaunchId{++launches_};
    launch.group_id = record.launches[i].group_id;
    launch.stream = record.launches[i].stream;
    launch.window_id = record.window.id;
    insert(launch);
    if (!kept || i >= record.readings.launches.size()) continue;
    for (const auto& [metric, value] : record.readings.launches[i])
      insert(model::Reading{launch.id, metric, value});
  }
  if (!kept) return;
  for (const auto& counts : record.readings.instructions) {
    const auto instruction = instruction_id(counts);
    for (const auto& [metric, value] : counts.values)
      insert(model::InstructionReading{record.window.id, instruction, metric, value});
  }
}

void PartFile::write(const ActivityBuffer& buffer) {
  backend_.decode(buffer, *this);
}

void PartFile::write(const model::Coverage& coverage) {
  replace(coverage);
}

void PartFile::write(const std::vector<model::Diagnostic>& diagnostics) {
  // Even when nothing else is written any more: these rows say why.
  for (const auto& row : diagnostics) (void)writer_.replace(row);
}

void PartFile::write(const model::Process& process) {
  replace(process);
}

void PartFile::kernel(const KernelRun& run) {
  Group& group = groups_.find_or_add(run.kernel_name, run.device, run.shape);
  if (run.graph_id) {
    // The host launched the graph, not this kernel: no callback has counted it.
    group.launches_seen.fetch_add(1, std::memory_order_relaxed);
    group.launches_in_graph.fetch_add(1, std::memory_order_relaxed);
  }
  model::Launch launch;
  launch.id = model::LaunchId{++launches_};
  launch.group_id = group.row.id;
  launch.stream = run.stream;
  launch.start_ns = run.start_ns;
  launch.gpu_ns = run.gpu_ns;
  launch.graph_id = run.graph_id;
  insert(launch);

  // A group found here for the first time has only queued its rows; the kernel is then completed later.
  const auto known = kernels_.find(group.row.kernel_id.value);
  if (known == kernels_.end() || known->second.registers_per_thread) return;
  known->second.registers_per_thread = run.registers_per_thread;
  known->second.static_shared_bytes = run.static_shared_bytes;
  known->second.local_bytes_per_thread = run.local_bytes_per_thread;
  replace(known->second);
}

void PartFile::transfer(const model::Transfer& transfer) {
  model::Transfer row = transfer;
  row.id = ++transfers_;
  row.process_id = model::ProcessId{1};
  insert(row);
}

void PartFile::dropped(std::int64_t records) {
  diagnostics_.add(
      model::Severity::data_loss, "trace", "records_dropped",
      "activity records were dropped because no buffer was free: some launches and transfers have "
      "no time",
      records);
}

}  // namespace coalescope::recorder
