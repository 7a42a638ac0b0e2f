#pragma once
// What the facts are asked with: one context, one kernel, and the range profiler and activity records without
// anything of the recorder between them and CUPTI.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "injection/cupti/range_config.h"

namespace facts {

namespace cupti = coalescope::cupti;
namespace model = coalescope::model;

inline void must(bool holds, const std::string& what) {
  if (holds) return;
  std::printf("NOT SO: %s\n", what.c_str());
  std::exit(1);
}
inline void must_do(int code, const char* call) {
  must(code == 0, std::string(call) + " answered " + std::to_string(code));
}

class Gpu {
 public:
  explicit Gpu(const char* code_file) {
    must_do(cuInit(0), "cuInit");
    must_do(cuCtxCreate(&context, nullptr, 0, 0), "cuCtxCreate");
    std::ifstream file(code_file, std::ios::binary);
    code_.assign(std::istreambuf_iterator<char>(file), {});
    load();
    must_do(cuMemAlloc(&in_, 8 * kThreads * sizeof(float)), "cuMemAlloc");
    must_do(cuMemAlloc(&out_, kThreads * sizeof(float)), "cuMemAlloc");
    must_do(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  }
  // The kernel again, as a module of its own; the one before stays where it is.
  void load() {
    must_do(cuModuleLoadData(&module_, code_.c_str()), "cuModuleLoadData");
    must_do(cuModuleGetFunction(&function_, module_, "strided_by_driver"), "cuModuleGetFunction");
  }
  void unload() {
    must_do(cuCtxSynchronize(), "cuCtxSynchronize");
    must_do(cuModuleUnload(module_), "cuModuleUnload");
  }
  void launch(int times = 1) {
    void* arguments[] = {&in_, &out_};
    for (; times > 0; --times)
      must_do(cuLaunchKernel(function_, kThreads / 128, 1, 1, 128, 1, 1, 0, stream, arguments, nullptr),
              "cuLaunchKernel");
  }
  CUgraphExec graph() {
    CUgraph captured = nullptr;
    CUgraphExec executable = nullptr;
    must_do(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), "cuStreamBeginCapture");
    launch();
    must_do(cuStreamEndCapture(stream, &captured), "cuStreamEndCapture");
    must_do(cuGraphInstantiate(&executable, captured, 0), "cuGraphInstantiate");
    return executable;
  }
  static constexpr int kWarps = 100;  // each loads once and stores once

  CUcontext context = nullptr;
  CUstream stream = nullptr;

