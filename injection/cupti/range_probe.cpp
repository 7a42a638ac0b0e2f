#include "injection/cupti/range_probe.h"

#include <cmath>

#include "core/base/scope_exit.h"

namespace coalescope::cupti {
namespace {

using base::Result;
using model::Phase;

CUcontext handle_of(const recorder::ContextHandle& context) {
  return reinterpret_cast<CUcontext>(context.handle);
}

}  // namespace

RangeProbe::RangeProbe(const CuptiApi& api, const DriverApi& driver, KernelTrace& trace,
                       FindConfig find_config)
    : api_(api), driver_(driver), trace_(trace), find_config_(std::move(find_config)) {}

// A range takes 110 kB of counter data when it counts by patching, 16 kB otherwise.
std::int64_t RangeProbe::capacity(Phase phase) const {
  return phase == Phase::bytes ? 64 : 256;
}

Result<void> RangeProbe::configure(const recorder::ContextHandle& context, Phase phase,
                                   const RangeConfig& config) {
  disable();

  COALESCOPE_PARAMS(CUpti_RangeProfiler_Enable_Params, enable);
  enable.ctx = handle_of(context);
  if (const auto code = api_.cuptiRangeProfilerEnable(&enable); code != CUPTI_SUCCESS)
    return tl::unexpected(cupti_error(api_, code, "cuptiRangeProfilerEnable"));
  object_ = enable.pRangeProfilerObject;
  config_ = &config;
  context_ = context;
  base::ScopeExit undo([this] { disable(); });

  const auto ranges = static_cast<std::size_t>(capacity(phase));
  auto names = config_->name_pointers();
  COALESCOPE_PARAMS(CUpti_RangeProfiler_GetCounterDataSize_Params, size);
  size.pRangeProfilerObject = object_;
  size.pMetricNames = names.data();
  size.numMetrics = names.size();
  size.maxNumOfRanges = ranges;
  size.maxNumRangeTreeNodes = static_cast<std::uint32_t>(ranges);
  if (const auto code = api_.cuptiRangeProfilerGetCounterDataSize(&size); code != CUPTI_SUCCESS)
    return tl::unexpected(cupti_error(api_, code, "cuptiRangeProfilerGetCounterDataSize"));
  image_.assign(size.counterDataSize, 0);
  if (auto done = reset_image(); !done) return done;

  COALESCOPE_PARAMS(CUpti_RangeProfiler_SetConfig_Params, set);
  set.pRangeProfilerObject = object_;
  set.configSize = config_->image.size();
  set.pConfig = config_->image.data();
  set.counterDataImageSize = image_.size();
  set.pCounterDataImage = image_.data();
  set.range = CUPTI_AutoRange;
  set.replayMode = CUPTI_UserReplay;
  set.maxRangesPerPass = ranges;
  set.numNestingLevels = 1;
  set.minNestingLevel = 1;
  set.passIndex = 0;
  set.targetNestingLevel = 1;
  if (const auto code = api_.cuptiRangeProfilerSetConfig(&set); code != CUPTI_SUCCESS)
    return tl::unexpected(cupti_error(api_, code, "cuptiRangeProfilerSetConfig"));
  phase_ = phase;
  undo.release();
  return {};
}

Result<void> RangeProbe::reset_image() {
  COALESCOPE_PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, params);
  params.pRangeProfilerObject = object_;
  params.counterDataSize = image_.size();
  params.pCounterData = image_.data();
  if (const auto code = api_.cuptiRangeProfilerCounterDataImageInitialize(&params); code != CUPTI_SUCCESS)
    return tl::unexpected(cupti_error(api_, code, "cuptiRangeProfilerCounterDataImageInitialize"));
  return {};
}

