#include "core/capture/reader.h"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include "coalescope_capture_embedded.h"
#include "core/base/whole.h"
#include "core/capture/instruction_sums.h"
#include "core/capture/migrate.h"

namespace coalescope::capture {
namespace {

using base::ErrorCode;
using base::Result;

// The launches of one group. Sorting them in SQL takes longer than reading them in the file's order.
struct LaunchTimes {
  std::int64_t launches = 0;
  std::int64_t total_gpu_ns = 0;
  std::vector<std::int64_t> gpu_ns;  // of those that ran natively
  std::optional<std::int64_t> first_start_ns, last_start_ns;

  void add(std::optional<std::int64_t> launch_gpu_ns, std::optional<std::int64_t> start_ns) {
    ++launches;
    if (start_ns) {
      first_start_ns = std::min(first_start_ns.value_or(*start_ns), *start_ns);
      last_start_ns = std::max(last_start_ns.value_or(*start_ns), *start_ns);
    }
    if (!launch_gpu_ns) return;
    gpu_ns.push_back(*launch_gpu_ns);
    total_gpu_ns += *launch_gpu_ns;
  }
};

// The middle one, or the mean of the two in the middle. Reorders `values`, which must not be empty.
std::int64_t median(std::vector<std::int64_t>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return std::midpoint(*std::max_element(values.begin(), middle), *middle);
}

// Where a group stands among all, which are sorted by id. Ids begin at 1 and have no gaps in captures of
// ours: a million launches need not be looked for.
std::optional<std::size_t> place_of(model::GroupId id, const std::vector<GroupView>& groups) {
  const auto guess = static_cast<std::size_t>(id.value) - 1;
  if (guess < groups.size() && groups[guess].group_id == id) return guess;
  const auto found = std::ranges::lower_bound(groups, id, {}, &GroupView::group_id);
  if (found == groups.end() || found->group_id != id) return std::nullopt;
  return static_cast<std::size_t>(found - groups.begin());
}

// What a long recording did not list; after the launches that it did.
void add_total(GroupView& group, const model::LaunchTotal& total) {
  const std::int64_t timed = std::min(total.timed_launches, total.launches);
  group.launches += total.launches;
  group.timed_launches += timed;
  group.counted_launches = total.launches - timed;
  if (timed == 0) return;
  group.timed_gpu_ns = group.timed_gpu_ns.value_or(0) + total.gpu_ns;
  // Of no listed launch the middle is known: the mean has to do.
  if (!group.median_gpu_ns) group.median_gpu_ns = total.gpu_ns / timed;
  if (total.shortest_gpu_ns)
    group.shortest_gpu_ns =
        std::min(group.shortest_gpu_ns.value_or(*total.shortest_gpu_ns), *total.shortest_gpu_ns);
}

void add_times(GroupView& group, LaunchTimes& times) {
  group.launches = times.launches;
  group.first_start_ns = times.first_start_ns;
  group.last_start_ns = times.last_start_ns;
  group.timed_launches = static_cast<std::int64_t>(times.gpu_ns.size());
  if (times.gpu_ns.empty()) return;
  group.timed_gpu_ns = times.total_gpu_ns;
  group.shortest_gpu_ns = *std::min_element(times.gpu_ns.begin(), times.gpu_ns.end());
  group.median_gpu_ns = median(times.gpu_ns);
}

// Device, direction, memory at both ends, way of requesting it, the power of four of the size, and whether it
// has a time. That does not divide copies: those without one were only counted, and are like the others of
// their class. Of memory sets CUPTI gives some kinds no time.
using TransferClass = std::tuple<std::int64_t, model::Direction, model::MemoryKind, model::MemoryKind, bool,
                                 std::int64_t, bool>;

void add_transfers(std::map<TransferClass, TransferView>& classes, const TransferView& row) {
  TransferView& sum = classes[{row.device_id.value, row.direction, row.source_memory, row.destination_memory,
                               row.asynchronous, model::size_class(row.largest_bytes),
                               row.gpu_ns > 0 || row.direction != model::Direction::set}];
  if (sum.transfers == 0) {
    sum = row;
    return;
  }
  sum.transfers += row.transfers;
  sum.smallest_bytes = std::min(sum.smallest_bytes, row.smallest_bytes);
  sum.largest_bytes = std::max(sum.largest_bytes, row.largest_bytes);
  sum.bytes += row.bytes;
  sum.timed += row.timed;
  sum.gpu_ns += row.gpu_ns;
}

std::int64_t of_all(const TransferView& view) {
  if (view.timed == 0 || view.timed == view.transfers) return view.gpu_ns;
  return base::whole(static_cast<double>(view.gpu_ns) / static_cast<double>(view.timed) *
                     static_cast<double>(view.transfers));
}

TransferView view_of(const model::TransferTotal& total) {
  TransferView view;
  view.device_id = total.device_id;
  view.direction = total.direction;
  view.source_memory = total.source_memory;
  view.destination_memory = total.destination_memory;
  view.asynchronous = total.asynchronous;
  view.smallest_bytes = total.smallest_bytes;
  view.largest_bytes = total.largest_bytes;
  view.transfers = total.transfers;
  view.bytes = total.bytes;
  view.timed = total.timed ? total.transfers : 0;
  view.gpu_ns = total.gpu_ns;
  return view;
}

std::uint32_t narrow_ns(std::int64_t ns) {
  constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(ns, 0, kMost));
}

// queries/launch_times.sql
struct LaunchRow {
  model::GroupId group_id;
  std::optional<std::int64_t> gpu_ns;
  std::optional<std::int64_t> window_id;
  std::optional<std::int64_t> start_ns;
};

// The row's remaining column; `group`: where its group stands.
bool add_place(Cells& cells, const LaunchRow& row, std::size_t group, LaunchPlaces& places) {
  constexpr std::size_t kStream = 4;
  std::int64_t stream = 0;
  if (!cells.take_from(kStream, stream)) return false;
  if (row.start_ns && row.window_id && !row.gpu_ns)
    places.measured.push_back({*row.start_ns, 0, static_cast<std::int32_t>(group)});
  if (!row.start_ns || !row.gpu_ns) return true;
  places.launches.push_back({*row.start_ns, narrow_ns(*row.gpu_ns), static_cast<std::int32_t>(group)});
  places.streams.push_back(static_cast<std::int32_t>(stream));
  return true;
}

using Kernels = std::unordered_map<model::KernelId, const model::Kernel*>;

// Each name is read once, however many groups have it; of very many groups none has a very long one.
void take_kernel(GroupView& group, const model::Kernel& kernel, std::size_t groups) {
  const std::size_t most = share_of(kMostNamesTogether, groups);
  group.kernel_name = cut(kernel.name, most);
  group.static_shared_bytes = kernel.static_shared_bytes;
  group.registers_per_thread = kernel.registers_per_thread;
  group.local_bytes_per_thread = kernel.local_bytes_per_thread;
  if (kernel.code_file) group.code_file = cut(*kernel.code_file, most);
  if (kernel.code_loader) group.code_loader = cut(*kernel.code_loader, most);
}

// A report of a million launches in 30 MB takes 200 million.
std::int64_t million_steps_for(const std::string& path) {
  constexpr std::uintmax_t kLeast = 2'000, kBytesAMillion = 20'000;
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  return static_cast<std::int64_t>(kLeast + (error ? 0 : bytes / kBytesAMillion));
}

// Most time first. The result says where each group of the old order stands now.
std::vector<std::int32_t> sort_by_time(std::vector<GroupView>& groups) {
  std::vector<std::size_t> order(groups.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return groups[a].timed_gpu_ns > groups[b].timed_gpu_ns;  // a group without a time comes last
  });
  std::vector<GroupView> sorted;
  sorted.reserve(groups.size());
  std::vector<std::int32_t> new_places(groups.size());
  for (const std::size_t old_place : order) {
    new_places[old_place] = static_cast<std::int32_t>(sorted.size());
    sorted.push_back(std::move(groups[old_place]));
  }
  groups = std::move(sorted);
  return new_places;
}

}  // namespace

