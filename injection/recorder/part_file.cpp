#include "injection/recorder/part_file.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace coalescope::recorder {
namespace {

// Where nobody takes rows any more, trying on only costs time.
constexpr int kMostRefused = 100;

}  // namespace

std::string part_name(const model::Process& process) {
  // Ranks on several machines may share the folder, and a program that replaces itself keeps its number.
  std::string name = process.host.empty() ? "host" : process.host;
  std::replace(name.begin(), name.end(), '/', '_');
  name += "-" + std::to_string(process.pid);
  if (process.rank) name += "-rank" + std::to_string(*process.rank);
  return name + "-" + std::to_string(process.began_ns);
}

model::Capture new_part(const RecorderOptions& options) {
  model::Capture capture;
  capture.tool_version = COALESCOPE_VERSION;
  capture.started_unix_ns = options.started_unix_ns;
  return capture;
}

PartFile::PartFile(const RecorderOptions& options, ring::RingWriter& ring, GroupTable& groups,
                   LaunchSites& sites, CopyCounts& copies, Backend& backend, Diagnostics& diagnostics)
    : writer_(ring),
      groups_(groups),
      sites_(sites),
      copies_(copies),
      backend_(backend),
      diagnostics_(diagnostics),
      pace_(options.most_listed, options.most_listed_busy) {}

base::Result<std::unique_ptr<PartFile>> PartFile::create(const RecorderOptions& options,
                                                         const model::Process& process,
                                                         ring::RingWriter& ring, GroupTable& groups,
                                                         LaunchSites& sites, CopyCounts& copies,
                                                         Backend& backend, Diagnostics& diagnostics) {
  std::unique_ptr<PartFile> file(new PartFile(options, ring, groups, sites, copies, backend, diagnostics));
  file->add(new_part(options));
  file->add(process);
  if (auto begun = file->writer_.publish(); !begun) return base::relay(begun);
  return file;
}

void PartFile::check(const base::Result<void>& done) {
  if (done) return;
  ++refused_;
  diagnostics_.add(model::diagnostic_kind("capture", "row_refused"), done.error());
}

bool PartFile::has_room() const {
  return refused_ < kMostRefused;
}

void PartFile::publish() {
  if (has_room()) check(writer_.publish());
}

void PartFile::commit() {
  sites_.write(*this);
  write_transfer_totals();
  publish();
}

void PartFile::write(const model::Kernel& kernel) {
  add(kernel);
  kernels_.emplace(kernel.id.value, kernel);
}

void PartFile::write(const model::KernelGroup& group) {
  if (groups_written_.insert(group.id.value).second) add(group);
}

// Several modules may have a kernel of one name: the first that was launched is meant.
void PartFile::write(const KernelCode& code) {
  const auto known = kernels_.find(code.kernel_id.value);
  if (known == kernels_.end() || known->second.code_file || known->second.code_loader) return;
  known->second.code_file = code.source.file;
  known->second.code_loader = code.source.loader;
  put(known->second);
}

void PartFile::write(const DeviceSeen& seen) {
  auto device = backend_.describe_device(seen.ordinal);
  if (device) {
    device->id = model::DeviceId{seen.ordinal + 1};
    device->process_id = model::ProcessId{1};
    put(*device);
  } else {
    diagnostics_.add(model::diagnostic_kind("device", "not_described"), device.error());
  }
}

// Several kernels may have one name: that which was launched is meant. A kernel that it launched in turn is
// known by its name only.
model::KernelId PartFile::kernel_of(const InstructionCounts& counts, const WindowRecord& record) {
  for (const auto& launch : record.launches) {
    const auto id = groups_.at(launch.group_id).row.kernel_id;
    const auto known = kernels_.find(id.value);
    if (known != kernels_.end() && known->second.name == counts.kernel_name) return id;
  }
  return groups_.kernel_id(counts.kernel_name);
}

model::InstructionId PartFile::instruction_id(const InstructionCounts& counts, model::KernelId kernel) {
  const auto key = std::make_tuple(kernel.value, counts.module_crc, counts.pc_offset);
  if (const auto found = instructions_.find(key); found != instructions_.end()) return found->second;
  model::Instruction row;
  row.id = model::InstructionId{static_cast<std::int64_t>(instructions_.size()) + 1};
  row.kernel_id = kernel;
  row.module_crc = counts.module_crc;
  row.pc_offset = counts.pc_offset;
  add(row);
  instructions_.emplace(key, row.id);
  return row.id;
}

void PartFile::write(const WindowRecord& record) {
  add(record.window);
  const bool kept = record.window.outcome == model::CoverageReason::measured;
  for (const auto& metric : record.readings.metrics) {
    if (metrics_.insert(metric.id).second) put(metric);
  }
  for (std::size_t i = 0; i < record.launches.size(); ++i) {
    model::Launch launch;
    launch.id = model::LaunchId{++launches_};
    launch.group_id = record.launches[i].group_id;
    launch.stream = record.launches[i].stream;
    launch.start_ns = record.launches[i].began_ns;
    launch.window_id = record.window.id;
    add(launch);
    ++groups_.at(launch.group_id).launches_listed;
    if (!kept || i >= record.readings.launches.size()) continue;
    for (const auto& [metric, value] : record.readings.launches[i])
      add(model::Reading{launch.id, metric, value});
  }
  if (!kept) return;
  for (const auto& counts : record.readings.instructions) {
    const auto instruction = instruction_id(counts, kernel_of(counts, record));
    for (const auto& [metric, value] : counts.values)
      add(model::InstructionReading{record.window.id, instruction, metric, value});
  }
}