Result<void> RangeProbe::enter(const recorder::ContextHandle& context, Phase phase) {
  const auto quiet = trace_.quiet();
  // Asked each time, because it may be refused later on.
  const auto config = find_config_(context.device, phase);
  if (!config) return tl::unexpected(config.error());
  if (phase_ != phase || !(context_ == context)) {
    if (auto done = configure(context, phase, **config); !done) return done;
  } else if (auto done = reset_image(); !done) {
    return done;
  }
  // Work that is still running would be counted with the first launch.
  if (auto done = driver_.synchronize(handle_of(context)); !done) return done;
  if (auto done = trace_.pause_kernels(); !done) return done;
  COALESCOPE_PARAMS(CUpti_RangeProfiler_Start_Params, start);
  start.pRangeProfilerObject = object_;
  if (const auto code = api_.cuptiRangeProfilerStart(&start); code != CUPTI_SUCCESS) {
    trace_.resume_kernels();
    disable();
    return tl::unexpected(cupti_error(api_, code, "cuptiRangeProfilerStart"));
  }
  return {};
}

void RangeProbe::note(const recorder::LaunchInfo&) {
  // Ranges are numbered in the order of the launches, and the arbiter keeps that order.
}

Result<recorder::WindowReadings> RangeProbe::leave() {
  const auto quiet = trace_.quiet();
  const base::ScopeExit resume([this] { trace_.resume_kernels(); });
  COALESCOPE_PARAMS(CUpti_RangeProfiler_Stop_Params, stop);
  stop.pRangeProfilerObject = object_;
  if (const auto code = api_.cuptiRangeProfilerStop(&stop); code != CUPTI_SUCCESS) {
    disable();
    return tl::unexpected(cupti_error(api_, code, "cuptiRangeProfilerStop"));
  }
  COALESCOPE_PARAMS(CUpti_RangeProfiler_DecodeData_Params, decode);
  decode.pRangeProfilerObject = object_;
  if (const auto code = api_.cuptiRangeProfilerDecodeData(&decode); code != CUPTI_SUCCESS)
    return tl::unexpected(cupti_error(api_, code, "cuptiRangeProfilerDecodeData"));
  return evaluate(static_cast<std::int64_t>(decode.numOfRangeDropped));
}

Result<recorder::WindowReadings> RangeProbe::evaluate(std::int64_t dropped) {
  COALESCOPE_PARAMS(CUpti_RangeProfiler_GetCounterDataInfo_Params, info);
  info.pCounterDataImage = image_.data();
  info.counterDataImageSize = image_.size();
  if (const auto code = api_.cuptiRangeProfilerGetCounterDataInfo(&info); code != CUPTI_SUCCESS)
    return tl::unexpected(cupti_error(api_, code, "cuptiRangeProfilerGetCounterDataInfo"));

  recorder::WindowReadings readings;
  readings.dropped = dropped;
  for (std::size_t i = 0; i < config_->metrics.size(); ++i)
    readings.metrics.push_back(recorder::metric_used(config_->metrics[i], config_->names[i]));
  auto names = config_->name_pointers();
  std::vector<double> values(names.size());
  for (std::size_t range = 0; range < info.numTotalRanges; ++range) {
    COALESCOPE_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params, evaluate);
    evaluate.pHostObject = config_->host;
    evaluate.pCounterDataImage = image_.data();
    evaluate.counterDataImageSize = image_.size();
    evaluate.rangeIndex = range;
    evaluate.ppMetricNames = names.data();
    evaluate.numMetrics = names.size();
    evaluate.pMetricValues = values.data();
    if (const auto code = api_.cuptiProfilerHostEvaluateToGpuValues(&evaluate); code != CUPTI_SUCCESS)
      return tl::unexpected(cupti_error(api_, code, "cuptiProfilerHostEvaluateToGpuValues"));
    auto& launch = readings.launches.emplace_back();
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!std::isfinite(values[i]))
        readings.valid = false;  // a graph in the window, for one
      else
        launch.emplace_back(config_->metrics[i], std::llround(values[i]));
    }
  }
  return readings;
}

void RangeProbe::release(const recorder::ContextHandle& context) {
  const auto quiet = trace_.quiet();
  if (context_ == context) disable();
}

void RangeProbe::disable() {
  if (object_ == nullptr) return;
  COALESCOPE_PARAMS(CUpti_RangeProfiler_Disable_Params, params);
  params.pRangeProfilerObject = object_;
  (void)api_.cuptiRangeProfilerDisable(&params);  // the object is gone, whatever the answer
  object_ = nullptr;
  config_ = nullptr;
  phase_ = Phase::trace;
}

}  // namespace coalescope::cupti
