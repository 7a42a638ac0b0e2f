#include "injection/cupti/range_config.h"

namespace coalescope::cupti {
namespace {

using base::ErrorCode;
using model::Phase;

base::Result<CUpti_Profiler_Host_Object*> new_host(const CuptiApi& api, const std::string& chip) {
  COALESCOPE_PARAMS(CUpti_Profiler_Host_Initialize_Params, params);
  params.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  params.pChipName = chip.c_str();
  const auto code = api.cuptiProfilerHostInitialize(&params);
  if (code == CUPTI_SUCCESS) return params.pHostObject;
  auto error = cupti_error(api, code, "cuptiProfilerHostInitialize");
  // CUPTI has a code for it from CUDA 13 on only.
  if (code == CUPTI_ERROR_INVALID_PARAMETER)
    error = {ErrorCode::unsupported, cupti_release(api.version) + "'s CUPTI does not know the chip " + chip,
             "use the CUPTI of a newer CUDA"};
  return base::failure(std::move(error));
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
  if (!host) return base::relay(host);
  const std::string text(name);
  const auto code = add_metrics(api, *host, {text.c_str()});
  end_host(api, *host);
  if (code == CUPTI_SUCCESS) return true;
  if (code == CUPTI_ERROR_INVALID_PARAMETER) return false;
  return cupti_failure(api, code, "cuptiProfilerHostConfigAddMetrics");
}

base::Result<std::vector<std::uint8_t>> config_image(const CuptiApi& api, CUpti_Profiler_Host_Object* host) {
  COALESCOPE_PARAMS(CUpti_Profiler_Host_GetConfigImageSize_Params, size);
  size.pHostObject = host;
  if (const auto code = api.cuptiProfilerHostGetConfigImageSize(&size); code != CUPTI_SUCCESS)
    return cupti_failure(api, code, "cuptiProfilerHostGetConfigImageSize");
  std::vector<std::uint8_t> bytes(size.configImageSize);
  COALESCOPE_PARAMS(CUpti_Profiler_Host_GetConfigImage_Params, image);
  image.pHostObject = host;
  image.configImageSize = bytes.size();
  image.pConfigImage = bytes.data();
  if (const auto code = api.cuptiProfilerHostGetConfigImage(&image); code != CUPTI_SUCCESS)
    return cupti_failure(api, code, "cuptiProfilerHostGetConfigImage");
  return bytes;
}

base::Result<std::size_t> pass_count(const CuptiApi& api, std::vector<std::uint8_t>& image) {
  COALESCOPE_PARAMS(CUpti_Profiler_Host_GetNumOfPasses_Params, passes);
  passes.configImageSize = image.size();
  passes.pConfigImage = image.data();
  if (const auto code = api.cuptiProfilerHostGetNumOfPasses(&passes); code != CUPTI_SUCCESS)
    return cupti_failure(api, code, "cuptiProfilerHostGetNumOfPasses");
  return passes.numOfPasses;
}

// The metrics of a phase by the first name that the catalogue has for each; `checked`: by the first that the
// chip knows, and without those of which it knows none.
base::Result<RangePass> pass_of(const CuptiApi& api, const std::string& chip, Phase phase, bool checked) {
  RangePass pass;
  pass.phase = phase;
  for (const auto& metric : model::metric_catalogue()) {
    if (metric.phase != phase) continue;
    for (const auto name : metric.cupti_names) {
      if (name.empty()) continue;
      const auto has = checked ? chip_has(api, chip, name) : base::Result<bool>(true);
      if (!has) return base::relay(has);
      if (!*has) continue;
      pass.metrics.push_back(metric.id);
      pass.names.emplace_back(name);
      break;
    }
  }
  return pass;
}

std::string list_of(const std::vector<Phase>& phases) {
  std::string list;
  for (const auto phase : phases) list += (list.empty() ? "" : ", ") + std::string(model::name_of(phase));
  return list;
}

base::Result<RangeConfig> with_metrics(const CuptiApi& api, const std::string& chip,
                                       const std::vector<Phase>& phases, bool checked) {
  RangeConfig config;
  for (const auto phase : phases) {
    auto pass = pass_of(api, chip, phase, checked);
    if (!pass) return base::relay(pass);
    config.passes.push_back(std::move(*pass));
    if (config.passes.back().metrics.empty())
      return base::failure(ErrorCode::unsupported, "chip " + chip + " has none of the metrics of phase " +
                                                       std::string(model::name_of(phase)));
  }
  const auto host = new_host(api, chip);
  if (!host) return base::relay(host);
  config.host = *host;
  if (const auto code = add_metrics(api, *host, config.name_pointers()); code != CUPTI_SUCCESS) {
    end_host(api, *host);
    if (code != CUPTI_ERROR_INVALID_PARAMETER)
      return cupti_failure(api, code, "cuptiProfilerHostConfigAddMetrics");
    return base::failure(ErrorCode::unsupported,
                         "chip " + chip + " refuses the metrics of " + list_of(phases) + " together");
  }
  auto image = config_image(api, *host);
  if (!image) {
    end_host(api, *host);
    return base::relay(image);
  }
  config.image = std::move(*image);
  return config;
}

// Asking for each metric by itself takes 2 ms a metric (seen on an H100): only for a chip that does not know
// them all by their first names.
base::Result<RangeConfig> with_metrics(const CuptiApi& api, const std::string& chip,
                                       const std::vector<Phase>& phases) {
  auto config = with_metrics(api, chip, phases, false);
  const bool refused = !config && config.error().code == ErrorCode::unsupported;
  return refused ? with_metrics(api, chip, phases, true) : config;
}

}  // namespace

std::vector<const char*> RangePass::name_pointers() const {
  std::vector<const char*> pointers;
  for (const auto& name : names) pointers.push_back(name.c_str());
  return pointers;
}

std::vector<const char*> RangeConfig::name_pointers() const {
  std::vector<const char*> pointers;
  for (const auto& pass : passes) {
    const auto more = pass.name_pointers();
    pointers.insert(pointers.end(), more.begin(), more.end());
  }
  return pointers;
}

base::Result<std::vector<std::string>> supported_chips(const CuptiApi& api) {
  if (api.cuptiProfilerHostGetSupportedChips == nullptr)
    return base::failure(ErrorCode::unsupported, "this CUPTI does not list its chips");
  COALESCOPE_PARAMS(CUpti_Profiler_Host_GetSupportedChips_Params, params);
  if (const auto code = api.cuptiProfilerHostGetSupportedChips(&params); code != CUPTI_SUCCESS)
    return cupti_failure(api, code, "cuptiProfilerHostGetSupportedChips");
  return std::vector<std::string>(params.ppChipNames, params.ppChipNames + params.numChips);
}

base::Result<RangeConfig> build_range_config(const CuptiApi& api, const std::string& chip,
                                             const std::vector<Phase>& phases) {
  auto config = with_metrics(api, chip, phases);
  if (!config) return base::relay(config);
  const auto passes = pass_count(api, config->image);
  if (passes) config->cupti_passes = *passes;
  if (passes && *passes == phases.size()) return config;
  end_host(api, config->host);
  if (!passes) return base::relay(passes);
  return base::failure(ErrorCode::unsupported, "chip " + chip + " needs " + std::to_string(*passes) +
                                                   " passes for " + list_of(phases) +
                                                   ", and nothing is replayed");
}

base::Result<RangeConfig> build_replay_config(const CuptiApi& api, const std::string& chip,
                                              const std::vector<Phase>& phases) {
  auto config = with_metrics(api, chip, phases);
  if (!config) return base::relay(config);
  RangePass all;
  all.phase = Phase::replay;
  for (const auto& pass : config->passes) {
    all.metrics.insert(all.metrics.end(), pass.metrics.begin(), pass.metrics.end());
    all.names.insert(all.names.end(), pass.names.begin(), pass.names.end());
  }
  if (const auto passes = pass_count(api, config->image); passes) config->cupti_passes = *passes;
  config->passes = {all};
  config->kernel_replay = true;
  return config;
}

}  // namespace coalescope::cupti
