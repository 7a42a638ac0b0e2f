// The stand-in's libcupti: the range profiler.
//
//   1. Enable: an object for a context. Another one for the same context takes the first one's place.
//   2. GetCounterDataSize, CounterDataImageInitialize (also to begin anew)
//   3. SetConfig: the first one counts; a later one answers success and changes nothing
//   4. Start. Under automatic ranges each launch of the context, by any thread, is a range, and a graph
//      launch is one that is no number. Under user ranges all launches between PushRange and PopRange are one
//      range, added up; a graph launch counts as its kernels do, but not for patched counters.
//      Stop. Each Start and Stop is the next of the configuration's passes, round and round; metrics of the
//      other passes are no number. With kernel replay each launch goes through all of them.
//   5. DecodeData: ranges go to the image as far as there is room; the others are lost, and not counted
//   6. Disable: the object is gone

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cupti_range_profiler.h>
#include <memory>
#include <set>
#include <thread>

#include "tests/standin/counter_data.h"
#include "tests/standin/cupti_parts.h"

struct CUpti_RangeProfiler_Object {
  CUctx_st* context = nullptr;
  bool superseded = false;
  bool configured = false;
  bool started = false;
  std::vector<std::string> image_names;  // that the image has room for
  std::size_t capacity = 0;
  std::vector<std::string> names;  // that are counted, in some pass
  std::vector<std::vector<std::string>> passes;
  std::size_t pass = 0;  // the one that Start begins
  bool replays = false;
  bool user_ranges = false;
  bool in_range = false;  // of the user's
  std::set<std::string> range_names;
  std::size_t most_ranges = 0;
  std::uint8_t* image = nullptr;
  std::size_t image_bytes = 0;
  std::vector<std::vector<double>> ranges;  // not yet decoded
  std::int64_t gpu_bytes = 0;               // that it has taken
};

namespace standin::range {
namespace {

struct State {
  std::mutex mutex;
  std::vector<std::unique_ptr<CUpti_RangeProfiler_Object>> objects;
  std::set<const CodeKernel*> patched;
  std::set<const CUmod_st*> patched_modules;
};

State& profilers() {
  static State& the_state = *new State;
  return the_state;
}

std::atomic<int> starts{0};

// Seen on an H100: 4.2 M sectors became 110 M when SASS metrics were on at the same time.
constexpr double kPatchingTraffic = 26;
// And there: 70 MiB for 64 ranges.
constexpr std::int64_t kBytesARange = 1'100'000;

double count(const Run& run, const std::string& name) {
  const auto value = static_cast<double>(value_of(*run.function->kernel, key_of(name)) * run.parameter);
  if (is_patched(name)) return activity::kernels_on() ? 0 : value;
  return sass::enabled(run.context) ? value * kPatchingTraffic : value;
}

// A function is patched at its first launch in a window that counts by patching. With a module whose
// functions were patched gone, by itself or with its context, the next new one crashes the process.
void patch(const Run& run) {
  auto& state = profilers();
  if (!state.patched.insert(run.function->kernel).second) return;
  for (const auto* module : state.patched_modules)
    if (module->unloaded || !module->context->alive)
      violation("a function was patched after patched code had been unloaded");
  state.patched_modules.insert(run.function->module);
}

bool counts(const CUpti_RangeProfiler_Object& object, const CUctx_st* context) {
  return object.started && object.context == context && (!object.user_ranges || object.in_range);
}

bool is_counted(const CUpti_RangeProfiler_Object& object, const std::string& name) {
  const auto& pass = object.passes[object.pass];
  return object.replays || std::find(pass.begin(), pass.end(), name) != pass.end();
}

void begin_range(CUpti_RangeProfiler_Object& object) {
  auto& values = object.ranges.emplace_back();
  for (const auto& name : object.names) values.push_back(is_counted(object, name) ? 0 : std::nan(""));
}

CUpti_RangeProfiler_Object* known(CUpti_RangeProfiler_Object* object) {
  for (const auto& each : profilers().objects)
    if (each.get() == object) return object;
  return nullptr;
}

// Holds the state's lock while it lives; null when there is no such object.
struct Locked {
  explicit Locked(CUpti_RangeProfiler_Object* wanted) : lock(profilers().mutex), object(known(wanted)) {}
  std::unique_lock<std::mutex> lock;
  CUpti_RangeProfiler_Object* object;
};

}  // namespace

bool starting() {
  return starts > 0;
}

bool waits_after(CUctx_st* context) {
  const std::lock_guard lock(profilers().mutex);
  return std::any_of(profilers().objects.begin(), profilers().objects.end(), [&](const auto& object) {
    return counts(*object, context) && !is_patched(object->passes[object->pass].front());
  });
}

void kernel_ran(const Run& run) {
  const std::lock_guard lock(profilers().mutex);
  for (const auto& object : profilers().objects) {
    if (!counts(*object, run.context)) continue;
    if (object->replays || is_patched(object->passes[object->pass].front())) patch(run);
    if (!object->user_ranges) begin_range(*object);
    auto& values = object->ranges.back();
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += count(run, object->names[i]);
  }
}

void graph_ran(const std::vector<Run>& nodes) {
  if (nodes.empty()) return;
  const std::lock_guard lock(profilers().mutex);
  for (const auto& object : profilers().objects) {
    if (!counts(*object, nodes.front().context)) continue;
    if (!object->user_ranges) {
      object->ranges.emplace_back(object->names.size(), std::nan(""));
      continue;
    }
    auto& values = object->ranges.back();
    for (const Run& node : nodes)
      for (std::size_t i = 0; i < values.size(); ++i)
        if (!is_patched(object->names[i])) values[i] += count(node, object->names[i]);
  }
}

}  // namespace standin::range

