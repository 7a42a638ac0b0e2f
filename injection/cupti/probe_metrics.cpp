// The question "metrics": what CUPTI's host library knows of our metrics, which takes neither GPU nor driver.

#include <dlfcn.h>

#include "injection/cupti/cupti_api.h"
#include "injection/cupti/probe.h"
#include "injection/cupti/range_config.h"

namespace coalescope::cupti {
namespace {

using model::Phase;

// In the order in which the recorder asks for them together.
const std::vector<Phase> kPhases{Phase::traffic, Phase::hits, Phase::bytes};

// How many passes a configuration takes; 0: it is refused.
std::size_t passes_of(const base::Result<RangeConfig>& config) {
  return config ? config->cupti_passes : 0;
}

void answer_names(const RangeConfig& config) {
  for (const RangePass& pass : config.passes)
    for (std::size_t i = 0; i < pass.metrics.size(); ++i)
      answer({"metric", model::metric(pass.metrics[i]).key, pass.names[i]});
}

// Without a driver CUPTI tells of some of these only: what it does not tell is not known to be missing.
void answer_lines(const CuptiApi& api, const std::string& chip) {
  for (const auto& metric : model::metric_catalogue()) {
    if (metric.phase != Phase::lines) continue;
    const std::string name(metric.cupti_names.front());
    COALESCOPE_PARAMS(CUpti_SassMetrics_GetProperties_Params, params);
    params.pChipName = chip.c_str();
    params.pMetricName = name.c_str();
    const bool known = api.cuptiSassMetricsGetProperties(&params) == CUPTI_SUCCESS;
    answer({known ? "metric" : "untold", metric.key, name});
  }
}

void answer_chip(const CuptiApi& api, const std::string& chip) {
  for (const Phase phase : kPhases) {
    const auto config = build_range_config(api, chip, {phase});
    if (config) answer_names(*config);
    answer({"passes", model::name_of(phase), std::to_string(passes_of(config)),
            config ? "" : config.error().message});
  }
  answer({"passes", "together", std::to_string(passes_of(build_range_config(api, chip, kPhases))), ""});
  const auto replay = build_replay_config(api, chip, {});
  if (replay) answer_names(*replay);
  answer({"passes", "replay", std::to_string(passes_of(build_replay_config(api, chip, kPhases))), ""});
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