 private:
  static constexpr int kThreads = 32 * kWarps;
  std::string code_;
  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;
  CUdeviceptr in_ = 0, out_ = 0;
};

// A range profiler's object with a configuration and room for `capacity` ranges.
class Profiler {
 public:
  Profiler(const cupti::CuptiApi& api, CUcontext context, const cupti::RangeConfig& config,
           std::size_t capacity, CUpti_ProfilerRange ranges = CUPTI_AutoRange)
      : api_(api), config_(config), capacity_(capacity), kind_(ranges) {
    COALESCOPE_PARAMS(CUpti_RangeProfiler_Enable_Params, enable);
    enable.ctx = context;
    must_do(api.cuptiRangeProfilerEnable(&enable), "cuptiRangeProfilerEnable");
    object_ = enable.pRangeProfilerObject;
    auto names = config.name_pointers();
    COALESCOPE_PARAMS(CUpti_RangeProfiler_GetCounterDataSize_Params, size);
    size.pRangeProfilerObject = object_;
    size.pMetricNames = names.data();
    size.numMetrics = names.size();
    size.maxNumOfRanges = capacity;
    size.maxNumRangeTreeNodes = static_cast<std::uint32_t>(capacity);
    must_do(api.cuptiRangeProfilerGetCounterDataSize(&size), "cuptiRangeProfilerGetCounterDataSize");
    image_.resize(size.counterDataSize);
    must_do(configure(config), "cuptiRangeProfilerSetConfig");
  }
  CUptiResult configure(const cupti::RangeConfig& config) {
    reset();
    COALESCOPE_PARAMS(CUpti_RangeProfiler_SetConfig_Params, set);
    set.pRangeProfilerObject = object_;
    set.configSize = config.image.size();
    set.pConfig = config.image.data();
    set.counterDataImageSize = image_.size();
    set.pCounterDataImage = image_.data();
    set.range = kind_;
    set.replayMode = CUPTI_UserReplay;
    set.maxRangesPerPass = capacity_;
    set.numNestingLevels = 1;
    set.minNestingLevel = 1;
    set.targetNestingLevel = 1;
    return api_.cuptiRangeProfilerSetConfig(&set);
  }
  void reset() {
    COALESCOPE_PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, image);
    image.pRangeProfilerObject = object_;
    image.counterDataSize = image_.size();
    image.pCounterData = image_.data();
    must_do(api_.cuptiRangeProfilerCounterDataImageInitialize(&image),
            "cuptiRangeProfilerCounterDataImageInitialize");
  }
  CUptiResult start() {
    COALESCOPE_PARAMS(CUpti_RangeProfiler_Start_Params, params);
    params.pRangeProfilerObject = object_;
    return api_.cuptiRangeProfilerStart(&params);
  }
  void push(const std::string& name) {
    COALESCOPE_PARAMS(CUpti_RangeProfiler_PushRange_Params, params);
    params.pRangeProfilerObject = object_;
    params.pRangeName = name.c_str();
    must_do(api_.cuptiRangeProfilerPushRange(&params), "cuptiRangeProfilerPushRange");
  }
  void pop() {
    COALESCOPE_PARAMS(CUpti_RangeProfiler_PopRange_Params, params);
    params.pRangeProfilerObject = object_;
    must_do(api_.cuptiRangeProfilerPopRange(&params), "cuptiRangeProfilerPopRange");
  }
  // The number of the pass that is next.
  std::size_t stop() {
    COALESCOPE_PARAMS(CUpti_RangeProfiler_Stop_Params, params);
    params.pRangeProfilerObject = object_;
    must_do(api_.cuptiRangeProfilerStop(&params), "cuptiRangeProfilerStop");
    return params.passIndex;
  }
  // The number of ranges that were dropped.
  std::size_t decode() {
    COALESCOPE_PARAMS(CUpti_RangeProfiler_DecodeData_Params, params);
    params.pRangeProfilerObject = object_;
    must_do(api_.cuptiRangeProfilerDecodeData(&params), "cuptiRangeProfilerDecodeData");
    return params.numOfRangeDropped;
  }
  void disable() {
    COALESCOPE_PARAMS(CUpti_RangeProfiler_Disable_Params, params);
    params.pRangeProfilerObject = object_;
    must_do(api_.cuptiRangeProfilerDisable(&params), "cuptiRangeProfilerDisable");
  }
  [[nodiscard]] std::size_t ranges() const {
    COALESCOPE_PARAMS(CUpti_RangeProfiler_GetCounterDataInfo_Params, params);
    params.pCounterDataImage = image_.data();
    params.counterDataImageSize = image_.size();
    must_do(api_.cuptiRangeProfilerGetCounterDataInfo(&params), "cuptiRangeProfilerGetCounterDataInfo");
    return params.numTotalRanges;
  }
  [[nodiscard]] double value(std::size_t range, model::MetricId id) const {
    const char* name = model::metric(id).cupti_names.front().data();
    double value = 0;
    COALESCOPE_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params, params);
    params.pHostObject = config_.host;
    params.pCounterDataImage = image_.data();
    params.counterDataImageSize = image_.size();
    params.rangeIndex = range;
    params.ppMetricNames = &name;
    params.numMetrics = 1;
    params.pMetricValues = &value;
    must_do(api_.cuptiProfilerHostEvaluateToGpuValues(&params), "cuptiProfilerHostEvaluateToGpuValues");
    return value;
  }

 private:
  const cupti::CuptiApi& api_;
  const cupti::RangeConfig& config_;
  const std::size_t capacity_;
  const CUpti_ProfilerRange kind_;
  CUpti_RangeProfiler_Object* object_ = nullptr;
  std::vector<std::uint8_t> image_;
};

}  // namespace facts