using namespace standin;
using namespace standin::range;

extern "C" {

CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params* params) {
  STANDIN_CALL(cuptiRangeProfilerEnable);
  if (params->ctx == nullptr || !params->ctx->alive) return CUPTI_ERROR_INVALID_CONTEXT;
  auto object = std::make_unique<CUpti_RangeProfiler_Object>();
  object->context = params->ctx;
  params->pRangeProfilerObject = object.get();
  const std::lock_guard lock(profilers().mutex);
  for (const auto& each : profilers().objects)
    if (each->context == params->ctx) each->superseded = true;
  profilers().objects.push_back(std::move(object));
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params* params) {
  STANDIN_CALL(cuptiRangeProfilerDisable);
  const Locked found(params->pRangeProfilerObject);
  if (found.object == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  device().free_bytes += found.object->gpu_bytes;
  std::erase_if(profilers().objects, [&](const auto& each) { return each.get() == found.object; });
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerGetCounterDataSize(CUpti_RangeProfiler_GetCounterDataSize_Params* params) {
  STANDIN_CALL(cuptiRangeProfilerGetCounterDataSize);
  const Locked found(params->pRangeProfilerObject);
  if (found.object == nullptr || params->maxNumRangeTreeNodes < params->maxNumOfRanges)
    return CUPTI_ERROR_INVALID_PARAMETER;
  found.object->image_names.assign(params->pMetricNames, params->pMetricNames + params->numMetrics);
  found.object->capacity = params->maxNumOfRanges;
  params->counterDataSize = CounterData::bytes_for(params->numMetrics, params->maxNumOfRanges);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerCounterDataImageInitialize(
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params* params) {
  STANDIN_CALL(cuptiRangeProfilerCounterDataImageInitialize);
  const Locked found(params->pRangeProfilerObject);
  if (found.object == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  const auto& object = *found.object;
  if (params->counterDataSize != CounterData::bytes_for(object.image_names.size(), object.capacity))
    return CUPTI_ERROR_INVALID_PARAMETER;
  CounterData(params->pCounterData, params->counterDataSize).initialize(object.image_names, object.capacity);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params* params) {
  STANDIN_CALL(cuptiRangeProfilerSetConfig);
  const Locked found(params->pRangeProfilerObject);
  const bool user_ranges = params->range == CUPTI_UserRange;
  if (found.object == nullptr || (user_ranges && params->replayMode == CUPTI_KernelReplay) ||
      params->passIndex >= host::passes_of(host::names_in(params->pConfig, params->configSize)).size())
    return CUPTI_ERROR_INVALID_PARAMETER;
  auto& object = *found.object;
  if (object.configured) return CUPTI_SUCCESS;
  object.configured = true;
  object.names = host::names_in(params->pConfig, params->configSize);
  object.passes = host::passes_of(object.names);
  object.pass = params->passIndex;
  object.user_ranges = user_ranges;
  object.replays = params->replayMode == CUPTI_KernelReplay;
  object.most_ranges = params->maxRangesPerPass;
  object.image = params->pCounterDataImage;
  object.image_bytes = params->counterDataImageSize;
  object.gpu_bytes = static_cast<std::int64_t>(object.capacity) * kBytesARange;
  device().free_bytes -= object.gpu_bytes;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params* params) {
  ++starts;
  const auto answer = [&]() -> CUptiResult {
    STANDIN_CALL(cuptiRangeProfilerStart);
    // The real one takes a while, and so gives a mistake the time to show.
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    if (activity::flushing()) violation("cuptiRangeProfilerStart was called beside cuptiActivityFlushAll");
    if (activity::delivery_meets_launches())
      violation("windows were measured while the GPU leaves its times in its own memory");
    if (device().open_stream_captures > 0) {
      spoil_stream_captures();
      return CUPTI_ERROR_UNKNOWN;
    }
    const Locked found(params->pRangeProfilerObject);
    needs_idle_gpu("cuptiRangeProfilerStart");
    if (found.object == nullptr || found.object->superseded) return CUPTI_ERROR_INVALID_PARAMETER;
    if (!found.object->configured || found.object->started) return CUPTI_ERROR_INVALID_OPERATION;
    if (!found.object->context->alive) return CUPTI_ERROR_INVALID_CONTEXT;
    found.object->started = true;
    return CUPTI_SUCCESS;
  }();
  --starts;
  return answer;
}

CUptiResult cuptiRangeProfilerPushRange(CUpti_RangeProfiler_PushRange_Params* params) {
  STANDIN_CALL(cuptiRangeProfilerPushRange);
  const Locked found(params->pRangeProfilerObject);
  if (found.object == nullptr || !found.object->user_ranges) return CUPTI_ERROR_INVALID_PARAMETER;
  auto& object = *found.object;
  if (!object.started || object.in_range) return CUPTI_ERROR_INVALID_OPERATION;
  needs_idle_gpu("cuptiRangeProfilerPushRange: its launch");
  if (!object.range_names.insert(params->pRangeName).second) violation("two ranges have one name");
  object.in_range = true;
  begin_range(object);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerPopRange(CUpti_RangeProfiler_PopRange_Params* params) {
  STANDIN_CALL(cuptiRangeProfilerPopRange);
  const Locked found(params->pRangeProfilerObject);
  if (found.object == nullptr || !found.object->in_range) return CUPTI_ERROR_INVALID_OPERATION;
  needs_idle_gpu("cuptiRangeProfilerPopRange: what is launched next");
  found.object->in_range = false;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params* params) {
  STANDIN_CALL(cuptiRangeProfilerStop);
  const Locked found(params->pRangeProfilerObject);
  if (found.object == nullptr || !found.object->started || found.object->in_range)
    return CUPTI_ERROR_INVALID_OPERATION;
  needs_idle_gpu("cuptiRangeProfilerStop");
  found.object->started = false;
  found.object->pass = (found.object->pass + 1) % found.object->passes.size();
  params->passIndex = found.object->pass;
  params->isAllPassSubmitted = found.object->pass == 0;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params* params) {
  STANDIN_CALL(cuptiRangeProfilerDecodeData);
  const Locked found(params->pRangeProfilerObject);
  if (found.object == nullptr || found.object->started) return CUPTI_ERROR_INVALID_OPERATION;
  auto& object = *found.object;
  CounterData data(object.image, object.image_bytes);
  if (!data.valid()) return CUPTI_ERROR_INVALID_PARAMETER;
  params->numOfRangeDropped = 0;  // even if there are some, as on an H100
  for (std::size_t i = 0; i < std::min(object.ranges.size(), object.most_ranges); ++i)
    (void)data.add(object.names, object.ranges[i]);
  object.ranges.clear();
  object.range_names.clear();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerGetCounterDataInfo(CUpti_RangeProfiler_GetCounterDataInfo_Params* params) {
  STANDIN_CALL(cuptiRangeProfilerGetCounterDataInfo);
  const CounterData data(const_cast<std::uint8_t*>(params->pCounterDataImage), params->counterDataImageSize);
  if (!data.valid()) return CUPTI_ERROR_INVALID_PARAMETER;
  params->numTotalRanges = data.ranges();
  return CUPTI_SUCCESS;
}
}
