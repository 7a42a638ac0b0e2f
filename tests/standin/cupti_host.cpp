// The stand-in's libcupti: the profiler's host side, which needs no GPU. A configuration image here is the
// list of its metrics, one a line.
//
//   1. Initialize: an object for a chip. libnvperf_host must be in memory, with global symbols.
//   2. ConfigAddMetrics: all or nothing; a rejected name spoils its object
//   3. GetConfigImageSize, GetConfigImage, GetNumOfPasses
//   4. EvaluateToGpuValues, from a counter data image (counter_data.h)
//   5. The library's exit handler tears the host side down: no call may come later.

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <cupti_profiler_host.h>
#include <dlfcn.h>
#include <memory>

#include "core/model/metric.h"
#include "tests/standin/counter_data.h"
#include "tests/standin/cupti_parts.h"

struct CUpti_Profiler_Host_Object {
  std::string image;
  bool spoiled = false;
};

namespace standin::host {
namespace {

std::atomic<bool> torn_down{false};

// Asked anew each time: it may be loaded later.
bool has_host_library() {
  return dlopen("libnvperf_host.so", RTLD_NOW | RTLD_NOLOAD) != nullptr;
}

}  // namespace

void check_alive(const char* function) {
  static const bool registered = std::atexit([] { torn_down = true; }) == 0;
  (void)registered;
  if (torn_down) violation(std::string(function) + " was called after its library had been torn down");
}

std::vector<std::string> names_in(const std::uint8_t* image, std::size_t bytes) {
  std::vector<std::string> names;
  std::string_view rest(reinterpret_cast<const char*>(image), bytes);
  while (!rest.empty()) {
    const auto end = rest.find('\n');
    names.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return names;
}

std::vector<std::vector<std::string>> passes_of(const std::vector<std::string>& cupti_names) {
  const auto phase_of = [](std::string_view name) {
    for (const auto& metric : coalescope::model::metric_catalogue())
      if (metric.key == key_of(name)) return metric.phase;
    return coalescope::model::Phase::trace;
  };
  std::vector<std::vector<std::string>> passes;
  std::vector<std::string> displaced;
  for (const bool patched : {false, true}) {
    for (const auto& name : cupti_names) {
      if (is_patched(name) != patched) continue;
      if (missing("place_for_" + std::string(key_of(name)))) {
        displaced.push_back(name);
        continue;
      }
      const auto same = std::find_if(passes.begin(), passes.end(), [&](const auto& pass) {
        return phase_of(pass.front()) == phase_of(name);
      });
      if (same == passes.end())
        passes.push_back({name});
      else
        same->push_back(name);
    }
  }
  for (const auto& name : displaced) {
    const auto other = std::ranges::find_if(passes, [&](const auto& pass) {
      return !is_patched(pass.front()) && phase_of(pass.front()) != phase_of(name);
    });
    if (other != passes.end()) other->push_back(name);
  }
  if (passes.size() > 1 && missing("order_of_passes")) std::swap(passes[0], passes[1]);
  return passes;
}

}  // namespace standin::host

using namespace standin;

extern "C" {

CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params* params) {
  host::check_alive("cuptiProfilerHostInitialize");
  STANDIN_CALL(cuptiProfilerHostInitialize);
  if (!host::has_host_library()) return CUPTI_ERROR_NOT_INITIALIZED;
  if (std::strcmp(params->pChipName, "GH100") != 0) return CUPTI_ERROR_INVALID_CHIP_NAME;
  params->pHostObject = new CUpti_Profiler_Host_Object;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params* params) {
  host::check_alive("cuptiProfilerHostDeinitialize");
  const std::unique_ptr<CUpti_Profiler_Host_Object> object(params->pHostObject);
  STANDIN_CALL(cuptiProfilerHostDeinitialize);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params* params) {
  host::check_alive("cuptiProfilerHostConfigAddMetrics");
  STANDIN_CALL(cuptiProfilerHostConfigAddMetrics);
  auto& object = *params->pHostObject;
  std::string added;
  for (std::size_t i = 0; i < params->numMetrics; ++i) {
    object.spoiled = object.spoiled || key_of(params->ppMetricNames[i]).empty();
    added += std::string(params->ppMetricNames[i]) + '\n';
  }
  if (object.spoiled) return CUPTI_ERROR_INVALID_PARAMETER;
  object.image += added;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetConfigImageSize(CUpti_Profiler_Host_GetConfigImageSize_Params* params) {
  host::check_alive("cuptiProfilerHostGetConfigImageSize");
  STANDIN_CALL(cuptiProfilerHostGetConfigImageSize);
  params->configImageSize = params->pHostObject->image.size();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params* params) {
  host::check_alive("cuptiProfilerHostGetConfigImage");
  STANDIN_CALL(cuptiProfilerHostGetConfigImage);
  const auto& image = params->pHostObject->image;
  if (params->configImageSize < image.size()) return CUPTI_ERROR_INVALID_PARAMETER;
  std::memcpy(params->pConfigImage, image.data(), image.size());
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params* params) {
  host::check_alive("cuptiProfilerHostGetNumOfPasses");
  STANDIN_CALL(cuptiProfilerHostGetNumOfPasses);
  params->numOfPasses = host::passes_of(host::names_in(params->pConfigImage, params->configImageSize)).size();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostEvaluateToGpuValues(CUpti_Profiler_Host_EvaluateToGpuValues_Params* params) {
  host::check_alive("cuptiProfilerHostEvaluateToGpuValues");
  STANDIN_CALL(cuptiProfilerHostEvaluateToGpuValues);
  const CounterData data(const_cast<std::uint8_t*>(params->pCounterDataImage), params->counterDataImageSize);
  if (!data.valid() || params->rangeIndex >= data.ranges()) return CUPTI_ERROR_INVALID_PARAMETER;
  for (std::size_t i = 0; i < params->numMetrics; ++i) {
    const auto value = data.value(params->rangeIndex, params->ppMetricNames[i]);
    if (!value) return CUPTI_ERROR_INVALID_PARAMETER;
    params->pMetricValues[i] = *value;
  }
  return CUPTI_SUCCESS;
}
}
