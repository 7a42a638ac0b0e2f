// The question "metrics": what CUPTI's host library knows of our metrics, which takes neither GPU nor driver.

#include <algorithm>
#include <dlfcn.h>

#include "injection/cupti/cupti_api.h"
#include "injection/cupti/probe.h"
#include "injection/cupti/range_config.h"

namespace coalescope::cupti {
namespace {

using model::Phase;

// How many passes a configuration takes; 0: it is refused.
std::size_t passes_of(const base::Result<RangeConfig>& config) {
  return config ? config->cupti_passes : 0;
}

void answer_names(const RangeConfig& config) {
  for (const RangePass& pass : config.passes)
    for (std::size_t i = 0; i < pass.metrics.size(); ++i)
      answer({"metric", model::metric(pass.metrics[i]).key, pass.names[i]});
}

bool knows_sass_metric(const CuptiApi& api, const std::string& chip, std::string_view metric) {
  const std::string name(metric);
  COALESCOPE_PARAMS(CUpti_SassMetrics_GetProperties_Params, params);
  params.pChipName = chip.c_str();
  params.pMetricName = name.c_str();
  return api.cuptiSassMetricsGetProperties(&params) == CUPTI_SUCCESS;
}

// Without a driver CUPTI tells of some of these only: what it does not tell is not known to be missing.
void answer_lines(const CuptiApi& api, const std::string& chip) {
  for (const auto& metric : model::metric_catalogue()) {
    if (metric.phase != Phase::lines) continue;
    const auto known = std::ranges::find_if(metric.cupti_names, [&](std::string_view name) {
      return !name.empty() && knows_sass_metric(api, chip, name);
    });
    if (known != metric.cupti_names.end())
      answer({"metric", metric.key, *known});
    else
      answer({"untold", metric.key, metric.cupti_names.front()});
  }
}

void answer_chip(const CuptiApi& api, const std::string& chip) {
  const std::vector<Phase> all(kRangePhases.begin(), kRangePhases.end());
  for (const Phase phase : all) {
    const auto config = build_range_config(api, chip, {phase});
    if (config) answer_names(*config);
    answer({"passes", model::name_of(phase), std::to_string(passes_of(config)),
            config ? "" : config.error().message});
  }
  answer({"passes", "together", std::to_string(passes_of(build_range_config(api, chip, all))), ""});
  const auto replay = build_replay_config(api, chip, {});
  if (replay) answer_names(*replay);
  answer({"passes", "replay", std::to_string(passes_of(build_replay_config(api, chip, all))), ""});
  answer_lines(api, chip);
}

}  // namespace

void probe_metrics(const std::string& chip) {
  const auto api = load_cupti(clues_of_process());
  if (!api) return answer(api.error());
  answer({"cupti", api->path, cupti_release(api->version), api->origin});
  if (!chip.empty()) return answer_chip(*api, chip);
  const auto chips = supported_chips(*api);
  if (!chips) return answer(chips.error());
  for (const std::string& each : *chips) answer({"chip", each});
}

}  // namespace coalescope::cupti
