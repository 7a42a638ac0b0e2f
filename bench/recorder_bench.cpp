// What the recorder's own hot paths cost without a GPU: a launch that is not measured, the scheduler's
// choice, the queue to the writer, the rows of the capture. Built by hand: cmake --build build/release -t
// bench_recorder

#include <algorithm>
#include <array>
#include <benchmark/benchmark.h>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <stdexcept>
#include <sys/mman.h>
#include <unistd.h>

#include "core/capture/writer.h"
#include "core/ring/served_test.h"
#include "injection/recorder/recording.h"

namespace coalescope::recorder {
namespace {

namespace fs = std::filesystem;
using model::Phase;

// No device and no way of measuring: every launch runs natively. A buffer tells of so many runs of one
// kernel.
class NoGpu final : public Backend {
 public:
  static constexpr int kRunsOfBuffer = 10'000;

  std::int64_t now_ns() override { return now_ns_ += 1000; }
  std::int64_t stream_id(const LaunchInfo&) override { return 7; }
  PhaseProbe* probe(Phase) override { return nullptr; }
  std::optional<std::vector<ParameterPlace>> parameters(const LaunchInfo&) override { return parameters_; }
  base::Result<model::Device> describe_device(std::int32_t) override { return model::Device{}; }
  void decode(const ActivityBuffer&, TraceSink& sink) override {
    KernelRun run;
    run.kernel_name = "_Z6kernelPKfPf";
    run.stream = 7;
    run.gpu_ns = 2'345;
    run.registers_per_thread = 32;
    for (int i = 0; i < kRunsOfBuffer; ++i) {
      run.start_ns = now_ns_ += 4'000;
      sink.kernel(run);
    }
  }
  void flush() override {}
  void has_parameter(std::size_t bytes) { parameters_ = {{0, bytes}}; }

 private:
  std::vector<ParameterPlace> parameters_;
  std::atomic<std::int64_t> now_ns_{0};
};

class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / fmt::format("coalescope_bench_{}", ::getpid())) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string string() const { return path_.string(); }

 private:
  fs::path path_;
};

template <class Value>
Value value_of(base::Result<Value> result) {
  if (!result) throw std::runtime_error(result.error().text());
  return std::move(*result);
}

struct Fixture {
  Fixture() {
    process.pid = ::getpid();
    process.id = model::ProcessId{1};
  }
  Folder folder;
  ring::Served served{folder.string()};
  std::unique_ptr<ring::Channel> channel = served.open("bench");
  RecorderOptions options;
  model::Process process;
  NoGpu backend;
  Diagnostics diagnostics;
};

LaunchInfo launch_of(std::int64_t kernel) {
  LaunchInfo info;
  info.function = 0x7f0000000000 + static_cast<std::uint64_t>(kernel) * 256;
  info.kernel_name = "_Z6kernelPKfPf";
  info.shape.grid[0] = kernel + 1;
  info.shape.block[0] = 128;
  info.context = {1, 1, 0};
  return info;
}

// A launch in the target's threads; the argument is the number of groups that take turns.
class UnmeasuredLaunch : public benchmark::Fixture {
 public:
  void SetUp(const benchmark::State& state) override {
    if (state.thread_index() != 0) return;
    fixture = std::make_unique<recorder::Fixture>();
    recording = value_of(Recording::create(fixture->options, fixture->process, fixture->channel->ring(),
                                           fixture->backend, fixture->diagnostics));
    recording->start();
  }
  void TearDown(const benchmark::State& state) override {
    if (state.thread_index() != 0) return;
    recording->finish();
    recording.reset();
    fixture.reset();
  }

 protected:
  std::unique_ptr<recorder::Fixture> fixture;
  std::unique_ptr<Recording> recording;
};

BENCHMARK_DEFINE_F(UnmeasuredLaunch, groups)(benchmark::State& state) {
  std::int64_t next = 0;
  for (auto _ : state) {
    const LaunchInfo info = launch_of(next);
    recording->after_launch(recording->before_launch(info), true);
    if (++next == state.range(0)) next = 0;
  }
}
BENCHMARK_REGISTER_F(UnmeasuredLaunch, groups)->Arg(1)->Arg(16)->Arg(1000)->ThreadRange(1, 2)->UseRealTime();

// The argument is the size of its parameter, a structure that begins with a counter.
BENCHMARK_DEFINE_F(UnmeasuredLaunch, parameter_bytes)(benchmark::State& state) {
  fixture->backend.has_parameter(static_cast<std::size_t>(state.range(0)));
  std::vector<std::int64_t> parameter(static_cast<std::size_t>(state.range(0)) / sizeof(std::int64_t));
  const std::array<const void*, 1> parameters{parameter.data()};
  LaunchInfo info = launch_of(0);
  info.parameters = parameters.data();
  for (auto _ : state) {
    ++parameter.front();
    ++info.correlation;
    recording->after_launch(recording->before_launch(info), true);
  }
}
BENCHMARK_REGISTER_F(UnmeasuredLaunch, parameter_bytes)->Arg(32)->Arg(1024)->Arg(4096)->UseRealTime();

