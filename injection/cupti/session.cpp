#include "injection/cupti/session.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <dlfcn.h>
#include <sys/auxv.h>

#include "injection/cupti/guarded.h"

namespace coalescope::cupti {
namespace {

using model::Phase;

std::int64_t unix_now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// The capture's beginning on CUPTI's clock, from the same instant read on both clocks.
base::Result<std::int64_t> zero_on_cupti_clock(const CuptiApi& api, std::int64_t started_unix_ns) {
  std::uint64_t cupti_ns = 0;
  if (const auto code = api.cuptiGetTimestamp(&cupti_ns); code != CUPTI_SUCCESS)
    return cupti_failure(api, code, "cuptiGetTimestamp");
  return static_cast<std::int64_t>(cupti_ns) - (unix_now_ns() - started_unix_ns);
}

// Of kRangePhases.
std::vector<Phase> range_phases(const recorder::RecorderOptions& options) {
  const auto& enabled = options.scheduling.enabled;
  const bool all = enabled[recorder::index_of(Phase::replay)];
  std::vector<Phase> phases;
  for (const Phase phase : kRangePhases) {
    if (all || enabled[recorder::index_of(phase)]) phases.push_back(phase);
  }
  return phases;
}

// A range takes 300 kB of counter data, and each place for one makes the first Start 0.6 ms longer and each
// window 70 us (seen on an H100). Where only a few launches of each kernel are wanted a window is short
// anyway.
std::int64_t range_capacity(const recorder::RecorderOptions& options) {
  return std::clamp<std::int64_t>(std::int64_t{32} * options.scheduling.samples, 64, 256);
}

// Whether others find the program's own function by this name.
[[maybe_unused]] bool is_in_program(const char* function) {
  Dl_info found, program;
  const void* const address = dlsym(RTLD_DEFAULT, function);
  return address != nullptr && dladdr(address, &found) != 0 &&
         dladdr(reinterpret_cast<void*>(getauxval(AT_PHDR)), &program) != 0 &&
         found.dli_fbase == program.dli_fbase;
}

// CUPTI opens libnvperf_host with RTLD_DEEPBIND, for which the runtimes of these sanitizers end the program
// (seen with AddressSanitizer on an H100; the others share the check). gcc's static runtimes do not export
// their own names, only the functions that they replace. The stand-in in a build with sanitizers of our own
// leaves the flag out.
bool is_sanitized() {
#ifdef COALESCOPE_SANITIZED
  return false;
#else
  return (is_in_program("dlopen") && is_in_program("malloc")) ||
         std::ranges::any_of(std::array{"__asan_init", "__tsan_init", "__msan_init"},
                             [](const char* function) { return dlsym(RTLD_DEFAULT, function) != nullptr; });
#endif
}

}  // namespace

Session::Session(const CuptiApi& api, const DriverApi& driver, const recorder::RecorderOptions& options,
                 ring::Channel& channel, KernelTrace::Deliver deliver, ChipKnown chip_known,
                 recorder::Diagnostics& diagnostics)
    : api_(api),
      driver_(driver),
      chip_known_(std::move(chip_known)),
      diagnostics_(diagnostics),
      started_unix_ns_(options.started_unix_ns),
      zero_ns_(zero_on_cupti_clock(api, options.started_unix_ns)),
      sanitized_(is_sanitized()),
      gpu_wait_(driver),
      trace_(api, zero_ns_.value_or(0), std::move(deliver), diagnostics),
      range_probe_(
          api, driver, trace_,
          [this](std::int32_t ordinal, Phase phase) { return find_config(ordinal, phase); },
          range_capacity(options),
          [&driver, &channel](std::int32_t ordinal) { return channel.shares_gpu(driver.uuid(ordinal)); }),
      lines_probe_(api, trace_, [this](std::int32_t ordinal) { return chip_name(ordinal); }),
      range_phases_(range_phases(options)) {}

// Without the two clocks' difference the records' times cannot be placed in the run.
base::Result<void> Session::start_trace() {
  if (!zero_ns_) return base::relay(zero_ns_);
  return trace_.start();
}

void Session::leave(const TargetUse& use) {
  left_ns_ = now_ns();
  cupti_clock_trusted_ = false;
  range_probe_.release_all();
  lines_probe_.release_all();
  trace_.leave(use);
}

std::optional<std::int64_t> Session::regain_trace() {
  if (!trace_.has_left() || !zero_ns_) return std::nullopt;
  const Inside inside;
  const std::unique_lock lock(process_use().mutex, std::try_to_lock);
  const auto now = std::chrono::steady_clock::now();
  if (!lock || !process_use().use.is_over(now)) return std::nullopt;
  if (auto done = trace_.come_back(process_use().use, *zero_ns_ - started_unix_ns_); !done) {
    diagnostics_.add(model::diagnostic_kind("trace", "not_regained"), done.error());
    trace_.leave(process_use().use);
    (void)process_use().use.called({.name = "", .call = TargetCall::for_good}, now);  // not tried again
    return std::nullopt;
  }
  return left_ns_;
}

std::int64_t Session::now_ns() {
  std::uint64_t cupti_ns = 0;
  // Both clocks tell the time since the same instant: the system's will do.
  if (!zero_ns_ || !cupti_clock_trusted_ || api_.cuptiGetTimestamp(&cupti_ns) != CUPTI_SUCCESS)
    return unix_now_ns() - started_unix_ns_;
  return static_cast<std::int64_t>(cupti_ns) - *zero_ns_;
}

base::Result<void> Session::wait_for_gpu(const recorder::ContextHandle& context,
                                         std::chrono::nanoseconds patience) {
  const Inside inside;  // the writer thread waits, too, and its waits are not the program's
  auto* const handle = reinterpret_cast<CUcontext>(context.handle);
  if (driver_.can_mark()) return gpu_wait_.wait(handle, context.uid, patience);
  const auto quiet = trace_.quiet();
  return driver_.synchronize(handle);
}

std::int64_t Session::stream_id(const recorder::LaunchInfo& launch) {
  std::uint32_t id = 0;
  const auto code = api_.cuptiGetStreamIdEx(reinterpret_cast<CUcontext>(launch.context.handle),
                                            reinterpret_cast<CUstream>(launch.stream),
                                            launch.per_thread_stream ? 1 : 0, &id);
  if (code != CUPTI_SUCCESS)
    diagnostics_.add(model::diagnostic_kind("launches", "stream_unknown"),
                     cupti_error(api_, code, "cuptiGetStreamIdEx"));
  return id;
}

bool Session::is_stream_captured(const recorder::LaunchInfo& launch) {
  const bool own_default = launch.stream == 0 && launch.per_thread_stream;
  return driver_.is_in_stream_capture(own_default ? CU_STREAM_PER_THREAD
                                                  : reinterpret_cast<CUstream>(launch.stream));
}

recorder::PhaseProbe* Session::probe(Phase phase) {
  if (phase == Phase::trace) return nullptr;
  if (phase == Phase::lines) return &lines_probe_;
  return &range_probe_;
}

base::Result<std::vector<model::GroupPointer>> Session::pointers(const recorder::LaunchInfo& launch) {
  if (!driver_.can_describe_pointers())
    return base::failure(base::ErrorCode::unsupported,
                         "this driver does not tell where a kernel's parameters lie",
                         "install a driver for CUDA 12.4 or later");
  return driver_.describe_pointers(launch);
}

base::Result<model::Device> Session::describe_device(std::int32_t ordinal) {
  auto device = driver_.describe(ordinal);
  if (!device) return base::relay(device);
  const std::lock_guard lock(mutex_);
  if (const auto chip = chips_.find(ordinal); chip != chips_.end() && chip->second)
    device->chip = *chip->second;
  return device;
}

base::Result<std::string> Session::chip_name(std::int32_t ordinal) {
  const auto [chip, asked] = find_chip(ordinal);
  if (asked) {
    finish_before_vendor();
    chip_known_(ordinal);
  }
  return chip;
}

std::pair<base::Result<std::string>, bool> Session::find_chip(std::int32_t ordinal) {
  const std::lock_guard lock(mutex_);
  if (const auto known = chips_.find(ordinal); known != chips_.end()) return {known->second, false};
  const auto ask = [&]() -> base::Result<std::string> {
    if (sanitized_)
      return base::failure(
          base::ErrorCode::unsupported,
          "the program was built with a sanitizer that ends it where CUPTI loads its counters",
          "record a build without sanitizers");
    COALESCOPE_PARAMS(CUpti_Profiler_Initialize_Params, initialize);
    if (const auto code = api_.cuptiProfilerInitialize(&initialize); code != CUPTI_SUCCESS)
      return cupti_failure(api_, code, "cuptiProfilerInitialize");
    COALESCOPE_PARAMS(CUpti_Device_GetChipName_Params, chip);
    chip.deviceIndex = static_cast<std::size_t>(ordinal);
    if (const auto code = api_.cuptiDeviceGetChipName(&chip); code != CUPTI_SUCCESS)
      return cupti_failure(api_, code, "cuptiDeviceGetChipName");
    return chip.pChipName;
  };
  return {chips_.emplace(ordinal, ask()).first->second, true};
}

base::Result<const RangeConfig*> Session::find_config(std::int32_t ordinal, Phase phase) {
  if (phase == Phase::replay) return find_config(ordinal, std::vector{phase});
  // All phases together, because a second configuration costs another 0.3 s; a chip that cannot have them so
  // gets one for each.
  const auto together = find_config(ordinal, range_phases_);
  const bool refused = !together && together.error().code == base::ErrorCode::unsupported;
  return refused ? find_config(ordinal, std::vector{phase}) : together;
}

base::Result<const RangeConfig*> Session::find_config(std::int32_t ordinal,
                                                      const std::vector<Phase>& phases) {
  const auto chip = chip_name(ordinal);
  if (!chip) return base::relay(chip);
  const std::lock_guard lock(mutex_);
  const auto key = std::make_pair(ordinal, phases);
  auto found = configs_.find(key);
  if (found == configs_.end()) {
    const bool replay = phases.front() == Phase::replay;
    auto config =
        replay ? build_replay_config(api_, *chip, range_phases_) : build_range_config(api_, *chip, phases);
    found = configs_.emplace(key, std::move(config)).first;
    finish_before_vendor();
  }
  if (!found->second) return base::relay(found->second);
  return &*found->second;
}

void Session::decode(const recorder::ActivityBuffer& buffer, recorder::TraceSink& sink) {
  trace_.decode(buffer, sink);
}

}  // namespace coalescope::cupti