void PartFile::write(const ActivityBuffer& buffer) {
  backend_.decode(buffer, *this);
}

void PartFile::write(const model::Coverage& coverage) {
  put(coverage);
}

// It may come before the group itself, which waits in the queue.
void PartFile::replace(const model::KernelGroup& group) {
  groups_written_.insert(group.id.value);
  put(group);
}

void PartFile::write(const std::vector<model::Diagnostic>& diagnostics) {
  // Even when nothing else is written any more: these rows say why.
  for (const auto& row : diagnostics) (void)writer_.replace(row);
}

void PartFile::write(const model::Process& process) {
  put(process);
}

void PartFile::write_total(Group& group) {
  const std::int64_t untraced = group.launches_untraced.load(std::memory_order_relaxed);
  if (lists_all() && untraced == 0) return;
  model::LaunchTotal& total = group.unlisted;
  const std::int64_t seen = group.launches_seen.load(std::memory_order_relaxed);
  const std::int64_t launches =
      lists_all() ? untraced : std::max(total.timed_launches, seen - group.launches_listed);
  // Times come later than launches.
  if (launches == total.launches && !std::exchange(group.unlisted_timed, false)) return;
  total.group_id = group.row.id;
  total.launches = launches;
  put(total);
}

bool PartFile::keep_pace(std::int64_t now_ns, bool may_count, bool new_kernel) {
  const bool listed = lists(std::nullopt), all = lists_all();
  if (new_kernel) pace_.wake(now_ns);
  const Turn turn = pace_.turn_at(now_ns, launches_ + transfers_, may_count);
  if (lists(std::nullopt) != listed) put(pace_.gaps().back());
  if (all && !lists_all()) diagnostics_.add(model::diagnostic_kind("trace", "sampled"));
  return turn != Turn::counted;
}

void PartFile::missed(std::int64_t began_ns, std::int64_t ended_ns) {
  const auto gaps = pace_.gaps().size();
  pace_.missed(began_ns, ended_ns);
  if (pace_.gaps().size() > gaps) put(pace_.gaps().back());
}

// Without a time: now.
bool PartFile::lists(std::optional<std::int64_t> start_ns) const {
  return pace_.lists(start_ns.value_or(std::numeric_limits<std::int64_t>::max()));
}

void PartFile::kernel(const KernelRun& run) {
  Group& group = groups_.group_of(run);
  const bool counted = groups_.is_counted(run);
  if (!counted) group.launches_seen.fetch_add(1, std::memory_order_relaxed);
  if (run.graph_id && !counted) group.launches_in_graph.fetch_add(1, std::memory_order_relaxed);
  if (run.gpu_ns) groups_.timed(group, *run.gpu_ns);
  sites_.ran(run, group.row.id, counted);
  if (lists(run.start_ns)) {
    list(run, group);
  } else if (run.gpu_ns) {
    group.unlisted_timed = true;
    ++group.unlisted.timed_launches;
    group.unlisted.gpu_ns += *run.gpu_ns;
    group.unlisted.shortest_gpu_ns =
        std::min(group.unlisted.shortest_gpu_ns.value_or(*run.gpu_ns), *run.gpu_ns);
  }

  // A group found here for the first time has only queued its rows; the kernel is then completed later.
  const auto known = kernels_.find(group.row.kernel_id.value);
  if (known == kernels_.end() || known->second.registers_per_thread) return;
  known->second.registers_per_thread = run.registers_per_thread;
  known->second.static_shared_bytes = run.static_shared_bytes;
  known->second.local_bytes_per_thread = run.local_bytes_per_thread;
  put(known->second);
}

void PartFile::list(const KernelRun& run, Group& group) {
  model::Launch launch;
  launch.id = model::LaunchId{++launches_};
  launch.group_id = group.row.id;
  launch.stream = run.stream;
  launch.start_ns = run.start_ns;
  launch.gpu_ns = run.gpu_ns;
  launch.graph_id = run.graph_id;
  add(launch);
  ++group.launches_listed;
}

// Those of records, and those that have none.
void PartFile::write_transfer_totals() {
  TransferTotals totals = transfer_totals_;
  for (const model::TransferTotal& counted : copies_.without_record()) totals.add(counted);
  for (const auto& [key, total] : totals.all()) {
    const auto [written, is_new] = transfers_written_.try_emplace(key, 0);
    if (written->second == total.transfers) continue;
    written->second = total.transfers;
    put(total);
  }
}

void PartFile::transfer(const model::Transfer& transfer, std::uint32_t correlation) {
  model::Transfer row = transfer;
  sites_.ran(row, correlation);
  copies_.recorded(transfer, correlation);
  if (!lists(transfer.start_ns)) return transfer_totals_.add(total_of(transfer));
  row.id = ++transfers_;
  row.process_id = model::ProcessId{1};
  add(row);
}

void PartFile::unified_memory(const model::UnifiedMemory& record) {
  model::UnifiedMemory row = record;
  row.id = ++unified_memory_rows_;
  row.process_id = model::ProcessId{1};
  add(row);
}

void PartFile::dropped(std::int64_t records) {
  dropped_records_ += records;
  diagnostics_.add(model::diagnostic_kind("trace", "records_dropped"), records);
}

}  // namespace coalescope::recorder