Result<Reader> Reader::open(const std::string& path) {
  if (Result<void> checked = check_file(path); !checked) return base::relay(checked);
  Result<Database> database = Database::open_read_only(path);
  if (!database) return base::relay(database);
  // One transaction for all that is read, so that the tables fit together while the recorder adds to them.
  if (Result<void> begun = database->execute("BEGIN"); !begun) return base::relay(begun);
  const Result<std::int64_t> version = check_schema(*database);
  if (!version) return base::relay(version);
  if (*version < kSchemaVersion) {
    database = brought_forward(path, *version);
    if (!database) return base::relay(database);
  }
  database->limit_work(million_steps_for(path));
  const Result<UnitedRuns> runs = unite_runs(*database);
  if (!runs) return base::relay(runs);
  return Reader(std::move(*database), path, *runs);
}

base::Failure Reader::damaged(const std::string& fault) const {
  return base::failure(ErrorCode::damaged, fmt::format("cannot read '{}': {}", path_, fault),
                       "it was changed, or written by a later coalescope; record the program again");
}

Result<std::vector<GroupView>> Reader::groups_without_times() {
  const Result<std::vector<model::Kernel>> kernels = rows<model::Kernel>();
  if (!kernels) return base::relay(kernels);
  Kernels by_id;
  for (const model::Kernel& kernel : *kernels) by_id.emplace(kernel.id, &kernel);
  auto groups =
      collect<GroupView>(Table<model::KernelGroup>::kName, groups_sql(), [&](Cells& cells, GroupView& group) {
        return cells.take_from(0, group.group_id, group.process_id, group.device_id, group.grid, group.block,
                               group.dynamic_shared_bytes, group.variant, group.parameters,
                               group.kernel_id) &&
               (by_id.contains(group.kernel_id) || cells.refuse_last("is that of no kernel"));
      });
  if (!groups) return base::relay(groups);
  for (GroupView& group : *groups) take_kernel(group, *by_id.at(group.kernel_id), groups->size());
  return groups;
}

