#include "injection/cupti/range_probe.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "core/base/scope_exit.h"
#include "injection/cupti/guarded.h"

namespace coalescope::cupti {
namespace {

using base::Result;
using model::Phase;

CUcontext handle_of(const recorder::ContextHandle& context) {
  return reinterpret_cast<CUcontext>(context.handle);
}

bool all_finite(const std::vector<std::vector<double>>& ranges) {
  return std::ranges::all_of(ranges, [](const std::vector<double>& values) {
    return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
  });
}

void move_metrics(RangePass& from, RangePass& to, const std::function<bool(std::size_t)>& which) {
  RangePass left{.phase = from.phase, .metrics = {}, .names = {}};
  for (std::size_t i = 0; i < from.metrics.size(); ++i) {
    RangePass& target = which(i) ? to : left;
    target.metrics.push_back(from.metrics[i]);
    target.names.push_back(from.names[i]);
  }
  from = std::move(left);
}

// With three passes, seen on an H100: room for 64 ranges took 70 MiB, for 512 it took 558 MiB.
constexpr std::int64_t kBytesARange = 1'200'000;

// A user range begins before its launch and ends once the host has seen the launch end: of kernels of 0.11 to
// 1.1 ms that took 11.7 to 16 us beyond their own time, in a window's first range up to 40 us (30 ranges on
// an H100). Less this, it is right within 2 or 3 % from here on.
constexpr double kOwnNs = 13'000;
constexpr double kLeastDurationNs = 100'000;
constexpr double kLeastFirstNs = 1'500'000;

bool patches(Phase phase) {
  return phase == Phase::bytes || phase == Phase::replay;
}

}  // namespace

RangeProbe::RangeProbe(const CuptiApi& api, const DriverApi& driver, KernelTrace& trace,
                       FindConfig find_config, std::int64_t capacity, Shared shared)
    : api_(api),
      driver_(driver),
      trace_(trace),
      find_config_(std::move(find_config)),
      capacity_(capacity),
      shared_(std::move(shared)) {}

Result<void> RangeProbe::configure(const recorder::ContextHandle& context, Phase phase,
                                   const RangeConfig& config) {
  disable();
  (void)shared_(context.device);

  COALESCOPE_PARAMS(CUpti_RangeProfiler_Enable_Params, enable);
  enable.ctx = handle_of(context);
  if (const auto code = api_.cuptiRangeProfilerEnable(&enable); code != CUPTI_SUCCESS)
    return cupti_failure(api_, code, "cuptiRangeProfilerEnable");
  object_ = enable.pRangeProfilerObject;
  context_ = context;
  if (config_ != &config) {
    config_ = &config;
    passes_ = config.passes;
  }
  next_ = 0;
  while (next_pass().phase != phase) ++next_;
  base::ScopeExit undo([this] { disable(); });

  const auto ranges = static_cast<std::size_t>(capacity_);
  auto names = config_->name_pointers();
  COALESCOPE_PARAMS(CUpti_RangeProfiler_GetCounterDataSize_Params, size);
  size.pRangeProfilerObject = object_;
  size.pMetricNames = names.data();
  size.numMetrics = names.size();
  size.maxNumOfRanges = ranges;
  size.maxNumRangeTreeNodes = static_cast<std::uint32_t>(ranges);
  if (const auto code = api_.cuptiRangeProfilerGetCounterDataSize(&size); code != CUPTI_SUCCESS)
    return cupti_failure(api_, code, "cuptiRangeProfilerGetCounterDataSize");
  image_.assign(size.counterDataSize, 0);
  if (auto done = reset_image(); !done) return base::relay(done);

  COALESCOPE_PARAMS(CUpti_RangeProfiler_SetConfig_Params, set);
  set.pRangeProfilerObject = object_;
  set.configSize = config_->image.size();
  set.pConfig = config_->image.data();
  set.counterDataImageSize = image_.size();
  set.pCounterDataImage = image_.data();
  set.range = config_->kernel_replay ? CUPTI_AutoRange : CUPTI_UserRange;
  set.replayMode = config_->kernel_replay ? CUPTI_KernelReplay : CUPTI_UserReplay;
  set.maxRangesPerPass = ranges;
  set.numNestingLevels = 1;
  set.minNestingLevel = 1;
  set.passIndex = next_;
  set.targetNestingLevel = 1;
  if (const auto code = api_.cuptiRangeProfilerSetConfig(&set); code != CUPTI_SUCCESS)
    return cupti_failure(api_, code, "cuptiRangeProfilerSetConfig");
  undo.release();
  holds_memory_ = true;
  return {};
}

Result<void> RangeProbe::check_safe(const recorder::ContextHandle& context, Phase phase) {
  if (const auto& may = trace_.may_measure(); !may) return base::relay(may);
  if (auto may = patches(phase) ? may_patch() : Result<void>(); !may) return base::relay(may);
  if (holds_memory_) return {};
  const auto free = driver_.free_bytes(handle_of(context));
  if (free && *free < capacity_ * kBytesARange + recorder::kSpareGpuBytes)
    return base::failure(base::ErrorCode::busy, "the program has taken nearly all of the GPU's memory");
  return {};
}

Result<void> RangeProbe::reset_image() {
  COALESCOPE_PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, params);
  params.pRangeProfilerObject = object_;
  params.counterDataSize = image_.size();
  params.pCounterData = image_.data();
  if (const auto code = api_.cuptiRangeProfilerCounterDataImageInitialize(&params); code != CUPTI_SUCCESS)
    return cupti_failure(api_, code, "cuptiRangeProfilerCounterDataImageInitialize");
  return {};
}

