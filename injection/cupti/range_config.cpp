#include "injection/cupti/range_config.h"

namespace coalescope::cupti {
namespace {

using base::ErrorCode;

base::Result<CUpti_Profiler_Host_Object*> new_host(const CuptiApi& api, const std::string& chip) {
  COALESCOPE_PARAMS(CUpti_Profiler_Host_Initialize_Params, params);
  params.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  params.pChipName = chip.c_str();
  const auto code = api.cuptiProfilerHostInitialize(&params);
  if (code != CUPTI_SUCCESS) return tl::unexpected(cupti_error(api, code, "cuptiProfilerHostInitialize"));
  return params.pHostObject;
}

void end_host(const CuptiApi& api, CUpti_Profiler_Host_Object* host) {
  COALESCOPE_PARAMS(CUpti_Profiler_Host_Deinitialize_Params, params);
  params.pHostObject = host;
  (void)api.cuptiProfilerHostDeinitialize(&params);
}

CUptiResult add_metrics(const CuptiApi& api, CUpti_Profiler_Host_Object* host,
                        std::vector<const char*> names) {
  COALESCOPE_PARAMS(CUpti_Profiler_Host_ConfigAddMetrics_Params, params);
  params.pHostObject = host;
  params.ppMetricNames = names.data();
  params.numMetrics = names.size();
  return api.cuptiProfilerHostConfigAddMetrics(&params);
}

// One unknown name fails a whole list, and a rejected one may poison its host object: each is tried on its
// own. Only an unknown name is an answer; any other failure says nothing about the chip.
base::Result<bool> chip_has(const CuptiApi& api, const std::string& chip, std::string_view name) {
  const auto host = new_host(api, chip);
  if (!host) return tl::unexpected(host.error());
  const std::string text(name);
  const auto code = add_metrics(api, *host, {text.c_str()});
  end_host(api, *host);
  if (code == CUPTI_SUCCESS) return true;
  if (code == CUPTI_ERROR_INVALID_PARAMETER) return false;
  return tl::unexpected(cupti_error(api, code, "cuptiProfilerHostConfigAddMetrics"));
}

base::Result<std::vector<std::uint8_t>> config_image(const CuptiApi& api, CUpti_Profiler_Host_Object* host) {
  COALESCOPE_PARAMS(CUpti_Profiler_Host_GetConfigImageSize_Params, size);
  size.pHostObject = host;
  if (const auto code = api.cuptiProfilerHostGetConfigImageSize(&size); code != CUPTI_SUCCESS)
    return tl::unexpected(cupti_error(api, code, "cuptiProfilerHostGetConfigImageSize"));
  std::vector<std::uint8_t> bytes(size.configImageSize);
  COALESCOPE_PARAMS(CUpti_Profiler_Host_GetConfigImage_Params, image);
  image.pHostObject = host;
  image.configImageSize = bytes.size();
  image.pConfigImage = bytes.data();
  if (const auto code = api.cuptiProfilerHostGetConfigImage(&image); code != CUPTI_SUCCESS)
    return tl::unexpected(cupti_error(api, code, "cuptiProfilerHostGetConfigImage"));

  COALESCOPE_PARAMS(CUpti_Profiler_Host_GetNumOfPasses_Params, passes);
  passes.configImageSize = bytes.size();
  passes.pConfigImage = bytes.data();
  if (const auto code = api.cuptiProfilerHostGetNumOfPasses(&passes); code != CUPTI_SUCCESS)
    return tl::unexpected(cupti_error(api, code, "cuptiProfilerHostGetNumOfPasses"));
  if (passes.numOfPasses != 1)
    return base::failure(ErrorCode::unsupported,
                         "this chip needs " + std::to_string(passes.numOfPasses) +
                             " passes for the metrics of one phase, and nothing is replayed");
  return bytes;
}

}  // namespace

std::vector<const char*> RangeConfig::name_pointers() const {
  std::vector<const char*> pointers;
  for (const auto& name : names) pointers.push_back(name.c_str());
  return pointers;
}

base::Result<RangeConfig> build_range_config(const CuptiApi& api, const std::string& chip,
                                             model::Phase phase) {
  RangeConfig config;
  for (const auto& metric : model::metric_catalogue()) {
    if (metric.phase != phase) continue;
    for (const auto name : metric.cupti_names) {
      if (name.empty()) continue;
      const auto has = chip_has(api, chip, name);
      if (!has) return tl::unexpected(has.error());
      if (!*has) continue;
      config.metrics.push_back(metric.id);
      config.names.emplace_back(name);
      break;
    }
  }
  if (config.metrics.empty())
    return base::failure(ErrorCode::unsupported, "chip " + chip + " has none of the metrics of phase " +
                                                     std::string(model::name_of(phase)));
  const auto host = new_host(api, chip);
  if (!host) return tl::unexpected(host.error());
  if (add_metrics(api, *host, config.name_pointers()) != CUPTI_SUCCESS)
    return base::failure(ErrorCode::unsupported, "chip " + chip + " refuses the metrics of phase " +
                                                     std::string(model::name_of(phase)) + " together");
  auto image = config_image(api, *host);
  if (!image) return tl::unexpected(image.error());
  config.host = *host;
  config.image = std::move(*image);
  return config;
}

}  // namespace coalescope::cupti