Result<std::vector<GroupView>> Reader::groups(LaunchPlaces* places) {
  Result<std::vector<GroupView>> groups = groups_without_times();
  if (!groups) return base::relay(groups);
  std::vector<LaunchTimes> times(groups->size());
  const Result<void> timed = for_each_row(Table<model::Launch>::kName, launch_times_sql(), [&](Cells& cells) {
    LaunchRow row;
    if (!cells.take_from(0, row.group_id, row.gpu_ns, row.window_id, row.start_ns)) return false;
    const std::optional<std::size_t> group = place_of(row.group_id, *groups);
    if (!group) return true;
    times[*group].add(row.window_id ? std::nullopt : row.gpu_ns, row.start_ns);
    return places == nullptr || add_place(cells, row, *group, *places);
  });
  if (!timed) return base::relay(timed);
  for (std::size_t i = 0; i < times.size(); ++i)
    if (times[i].launches > 0) add_times((*groups)[i], times[i]);
  const Result<std::vector<model::LaunchTotal>> totals = rows<model::LaunchTotal>();
  if (!totals) return base::relay(totals);
  for (const model::LaunchTotal& total : *totals)
    if (const std::optional<std::size_t> group = place_of(total.group_id, *groups))
      add_total((*groups)[*group], total);
  const std::vector<std::int32_t> new_places = sort_by_time(*groups);
  if (places != nullptr)
    for (auto* list : {&places->launches, &places->measured})
      for (LaunchPlace& launch : *list) launch.group = new_places[static_cast<std::size_t>(launch.group)];
  return groups;
}

Result<std::unordered_map<model::GroupId, GroupReadings>> Reader::readings() {
  std::unordered_map<model::GroupId, GroupReadings> readings;
  const Result<void> done =
      for_each_row(Table<model::Reading>::kName, group_readings_sql(), [&](Cells& cells) {
        model::GroupId group_id;
        model::MetricId metric_id{};
        std::int64_t value = 0;
        if (!cells.take_from(0, group_id, metric_id, value)) return false;
        MetricSum& sum = readings[group_id][metric_id];
        sum.least = sum.launches == 0 ? value : std::min(sum.least, value);
        sum.greatest = sum.launches == 0 ? value : std::max(sum.greatest, value);
        ++sum.launches;
        if (sum.values.size() < kMostValues) sum.values.push_back(value);
        return !__builtin_add_overflow(sum.sum, value, &sum.sum) ||
               cells.refuse_last("makes a sum that is too large");
      });
  if (!done) return base::relay(done);
  return readings;
}