Result<void> RangeProbe::start() {
  COALESCOPE_PARAMS(CUpti_RangeProfiler_Start_Params, params);
  params.pRangeProfilerObject = object_;
  if (const auto code = api_.cuptiRangeProfilerStart(&params); code != CUPTI_SUCCESS) {
    disable();
    return cupti_failure(api_, code, "cuptiRangeProfilerStart");
  }
  return {};
}

Result<void> RangeProbe::stop() {
  COALESCOPE_PARAMS(CUpti_RangeProfiler_Stop_Params, params);
  params.pRangeProfilerObject = object_;
  if (const auto code = api_.cuptiRangeProfilerStop(&params); code != CUPTI_SUCCESS) {
    disable();
    return cupti_failure(api_, code, "cuptiRangeProfilerStop");
  }
  measured_ = next_;
  next_ = params.passIndex % passes_.size();
  return {};
}

Result<void> RangeProbe::skip_to(Phase phase) {
  for (std::size_t skipped = 0; next_pass().phase != phase; ++skipped) {
    if (skipped == passes_.size())
      return base::failure(base::ErrorCode::failed, "the range profiler does not reach the pass of phase " +
                                                        std::string(model::name_of(phase)));
    if (auto done = start(); !done) return base::relay(done);
    if (auto done = stop(); !done) return base::relay(done);
  }
  return {};
}

Result<void> RangeProbe::enter(const recorder::ContextHandle& context, Phase phase) {
  const auto quiet = trace_.quiet();
  // Asked each time, because it may be refused later on.
  const auto config = find_config_(context.device, phase);
  if (!config) return base::relay(config);
  if (auto done = check_safe(context, phase); !done) return base::relay(done);
  if (object_ == nullptr || config_ != *config || !(context_ == context)) {
    if (auto done = configure(context, phase, **config); !done) return base::relay(done);
  }
  if (auto done = skip_to(phase); !done) return base::relay(done);
  if (auto done = reset_image(); !done) return base::relay(done);
  if (auto done = start(); !done) return base::relay(done);
  patches_ = patches(phase);
  range_ended_ = {};
  return {};
}

// Ranges are numbered in the order in which they were begun. Two of one name would be added up.
Result<void> RangeProbe::begin(const recorder::LaunchInfo& launch) {
  const auto quiet = trace_.quiet();
  if (!range_ended_) return base::relay(range_ended_);
  if (const auto& may = trace_.may_measure(); !may) return base::relay(may);
  if (auto done = note_patched(launch); !done) return base::relay(done);
  if (auto done = trace_.pause_kernels(); !done) return base::relay(done);
  auto done = push_range();
  if (!done) trace_.resume_kernels();
  return done;
}

Result<void> RangeProbe::push_range() {
  if (config_->kernel_replay) return {};
  const std::string name = std::to_string(ranges_++);
  COALESCOPE_PARAMS(CUpti_RangeProfiler_PushRange_Params, params);
  params.pRangeProfilerObject = object_;
  params.pRangeName = name.c_str();
  if (const auto code = api_.cuptiRangeProfilerPushRange(&params); code != CUPTI_SUCCESS)
    return cupti_failure(api_, code, "cuptiRangeProfilerPushRange");
  return {};
}

