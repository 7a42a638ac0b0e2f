// Writes a large capture of a run that never took place, to measure reports with: the same bytes each time.
//   generate_capture FILE [LAUNCHES [GROUPS [TRANSFERS]]]
// It looks like a long training run: few kernel groups with most of the launches, all groups measured twice
// in each phase but for every tenth, which was launched too seldom.

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <random>
#include <stdexcept>
#include <vector>

#include "core/capture/seal.h"
#include "core/capture/writer.h"

namespace coalescope::bench {
namespace {

using model::Direction;
using model::MemoryKind;
using model::MetricId;
using model::Phase;

struct Size {
  std::int64_t launches = 1'000'000;
  std::int64_t groups = 5'000;
  std::int64_t transfers = 200'000;
};

constexpr std::int64_t kGroupsOfKernel = 10;
constexpr std::int64_t kInstructions = 8;  // of a kernel: loads, then as many stores
constexpr std::size_t kWindowLaunches = 64;
constexpr int kSamples = 2;
constexpr std::array kMeasuredPhases{Phase::bytes, Phase::lines, Phase::traffic, Phase::hits};

// How the loads of a kernel lie in memory, a warp: coalesced, offset by a word, stride 8, stride 32,
// broadcast.
struct Pattern {
  std::int64_t bytes, sectors, ideal_sectors;
};
constexpr std::array kPatterns{Pattern{128, 4, 4}, Pattern{128, 5, 4}, Pattern{128, 32, 4},
                               Pattern{128, 32, 4}, Pattern{4, 1, 1}};

struct Group {
  model::KernelGroup row;
  std::int64_t warps = 0;
  std::int64_t gpu_ns = 0;
  std::int64_t launches = 0;
  std::array<int, 5> measured{};
  bool rare = false;
};

struct Path {
  Direction direction;
  MemoryKind from, to;
  std::int64_t bytes_a_us;
};
constexpr std::array kPaths{
    Path{Direction::host_to_device, MemoryKind::pageable, MemoryKind::device, 7'800},
    Path{Direction::host_to_device, MemoryKind::pinned, MemoryKind::device, 55'000},
    Path{Direction::device_to_host, MemoryKind::device, MemoryKind::pageable, 10'600},
    Path{Direction::device_to_device, MemoryKind::device, MemoryKind::device, 1'300'000},
    Path{Direction::set, MemoryKind::unknown, MemoryKind::device, 2'500'000}};

class Generator {
 public:
  Generator(capture::Writer writer, const Size& size) : writer_(std::move(writer)), size_(size) {}

  void write() {
    write_run();
    write_groups();
    for (const Phase phase : kMeasuredPhases)
      for (int sample = 0; sample < kSamples; ++sample) measure_all(phase);
    for (Group& group : groups_) launch(group, {});  // for its time
    while (launches_ < size_.launches) launch(next_group(), {});
    write_transfers();
    for (const Group& group : groups_) write_coverage(group);
    check(writer_.commit());
  }

 private:
  static void check(const base::Result<void>& done) {
    if (!done) throw std::runtime_error(done.error().text());
  }
  template <class Row>
  void insert(const Row& row) {
    check(writer_.insert(row));
  }
  // Not a distribution of the library: those differ between libraries.
  std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(bound));
  }

  void write_run();
  void write_groups();
  void write_kernel(model::KernelId id);
  void measure_all(Phase phase);
  void measure(Phase phase, std::vector<Group*>& groups);
  void launch(Group& group, std::optional<model::WindowId> window);
  void write_readings(const Group& group, Phase phase);
  void write_instruction_readings(const Group& group, model::WindowId window);
  void write_transfers();
  void write_coverage(const Group& group);

  // A third power puts half of the launches on an eighth of the groups.
  Group& next_group() {
    for (;;) {
      const double share = static_cast<double>(below(1'000'000)) / 1e6;
      auto& group =
          groups_[static_cast<std::size_t>(share * share * share * static_cast<double>(groups_.size()))];
      if (!group.rare) return group;
    }
  }
  static const Pattern& pattern_of(const Group& group) {
    return kPatterns[static_cast<std::size_t>(group.row.kernel_id.value) % kPatterns.size()];
  }

  capture::Writer writer_;
  Size size_;
  std::mt19937_64 random_{20240229};
  std::vector<Group> groups_;
  std::int64_t launches_ = 0;
  std::int64_t windows_ = 0;
  std::int64_t now_ns_ = 3'000'000'000;
};

void Generator::write_run() {
  model::Capture capture;
  capture.tool_version = COALESCOPE_VERSION;
  capture.command = R"(["./train","--steps","100000"])";
  capture.options = "{}";
  capture.working_directory = "/usr/src/training";
  capture.started_unix_ns = 1'700'000'000'000'000'000;
  capture.duration_ns = 600'000'000'000;
  capture.exit_status = 0;
  capture.clean = true;
  insert(capture);
  model::Process process{model::ProcessId{1}, 4242, 4241, "machine", "/usr/src/training/train"};
  process.ended_ns = capture.duration_ns;
  process.driver_version = 13'000;
  process.clean = true;
  insert(process);
  model::Device device;
  device.id = model::DeviceId{1};
  device.process_id = process.id;
  device.uuid = "GPU-00000000-0000-0000-0000-000000000001";
  device.name = "NVIDIA H100 80GB HBM3";
  device.chip = "GH100";
  device.multiprocessors = 132;
  device.memory_clock_khz = 2'619'000;
  device.memory_bus_bits = 5120;
  device.l2_bytes = 52'428'800;
  insert(device);
  for (const model::Metric& metric : model::metric_catalogue())
    insert(model::MetricUsed{metric.id, std::string(metric.key), std::string(metric.cupti_names[0]),
                             metric.phase, std::string(model::name_of(metric.unit))});
}

// Names are as long as those of template libraries; one kernel in eight comes without source lines.
void Generator::write_kernel(model::KernelId id) {
  insert(
      model::Kernel{id, model::ProcessId{1},
                    fmt::format("_ZN7network6blocks21fused_epilogue_kernelILi{}ELi128ENS_6traits14vectorized_"
                                "rowIfLi4EEENS_8functors11scaled_tanhIfEEEEvPKfPfixx",
                                id.value),
                    32 + id.value % 64, 0, 0});
  for (std::int64_t i = 0; i < kInstructions; ++i) {
    model::Instruction row;
    row.id = model::InstructionId{(id.value - 1) * kInstructions + i + 1};
    row.kernel_id = id;
    row.module_crc = 1'000 + id.value / 50;
    row.pc_offset = 256 + 48 * i;
    const bool known = id.value % 8 != 0;
    row.source_state = known ? model::SourceState::resolved : model::SourceState::no_line_info;
    if (known) row.file = fmt::format("/usr/src/training/kernels/block_{}.cu", id.value / 10);
    if (known) row.line = 20 + id.value % 10 * 40 + i / 2;
    insert(row);
  }
}

void Generator::write_groups() {
  for (std::int64_t i = 0; i < size_.groups; ++i) {
    const model::KernelId kernel{i / kGroupsOfKernel + 1};
    if (i % kGroupsOfKernel == 0) write_kernel(kernel);
    Group group;
    group.row = {model::GroupId{i + 1}, model::ProcessId{1}, model::DeviceId{1}, kernel};
    group.row.grid_x = 132 * (1 + below(64));
    group.row.block_x = 128 + 128 * below(3);
    group.warps = group.row.grid_x * group.row.block_x / 32;
    group.gpu_ns = 2'000 + group.warps * pattern_of(group).sectors / 8;
    group.rare = i % 10 == 9;
    insert(group.row);
    groups_.push_back(group);
  }
}

void Generator::launch(Group& group, std::optional<model::WindowId> window) {
  model::Launch row;
  row.id = model::LaunchId{++launches_};
  row.group_id = group.row.id;
  row.stream = 7;
  row.window_id = window;
  const std::int64_t gpu_ns = group.gpu_ns * (95 + below(11)) / 100;
  if (!window) row.start_ns = now_ns_;
  if (!window) row.gpu_ns = gpu_ns;
  now_ns_ += gpu_ns + 1'500;
  ++group.launches;
  insert(row);
}

// Each group once, in windows as large as the recorder's; `lines` has one launch a window.
void Generator::measure_all(Phase phase) {
  const std::size_t largest = phase == Phase::lines ? 1 : kWindowLaunches;
  std::vector<Group*> window;
  for (Group& group : groups_) {
    if (!group.rare || phase == Phase::bytes) window.push_back(&group);
    if (window.size() == largest) measure(phase, window);
  }
  if (!window.empty()) measure(phase, window);
}

void Generator::measure(Phase phase, std::vector<Group*>& groups) {
  const model::WindowId window{++windows_};
  insert(model::PhaseWindow{window, model::ProcessId{1}, phase, now_ns_, now_ns_ + 20'000'000,
                            static_cast<std::int64_t>(groups.size()), 300'000});
  for (Group* group : groups) {
    launch(*group, window);
    ++group->measured[static_cast<std::size_t>(phase)];
    if (phase == Phase::lines)
      write_instruction_readings(*group, window);
    else
      write_readings(*group, phase);
  }
  groups.clear();
}

void Generator::write_readings(const Group& group, Phase phase) {
  const Pattern& loads = pattern_of(group);
  const std::int64_t requests = group.warps * kInstructions / 2;
  const std::int64_t read = requests * loads.sectors;
  const std::int64_t written = requests * 4;
  const auto value = [&](MetricId id) -> std::int64_t {
    switch (id) {
      case MetricId::global_load_bytes:
        return requests * loads.bytes;
      case MetricId::global_store_bytes:
        return requests * 128;
      case MetricId::global_load_sectors:
      case MetricId::l2_read_sectors:
        return read;
      case MetricId::global_store_sectors:
      case MetricId::l2_write_sectors:
        return written;
      case MetricId::global_load_requests:
      case MetricId::global_store_requests:
        return requests;
      case MetricId::dram_read_bytes:
        return read * 24;
      case MetricId::dram_write_bytes:
        return written * 24;
      case MetricId::traffic_ns:
        return group.gpu_ns;
      case MetricId::l2_hit_sectors:
        return (read + written) / 3;
      default:
        return 0;  // no atomics, no local memory
    }
  };
  for (const model::Metric& metric : model::metric_catalogue())
    if (metric.phase == phase)
      insert(model::Reading{model::LaunchId{launches_}, metric.id, value(metric.id)});
}

void Generator::write_instruction_readings(const Group& group, model::WindowId window) {
  for (std::int64_t i = 0; i < kInstructions; ++i) {
    const bool load = i < kInstructions / 2;
    const Pattern& pattern = load ? pattern_of(group) : kPatterns[0];
    const model::InstructionId id{(group.row.kernel_id.value - 1) * kInstructions + i + 1};
    const auto add = [&](MetricId metric, std::int64_t value) {
      insert(model::InstructionReading{window, id, metric, value});
    };
    add(MetricId::instruction_sectors, group.warps * pattern.sectors);
    add(MetricId::instruction_ideal_sectors, group.warps * pattern.ideal_sectors);
    add(MetricId::instruction_loads, load ? group.warps : 0);
    add(MetricId::instruction_stores, load ? 0 : group.warps);
  }
}

void Generator::write_transfers() {
  for (std::int64_t i = 0; i < size_.transfers; ++i) {
    const Path& path = kPaths[static_cast<std::size_t>(below(kPaths.size()))];
    model::Transfer row;
    row.id = i + 1;
    row.process_id = model::ProcessId{1};
    row.device_id = model::DeviceId{1};
    row.stream = 7;
    row.direction = path.direction;
    row.source_memory = path.from;
    row.destination_memory = path.to;
    row.bytes = (std::int64_t{4096} << below(13)) + 4 * below(256);
    row.start_ns = 3'000'000'000 + i * 2'000'000;
    row.gpu_ns = 1'200 + row.bytes * 1'000 / path.bytes_a_us;
    row.asynchronous = below(2) == 0;
    insert(row);
  }
}

void Generator::write_coverage(const Group& group) {
  for (const Phase phase : kMeasuredPhases) {
    const int measured = group.measured[static_cast<std::size_t>(phase)];
    insert(model::Coverage{
        group.row.id, phase, group.launches, measured,
        measured > 0 ? model::CoverageReason::measured : model::CoverageReason::too_few_launches});
  }
}

int run(int argc, char** argv) {
  Size size;
  const std::array sizes{&size.launches, &size.groups, &size.transfers};
  for (int i = 2; i < argc && i < 5; ++i)
    *sizes[static_cast<std::size_t>(i - 2)] = std::strtoll(argv[i], nullptr, 10);
  if (argc < 2 || argc > 5 || size.launches < 1 || size.groups < 1 || size.transfers < 0) {
    std::fprintf(stderr, "usage: %s FILE [LAUNCHES [GROUPS [TRANSFERS]]]\n", argv[0]);
    return 2;
  }
  auto writer = capture::Writer::create(argv[1]);
  if (!writer) throw std::runtime_error(writer.error().text());
  Generator(std::move(*writer), size).write();
  if (const auto sealed = capture::seal(argv[1]); !sealed) throw std::runtime_error(sealed.error().text());
  return 0;
}

}  // namespace
}  // namespace coalescope::bench

int main(int argc, char** argv) {
  try {
    return coalescope::bench::run(argc, argv);
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "generate_capture: %s\n", exception.what());
    return 1;
  }
}