// Code of which every 64 bytes are a function that returns: what a program runs between two launches empties
// the caches of instructions, too.
class OtherCode {
 public:
  OtherCode() : begin_(::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (begin_ == MAP_FAILED) return;
#if defined(__x86_64__)
    std::memset(begin_, 0xC3, kBytes);
#else
    std::fill_n(static_cast<std::uint32_t*>(begin_), kBytes / 4, 0xD65F03C0U);
#endif
    ready_ = ::mprotect(begin_, kBytes, PROT_READ | PROT_EXEC) == 0;
    __builtin___clear_cache(static_cast<char*>(begin_), static_cast<char*>(begin_) + kBytes);
  }
  OtherCode(const OtherCode&) = delete;
  OtherCode& operator=(const OtherCode&) = delete;
  ~OtherCode() {
    if (begin_ != MAP_FAILED) ::munmap(begin_, kBytes);
  }
  void run(std::int64_t functions) {
    for (std::int64_t i = 0; ready_ && i < functions; ++i) {
      random_ = random_ * 1'664'525U + 1'013'904'223U;
      reinterpret_cast<void (*)()>(static_cast<char*>(begin_) + random_ / 64 % (kBytes / 64) * 64)();
    }
  }

 private:
  static constexpr std::size_t kBytes = std::size_t{16} << 20;
  void* begin_;
  bool ready_ = false;
  std::uint32_t random_ = 1;
};

// The launches of a training step: 120 kernels, whose parameters are structures with a few sizes and
// addresses that come again each step. Between two launches the program touches so many KiB of its own
// memory, and calls so many functions.
BENCHMARK_DEFINE_F(UnmeasuredLaunch, step)(benchmark::State& state) {
  constexpr std::size_t kKernels = 120, kLaunches = 480, kBytes = 640, kWord = sizeof(std::uint64_t);
  fixture->backend.has_parameter(kBytes);
  std::vector<std::array<std::uint64_t, kBytes / kWord>> given(kLaunches);
  for (std::size_t i = 0; i < kLaunches; ++i)
    for (std::size_t word = 0; word < given[i].size(); ++word)
      given[i][word] = word % 10 == 0 ? 0x7f2000000000 + (i * 131 + word) * 512 : word;
  std::vector<std::uint8_t> memory(static_cast<std::size_t>(state.range(0)) << 10U);
  OtherCode other_code;
  std::vector<std::string> names;
  for (std::size_t kernel = 0; kernel < kKernels; ++kernel)
    names.push_back(fmt::format("_Z6kernelILi{}EEvv", kernel));
  std::size_t next = 0;
  for (auto _ : state) {
    for (std::size_t at = 0; at < memory.size(); at += 64) benchmark::DoNotOptimize(++memory[at]);
    other_code.run(state.range(1));
    std::array<std::uint64_t, kBytes / kWord> given_now = given[next];
    benchmark::DoNotOptimize(given_now);
    const std::array<const void*, 1> parameters{given_now.data()};
    LaunchInfo info = launch_of(static_cast<std::int64_t>(next % kKernels));
    info.kernel_name = names[next % kKernels].c_str();
    info.parameters = parameters.data();
    const auto began = std::chrono::steady_clock::now();
    recording->after_launch(recording->before_launch(info), true);
    state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
    next = (next + 1) % kLaunches;
  }
}
BENCHMARK_REGISTER_F(UnmeasuredLaunch, step)
    ->ArgNames({"kib", "functions"})
    ->Args({0, 0})
    ->Args({256, 0})
    ->Args({4096, 1500})
    ->Iterations(20'000)
    ->UseManualTime();

// The argument says whether the group has all that it needs.
void scheduler_decide(benchmark::State& state) {
  SchedulerOptions options;
  options.samples = state.range(0) == 1 ? 1 : 1 << 30;
  Scheduler scheduler(options);
  GroupNeeds needs;
  for (auto& taken : needs.taken) taken = 1;
  std::int64_t now_ns = 0;
  for (auto _ : state) benchmark::DoNotOptimize(scheduler.decide(needs, 1, now_ns += 4'000, 0));
}
BENCHMARK(scheduler_decide)->ArgName("satisfied")->Arg(0)->Arg(1);

void queue_push(benchmark::State& state) {
  constexpr std::size_t kCapacity = 4096;
  WorkQueue<WorkItem> queue(kCapacity);
  std::size_t held = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(queue.push(ActivityBuffer{nullptr, 1}));
    if (++held < kCapacity) continue;
    state.PauseTiming();
    benchmark::DoNotOptimize(queue.take(std::chrono::milliseconds(0)));
    held = 0;
    state.ResumeTiming();
  }
}
BENCHMARK(queue_push);

// From a decoded activity record to a row on its way to the table `launch`.
void write_launch(benchmark::State& state) {
  recorder::Fixture fixture;
  GroupTable groups([](const auto&) {}, [](const auto&) {},
                    [](std::string_view) { return model::CoverageReason::measured; });
  LaunchSites sites;
  CopyCounts copies(groups.host_memory());
  const auto file = value_of(PartFile::create(fixture.options, fixture.process, fixture.channel->ring(),
                                              groups, sites, copies, fixture.backend, fixture.diagnostics));
  for (auto _ : state) {
    file->write(ActivityBuffer{});
    file->commit();
  }
  state.SetItemsProcessed(state.iterations() * NoGpu::kRunsOfBuffer);
}
BENCHMARK(write_launch)->Unit(benchmark::kMillisecond);

// The writer alone, without looking for the launch's group.
void insert_launch(benchmark::State& state) {
  const Folder folder;
  auto writer = value_of(capture::Writer::create(folder.string() + "/insert.coal"));
  model::Launch row;
  row.group_id = model::GroupId{1};
  row.stream = 7;
  row.start_ns = 0;
  row.gpu_ns = 2'345;
  for (auto _ : state) {
    ++row.id.value;
    *row.start_ns += 4'000;
    if (!writer.insert(row)) throw std::runtime_error("the row was refused");
    if (row.id.value % NoGpu::kRunsOfBuffer == 0 && !writer.commit()) throw std::runtime_error("no commit");
  }
}
BENCHMARK(insert_launch);

}  // namespace
}  // namespace coalescope::recorder

BENCHMARK_MAIN();