void RangeProbe::end() {
  const auto quiet = trace_.quiet();
  range_ended_ = pop_range();
  // In a range that stays open, CUPTI would add a kernel of its own to each launch that has a record.
  if (!range_ended_) disable();
  trace_.resume_kernels();
}

Result<void> RangeProbe::pop_range() {
  if (config_->kernel_replay) return {};
  COALESCOPE_PARAMS(CUpti_RangeProfiler_PopRange_Params, params);
  params.pRangeProfilerObject = object_;
  if (const auto code = api_.cuptiRangeProfilerPopRange(&params); code != CUPTI_SUCCESS)
    return cupti_failure(api_, code, "cuptiRangeProfilerPopRange");
  return {};
}

// The modules and contexts of the functions that this window patches.
Result<void> RangeProbe::note_patched(const recorder::LaunchInfo& launch) {
  if (!patches_) return {};
  if (auto may = may_patch(); !may) return base::relay(may);
  const auto code = driver_.code_of(reinterpret_cast<CUfunction>(launch.function));
  const std::lock_guard lock(patched_mutex_);
  patched_.insert(code);
  patched_in_.insert(launch.context.handle);
  return {};
}

Result<void> RangeProbe::may_patch() {
  const std::lock_guard lock(patched_mutex_);
  if (!patched_code_is_gone_) return {};
  return base::failure(base::ErrorCode::unsafe,
                       "the program has unloaded code that was measured: no other code is patched any "
                       "more, because CUPTI could crash the program");
}

// The driver is not asked under the mutex: another thread, with a lock of the driver's, may wait for it in a
// callback.
bool RangeProbe::code_unloading(const recorder::UnloadedCode& code) {
  std::unique_lock lock(patched_mutex_);
  if (patched_.empty() || patched_code_is_gone_) return false;
  lock.unlock();
  const auto of_library =
      code.library == 0 ? 0 : driver_.module_of(reinterpret_cast<CUlibrary>(code.library));
  lock.lock();
  const bool known = (code.module != 0 || code.library != 0) && !patched_.contains(0);
  const auto was_patched = [&](std::uint64_t handle) { return handle != 0 && patched_.contains(handle); };
  patched_code_is_gone_ = patched_code_is_gone_ || !known || was_patched(code.module) ||
                          was_patched(code.library) || was_patched(of_library);
  return patched_code_is_gone_;
}

Result<recorder::WindowReadings> RangeProbe::leave() {
  const Inside inside;  // the writer thread leaves windows, too
  const auto quiet = trace_.quiet();
  if (!range_ended_) return base::relay(range_ended_);
  if (auto done = stop(); !done) return base::relay(done);
  COALESCOPE_PARAMS(CUpti_RangeProfiler_DecodeData_Params, decode);
  decode.pRangeProfilerObject = object_;
  if (const auto code = api_.cuptiRangeProfilerDecodeData(&decode); code != CUPTI_SUCCESS)
    return cupti_failure(api_, code, "cuptiRangeProfilerDecodeData");
  auto readings = evaluate(static_cast<std::int64_t>(decode.numOfRangeDropped));
  if (readings && shared_(context_.device)) {
    disable();
    readings->released = true;
  }
  return readings;
}

Result<recorder::WindowReadings> RangeProbe::evaluate(std::int64_t dropped) {
  COALESCOPE_PARAMS(CUpti_RangeProfiler_GetCounterDataInfo_Params, info);
  info.pCounterDataImage = image_.data();
  info.counterDataImageSize = image_.size();
  if (const auto code = api_.cuptiRangeProfilerGetCounterDataInfo(&info); code != CUPTI_SUCCESS)
    return cupti_failure(api_, code, "cuptiRangeProfilerGetCounterDataInfo");

  const Phase intended = passes_[measured_].phase;
  auto values = values_of_all(info.numTotalRanges);
  if (values && !all_finite(*values)) {
    if (auto done = learn_pass(); !done) return base::relay(done);
    values = values_of_all(info.numTotalRanges);
  }
  if (!values) return base::relay(values);

  const RangePass& pass = passes_[measured_];
  recorder::WindowReadings readings;
  readings.dropped = dropped;
  // Not, for one, with a graph in the window.
  readings.valid = pass.phase == intended && all_finite(*values);
  for (std::size_t i = 0; i < pass.metrics.size(); ++i)
    readings.metrics.push_back(recorder::metric_used(pass.metrics[i], pass.names[i]));
  for (std::size_t range = 0; range < values->size(); ++range) {
    auto& launch = readings.launches.emplace_back();
    for (std::size_t i = 0; readings.valid && i < pass.metrics.size(); ++i)
      if (const auto value = value_of(pass.metrics[i], range, (*values)[range][i]))
        launch.emplace_back(pass.metrics[i], std::llround(*value));
  }
  return readings;
}

