#include "core/capture/reader.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include "coalescope_capture_embedded.h"
#include "core/capture/instruction_sums.h"
#include "core/capture/migrate.h"

namespace coalescope::capture {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;

// The launches of one group. Sorting them in SQL takes longer than reading them in the file's order.
struct LaunchTimes {
  std::int64_t launches = 0;
  std::int64_t total_gpu_ns = 0;
  std::vector<std::int64_t> gpu_ns;  // of those that ran natively

  // False: the sum does not fit, so the times cannot be right.
  bool add(std::optional<std::int64_t> launch_gpu_ns) {
    ++launches;
    if (!launch_gpu_ns) return true;
    gpu_ns.push_back(*launch_gpu_ns);
    return !__builtin_add_overflow(total_gpu_ns, *launch_gpu_ns, &total_gpu_ns);
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

void add_times(GroupView& group, LaunchTimes& times) {
  group.launches = times.launches;
  group.timed_launches = static_cast<std::int64_t>(times.gpu_ns.size());
  if (times.gpu_ns.empty()) return;
  group.timed_gpu_ns = times.total_gpu_ns;
  group.shortest_gpu_ns = *std::min_element(times.gpu_ns.begin(), times.gpu_ns.end());
  group.median_gpu_ns = median(times.gpu_ns);
}

// Device, direction, memory at both ends, way of asking, and the power of four of the size.
using TransferClass =
    std::tuple<std::int64_t, model::Direction, model::MemoryKind, model::MemoryKind, bool, std::uint64_t>;

TransferClass class_of(const TransferView& row) {
  const std::uint64_t power_of_two = std::bit_width(static_cast<std::uint64_t>(row.bytes));
  return {row.device_id.value,    row.direction,    row.source_memory,
          row.destination_memory, row.asynchronous, (power_of_two + 1) / 2};
}

// Adds one transfer; the result is the column whose sum does not fit, so that its values cannot be right.
std::optional<std::string> add_transfer(TransferView& sum, const TransferView& row) {
  if (sum.transfers == 0) {
    sum = row;
    sum.transfers = 1;
    sum.smallest_bytes = sum.largest_bytes = row.bytes;
    return std::nullopt;
  }
  ++sum.transfers;
  sum.smallest_bytes = std::min(sum.smallest_bytes, row.bytes);
  sum.largest_bytes = std::max(sum.largest_bytes, row.bytes);
  if (__builtin_add_overflow(sum.bytes, row.bytes, &sum.bytes)) return "bytes";
  if (__builtin_add_overflow(sum.gpu_ns, row.gpu_ns, &sum.gpu_ns)) return "gpu_ns";
  return std::nullopt;
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
};

// The row's remaining columns; `group`: where its group stands.
std::optional<std::string> add_place(const Statement& statement, const LaunchRow& row, std::size_t group,
                                     LaunchPlaces& places, bool with_streams) {
  constexpr int kStart = 3, kStream = 4;
  std::optional<std::int64_t> start_ns;
  if (!read_value(statement, kStart, start_ns)) return "start_ns";
  if (!start_ns || !row.gpu_ns) return std::nullopt;
  places.launches.push_back({*start_ns, narrow_ns(*row.gpu_ns), static_cast<std::int32_t>(group)});
  if (!with_streams) return std::nullopt;
  std::int64_t stream = 0;
  if (!read_value(statement, kStream, stream)) return "stream";
  places.streams.push_back(static_cast<std::int32_t>(stream));
  return std::nullopt;
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
  if (Result<void> checked = check_file(path); !checked) return tl::unexpected(std::move(checked.error()));
  Result<Database> database = Database::open_read_only(path);
  if (!database) return tl::unexpected(std::move(database.error()));
  // One transaction for all that is read, so that the tables fit together while the recorder adds to them.
  if (Result<void> begun = database->execute("BEGIN"); !begun)
    return tl::unexpected(std::move(begun.error()));
  const Result<std::int64_t> version = check_schema(*database);
  if (!version) return tl::unexpected(version.error());
  if (*version < kSchemaVersion) {
    database = brought_forward(path, *version);
    if (!database) return tl::unexpected(std::move(database.error()));
  }
  const Result<UnitedRuns> runs = unite_runs(*database);
  if (!runs) return tl::unexpected(runs.error());
  return Reader(std::move(*database), path, *runs);
}

Error Reader::damaged(const std::string& column) const {
  return {
      ErrorCode::damaged,
      fmt::format("cannot read '{}': column '{}' holds a value that this build does not know", path_, column),
      "it was changed, or written by a later coalescope; record the program again"};
}

Result<std::vector<GroupView>> Reader::groups(LaunchPlaces* places, bool with_streams) {
  Result<std::vector<GroupView>> groups = collect<GroupView>(groups_sql(), [](const Statement& statement,
                                                                              GroupView& group) {
    return read_columns(statement, group.group_id, group.process_id, group.device_id, group.kernel_id,
                        group.kernel_name, group.grid, group.block, group.dynamic_shared_bytes,
                        group.static_shared_bytes, group.registers_per_thread, group.local_bytes_per_thread);
  });
  if (!groups) return groups;

  std::vector<LaunchTimes> times(groups->size());
  const Result<void> timed =
      for_each_row(launch_times_sql(), [&](const Statement& statement) -> std::optional<std::string> {
        LaunchRow row;
        if (auto column = read_columns(statement, row.group_id, row.gpu_ns, row.window_id)) return column;
        const std::optional<std::size_t> group = place_of(row.group_id, *groups);
        if (!group) return std::nullopt;
        if (!times[*group].add(row.window_id ? std::nullopt : row.gpu_ns)) return "gpu_ns";
        return places ? add_place(statement, row, *group, *places, with_streams) : std::nullopt;
      });
  if (!timed) return tl::unexpected(timed.error());
  for (std::size_t i = 0; i < times.size(); ++i)
    if (times[i].launches > 0) add_times((*groups)[i], times[i]);
  const std::vector<std::int32_t> new_places = sort_by_time(*groups);
  if (places)
    for (LaunchPlace& launch : places->launches)
      launch.group = new_places[static_cast<std::size_t>(launch.group)];
  return groups;
}

Result<std::unordered_map<model::GroupId, GroupReadings>> Reader::readings() {
  std::unordered_map<model::GroupId, GroupReadings> readings;
  const Result<void> done =
      for_each_row(group_readings_sql(), [&](const Statement& statement) -> std::optional<std::string> {
        model::GroupId group_id;
        model::MetricId metric_id{};
        std::int64_t value = 0;
        if (auto column = read_columns(statement, group_id, metric_id, value)) return column;
        MetricSum& sum = readings[group_id][metric_id];
        ++sum.launches;
        if (__builtin_add_overflow(sum.sum, value, &sum.sum)) return "value";
        return std::nullopt;
      });
  if (!done) return tl::unexpected(done.error());
  return readings;
}

Result<std::vector<InstructionView>> Reader::instructions() {
  Result<std::vector<model::Instruction>> instructions = rows<model::Instruction>();
  if (!instructions) return tl::unexpected(std::move(instructions.error()));
  InstructionSums sums(std::move(*instructions));
  Result<void> done = for_each_row(line_windows_sql(), [&](const Statement& statement) {
    LineWindow window;
    auto column =
        read_columns(statement, window.window_id, window.kernel_id, window.group_id, window.launches);
    if (!column) sums.add(window);
    return column;
  });
  if (!done) return tl::unexpected(std::move(done.error()));
  done =
      for_each_row(instruction_readings_sql(), [&](const Statement& statement) -> std::optional<std::string> {
        model::InstructionReading reading;
        auto column = read_columns(statement, reading.window_id, reading.instruction_id, reading.metric_id,
                                   reading.value);
        if (column) return column;
        if (!sums.add(reading)) return "value";
        return std::nullopt;
      });
  if (!done) return tl::unexpected(std::move(done.error()));
  return sums.views();
}

Result<std::vector<MeasuredLine>> Reader::measured_lines() {
  return collect<MeasuredLine>(measured_lines_sql(), [](const Statement& statement, MeasuredLine& row) {
    return read_columns(statement, row.file, row.line);
  });
}

Result<std::vector<TransferPlace>> Reader::transfer_places() {
  return collect<TransferPlace>(transfer_places_sql(), [](const Statement& statement, TransferPlace& row) {
    std::int64_t process = 0, device = 0, gpu_ns = 0;
    auto column = read_columns(statement, process, device, row.direction, row.source_memory,
                               row.destination_memory, row.asynchronous, row.bytes, row.start_ns, gpu_ns);
    row.process = static_cast<std::int32_t>(process);
    row.device = static_cast<std::int32_t>(device);
    row.gpu_ns = narrow_ns(gpu_ns);
    return column;
  });
}

Result<std::vector<TransferView>> Reader::transfers() {
  std::map<TransferClass, TransferView> classes;
  const Result<void> done =
      for_each_row(transfers_sql(), [&](const Statement& statement) -> std::optional<std::string> {
        TransferView row;
        auto column = read_columns(statement, row.device_id, row.direction, row.source_memory,
                                   row.destination_memory, row.asynchronous, row.bytes, row.gpu_ns);
        if (column) return column;
        return add_transfer(classes[class_of(row)], row);
      });
  if (!done) return tl::unexpected(done.error());
  std::vector<TransferView> views;
  views.reserve(classes.size());
  for (const auto& [key, view] : classes) views.push_back(view);
  std::stable_sort(views.begin(), views.end(),
                   [](const TransferView& a, const TransferView& b) { return a.gpu_ns > b.gpu_ns; });
  return views;
}

Result<std::vector<WindowView>> Reader::windows() {
  return collect<WindowView>(windows_sql(), [](const Statement& statement, WindowView& row) {
    return read_columns(statement, row.phase, row.outcome, row.windows, row.launches, row.cost_ns);
  });
}

}  // namespace coalescope::capture
