#include "injection/cupti/injection.h"

#include <array>
#include <atomic>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <unistd.h>

#include "core/base/lock_until.h"
#include "core/ring/channel.h"
#include "injection/cupti/callbacks.h"
#include "injection/cupti/guarded.h"
#include "injection/cupti/session.h"
#include "injection/recorder/failure_part.h"
#include "injection/recorder/part_file.h"
#include "injection/recorder/rank.h"

namespace coalescope::cupti {
namespace {

using recorder::RecorderOptions;

// Members are made in this order; never destroyed, because the target's threads may call back until the very
// end.
struct Injection {
  std::unique_ptr<ring::Channel> channel;
  CuptiApi api;
  DriverApi driver;
  recorder::Diagnostics diagnostics;
  std::unique_ptr<Session> session;
  std::unique_ptr<recorder::Recording> recording;
  std::unique_ptr<ModuleStore> modules;
  std::unique_ptr<Callbacks> callbacks;
};

std::atomic<Injection*> the_injection{nullptr};
std::atomic<int> failures{0};
std::atomic<bool> in_child{false};  // of a fork
constexpr int kMostFailures = 5;
// For the recorder to leave CUPTI, or to have it back.
constexpr std::chrono::seconds kCuptiPatience{2};

std::optional<std::string> environment(std::string_view name) {
  const char* value = std::getenv(std::string(name).c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

model::Process describe_process(const RecorderOptions& options) {
  model::Process process;
  process.id = model::ProcessId{1};
  process.pid = getpid();
  process.parent_pid = getppid();
  std::array<char, PATH_MAX> text{};
  if (gethostname(text.data(), text.size() - 1) == 0) process.host = text.data();
  text.fill('\0');
  if (readlink("/proc/self/exe", text.data(), text.size() - 1) > 0) process.executable = text.data();
  const recorder::Rank rank = recorder::find_rank(environment);
  process.rank = rank.rank;
  process.local_rank = rank.local_rank;
  process.began_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(
                         std::chrono::system_clock::now().time_since_epoch())
                         .count() -
                     options.started_unix_ns;
  return process;
}

// Not before it is needed: CUPTI then watches every fault and migration of the process.
void start_unified_memory(Injection& injection) {
  static std::atomic<bool> begun{false};
  if (begun.exchange(true)) return;
  if (auto done = injection.session->start_unified_memory(); !done)
    injection.diagnostics.add(model::diagnostic_kind("unified_memory", "not_recorded"), done.error());
}

bool target_has_begun() {
  const std::lock_guard lock(process_use().mutex);
  return process_use().use.begun();
}

// Under the mutex of `use`.
void leave_cupti(Injection& injection, const TargetUse& use, const char* call) {
  if (injection.session->has_left()) return;
  injection.recording->stop_measuring();
  injection.callbacks->unsubscribe();
  injection.session->leave(use);
  injection.diagnostics.add(model::diagnostic_kind("cupti", "cupti_in_use"), {call});
}

// The program may have begun in another thread, while the recorder did.
void leave_if_taken(Injection& injection) {
  const std::lock_guard lock(process_use().mutex);
  if (process_use().use.begun()) leave_cupti(injection, process_use().use, "a function of it");
}

base::Result<void> start(Injection& injection, const RecorderOptions& options, model::Process& process) {
  auto api = load_cupti(clues_of_process());
  if (!api) return base::relay(api);
  auto driver = DriverApi::load();
  if (!driver) return base::relay(driver);
  injection.api = *api;
  injection.driver = *driver;
  process.driver_version = injection.driver.version();
  if (injection.api.version != 0) process.cupti_version = injection.api.version;
  process.cupti_path = injection.api.path;

  injection.session = std::make_unique<Session>(
      injection.api, injection.driver, options, *injection.channel,
      [&injection](const recorder::ActivityBuffer& buffer) { return injection.recording->deliver(buffer); },
      [&injection](std::int32_t ordinal) { injection.recording->device_seen(ordinal); },
      injection.diagnostics);
  auto recording = recorder::Recording::create(options, process, injection.channel->ring(),
                                               *injection.session, injection.diagnostics);
  if (!recording) return base::relay(recording);
  injection.recording = std::move(*recording);
  injection.modules = std::make_unique<ModuleStore>(injection.channel->ring());
  injection.callbacks = std::make_unique<Callbacks>(
      injection.api, injection.driver, *injection.session, *injection.recording, *injection.modules,
      injection.diagnostics, [&injection] { start_unified_memory(injection); });
  // The recording goes on with what works: without a subscriber the trace still has times, and the other way
  // round.
  injection.recording->start();
  if (auto done = injection.callbacks->subscribe(); !done) {
    injection.diagnostics.add(model::diagnostic_kind("callbacks", "not_subscribed"), done.error());
    injection.recording->stop_measuring();  // calls that no window survives may come unseen
  }
  if (auto done = injection.session->start_trace(); !done)
    injection.diagnostics.add(model::diagnostic_kind("trace", "not_started"), done.error());
  return {};
}

// Threads may be refused: a limit of the program's is no fault of it.
base::Result<void> start_or_say(Injection& injection, const RecorderOptions& options,
                                model::Process& process) {
  try {
    return start(injection, options, process);
  } catch (const std::exception& exception) {
    return base::failure(base::ErrorCode::failed,
                         std::string("recording did not begin: ") + exception.what());
  }
}

void end_injection() {
  guarded("exit", [] {
    const Inside inside;
    Injection* injection = the_injection.load();
    if (injection == nullptr) return;
    injection->recording->finish();
    injection->callbacks->silence();
  });
}

}  // namespace

void report_failure(std::string_view where, std::string_view what) noexcept {
  Injection* injection = the_injection.load();
  if (injection == nullptr) return;
  try {
    injection->diagnostics.add(model::diagnostic_kind("", "exception"), {what}, 1, where);
  } catch (...) {  // no memory even for that: the count below still ends the recording
  }
  if (++failures >= kMostFailures && injection->callbacks) injection->callbacks->silence();
}

void finish_before_vendor() noexcept {
  std::atexit(end_injection);
}

void begin_injection() noexcept {
  guarded("begin", [] {
    const Inside inside;
    const auto options = recorder::read_options(environment);
    // A setting that is not understood was checked by `coalescope record` already: without it nothing is
    // asked.
    if (!options || !*options) return;
    auto process = describe_process(**options);
    auto channel = ring::Channel::open((*options)->ring, recorder::part_name(process));
    if (!channel) return recorder::leave_unrecorded(**options, process, channel.error());
    if (target_has_begun()) {
      const base::Error taken{base::ErrorCode::busy,
                              "the program used CUPTI itself before it used CUDA, so it was not recorded",
                              "record it with its own profiler off"};
      (void)recorder::write_failure_part((*channel)->ring(), **options, process, "cupti", taken);
      return;
    }
    auto injection = std::make_unique<Injection>();
    injection->channel = std::move(*channel);
    if (const auto started = start_or_say(*injection, **options, process); !started) {
      (void)recorder::write_failure_part(injection->channel->ring(), **options, process, "recorder",
                                         started.error());
      // What has begun may be running: leave it where it is.
      [[maybe_unused]] static const Injection* left_behind = nullptr;
      left_behind = injection.release();
      return;
    }
    the_injection.store(injection.release());
    leave_if_taken(*the_injection);
    finish_before_vendor();
  });
}

void target_called(const TargetCallInfo& info) noexcept {
  guarded("target_called", [&info] {
    const Inside inside;
    if (in_child) return;
    const auto now = std::chrono::steady_clock::now();
    const auto lock = base::lock_until(process_use().mutex, now + kCuptiPatience);
    if (!lock || !process_use().use.called(info, now)) return;
    if (Injection* injection = the_injection.load(); injection != nullptr)
      leave_cupti(*injection, process_use().use, info.name);
  });
}

void torch_block(std::uint64_t address, bool taken) noexcept {
  guarded("allocations", [&] {
    Injection* injection = the_injection.load();
    if (injection == nullptr) return;
    const Inside inside;
    if (taken)
      injection->recording->torch_block_taken(address);
    else
      injection->recording->torch_block_given_back(address);
  });
}

bool abandon_in_child() noexcept {
  Injection* injection = the_injection.exchange(nullptr);
  if (injection == nullptr) return in_child;
  in_child = true;
  injection->callbacks->silence();
  injection->channel->abandon();
  return true;
}

}  // namespace coalescope::cupti