Result<std::vector<std::vector<double>>> RangeProbe::values_of_all(std::size_t ranges) {
  std::vector<std::vector<double>> all;
  for (std::size_t range = 0; range < ranges; ++range) {
    auto values = values_of(range, passes_[measured_]);
    if (!values) return base::relay(values);
    all.push_back(std::move(*values));
  }
  return all;
}

Result<std::vector<double>> RangeProbe::values_of(std::size_t range, const RangePass& pass) {
  auto names = pass.name_pointers();
  std::vector<double> values(names.size());
  COALESCOPE_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params, evaluate);
  evaluate.pHostObject = config_->host;
  evaluate.pCounterDataImage = image_.data();
  evaluate.counterDataImageSize = image_.size();
  evaluate.rangeIndex = range;
  evaluate.ppMetricNames = names.data();
  evaluate.numMetrics = names.size();
  evaluate.pMetricValues = values.data();
  if (const auto code = api_.cuptiProfilerHostEvaluateToGpuValues(&evaluate); code != CUPTI_SUCCESS)
    return cupti_failure(api_, code, "cuptiProfilerHostEvaluateToGpuValues");
  return values;
}

std::optional<double> RangeProbe::value_of(model::MetricId metric, std::size_t range, double value) const {
  if (metric != model::MetricId::traffic_ns || config_->kernel_replay) return value;
  if (value < (range == 0 ? kLeastFirstNs : kLeastDurationNs)) return std::nullopt;
  return value - kOwnNs;
}

// Into which pass CUPTI puts a counter is seen, not documented (docs/decisions/004): hardware counters as
// they were added, as a rule, then those that count by patching. A counter with a value in a window belongs
// to that window's pass. One without a value moves to the other pass of hardware counters. If a window read
// another phase than intended, only that window is lost.
Result<void> RangeProbe::learn_pass() {
  std::vector<std::vector<double>> seen;  // of each pass
  for (const RangePass& pass : passes_) {
    auto values = values_of(0, pass);
    if (!values) return base::relay(values);
    seen.push_back(std::move(*values));
  }
  const auto numbers = [](const std::vector<double>& values) {
    return std::ranges::count_if(values, [](double value) { return std::isfinite(value); });
  };
  const auto most = static_cast<std::size_t>(std::ranges::max_element(seen, {}, numbers) - seen.begin());
  if (numbers(seen[most]) == 0) return {};  // the window was disturbed
  if (most != measured_) {
    std::swap(passes_[most], passes_[measured_]);
    return {};
  }
  RangePass& mine = passes_[measured_];
  const auto elsewhere = std::ranges::find_if(
      passes_, [&](const RangePass& pass) { return &pass != &mine && !patches(pass.phase); });
  if (elsewhere != passes_.end())
    move_metrics(mine, *elsewhere, [&](std::size_t i) { return !std::isfinite(seen[measured_][i]); });
  for (std::size_t other = 0; other < passes_.size(); ++other)
    if (other != measured_)
      move_metrics(passes_[other], mine,
                   [&](std::size_t i) { return i < seen[other].size() && std::isfinite(seen[other][i]); });
  return {};
}

void RangeProbe::release(const recorder::ContextHandle& context) {
  {
    const std::lock_guard lock(patched_mutex_);
    if (patched_in_.contains(context.handle)) patched_code_is_gone_ = true;
  }
  const auto quiet = trace_.quiet();
  if (context_ == context) disable();
}

void RangeProbe::release_all() {
  if (const auto quiet = trace_.quiet_in_time(); quiet) disable();
}

void RangeProbe::give_gpu_memory_back() {
  const auto quiet = trace_.quiet();
  disable();
}

void RangeProbe::disable() {
  if (object_ == nullptr) return;
  COALESCOPE_PARAMS(CUpti_RangeProfiler_Disable_Params, params);
  params.pRangeProfilerObject = object_;
  (void)api_.cuptiRangeProfilerDisable(&params);  // the object is gone, whatever the answer
  object_ = nullptr;
  holds_memory_ = false;
}

}  // namespace coalescope::cupti