Result<std::vector<InstructionView>> Reader::instructions() {
  Result<std::vector<model::Instruction>> instructions = rows<model::Instruction>();
  if (!instructions) return base::relay(instructions);
  InstructionSums sums(std::move(*instructions));
  Result<void> done = for_each_row(Table<model::PhaseWindow>::kName, line_windows_sql(), [&](Cells& cells) {
    LineWindow window;
    if (!cells.take_from(0, window.window_id, window.kernel_id, window.group_id, window.launches))
      return false;
    sums.add(window);
    return true;
  });
  if (!done) return base::relay(done);
  done = for_each_row(Table<model::InstructionReading>::kName, instruction_readings_sql(), [&](Cells& cells) {
    model::InstructionReading reading;
    if (!cells.take_from(0, reading.window_id, reading.instruction_id, reading.metric_id, reading.value))
      return false;
    sums.add(reading);
    return true;
  });
  if (!done) return base::relay(done);
  return sums.views();
}

Result<std::vector<MeasuredLine>> Reader::measured_lines() {
  return collect<MeasuredLine>(
      Table<model::Instruction>::kName, measured_lines_sql(),
      [](Cells& cells, MeasuredLine& row) { return cells.take_from(0, row.file, row.line); });
}

Result<std::vector<TransferPlace>> Reader::transfer_places() {
  return collect<TransferPlace>(
      Table<model::Transfer>::kName, transfer_places_sql(), [](Cells& cells, TransferPlace& row) {
        std::int64_t process = 0, device = 0, gpu_ns = 0, stream = 0;
        std::optional<std::int64_t> call_site, address;
        const bool taken =
            cells.take_from(0, process, device, row.direction, row.source_memory, row.destination_memory,
                            row.asynchronous, row.bytes, row.start_ns, gpu_ns, stream, call_site, address);
        row.call_site = call_site.value_or(0);
        row.address = address.value_or(0);
        row.stream = static_cast<std::int32_t>(stream);
        row.process = static_cast<std::int32_t>(process);
        row.device = static_cast<std::int32_t>(device);
        row.gpu_ns = narrow_ns(gpu_ns);
        return taken;
      });
}

Result<std::vector<TransferView>> Reader::transfers() {
  std::map<TransferClass, TransferView> classes;
  const Result<void> done = for_each_row(Table<model::Transfer>::kName, transfers_sql(), [&](Cells& cells) {
    TransferView row;
    if (!cells.take_from(0, row.device_id, row.direction, row.source_memory, row.destination_memory,
                         row.asynchronous, row.bytes, row.gpu_ns))
      return false;
    row.gpu_ns = std::max<std::int64_t>(0, row.gpu_ns);
    row.transfers = 1;
    row.timed = row.gpu_ns > 0 ? 1 : 0;
    row.smallest_bytes = row.largest_bytes = row.bytes;
    add_transfers(classes, row);
    return true;
  });
  if (!done) return base::relay(done);
  const Result<std::vector<model::TransferTotal>> totals = rows<model::TransferTotal>();
  if (!totals) return base::relay(totals);
  for (const model::TransferTotal& total : *totals)
    if (total.transfers > 0) add_transfers(classes, view_of(total));
  std::vector<TransferView> views;
  views.reserve(classes.size());
  for (auto& [key, view] : classes) {
    view.gpu_ns = of_all(view);
    views.push_back(view);
  }
  std::stable_sort(views.begin(), views.end(),
                   [](const TransferView& a, const TransferView& b) { return a.gpu_ns > b.gpu_ns; });
  return views;
}

Result<std::vector<WindowView>> Reader::windows() {
  return collect<WindowView>(Table<model::PhaseWindow>::kName, windows_sql(),
                             [](Cells& cells, WindowView& row) {
                               return cells.take_from(0, row.phase, row.outcome, row.windows, row.launches,
                                                      row.cost_ns, row.launches_cost_ns);
                             });
}

}  // namespace coalescope::capture
