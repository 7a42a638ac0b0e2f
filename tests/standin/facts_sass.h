#pragma once
// SASS metrics, without anything of the recorder between the facts and CUPTI.

#include <cstdint>
#include <cstdlib>
#include <cupti_sass_metrics.h>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/standin/facts.h"

namespace facts {

// All metrics of phase lines in one context.
class Sass {
 public:
  Sass(const cupti::CuptiApi& api, const std::string& chip, CUcontext context)
      : api_(api), context_(context) {
    for (const auto& metric : model::metric_catalogue()) {
      if (metric.phase != model::Phase::lines) continue;
      COALESCOPE_PARAMS(CUpti_SassMetrics_GetProperties_Params, properties);
      properties.pChipName = chip.c_str();
      properties.pMetricName = metric.cupti_names.front().data();
      must_do(api_.cuptiSassMetricsGetProperties(&properties), "cuptiSassMetricsGetProperties");
      configs_.push_back({properties.metric.metricId, CUPTI_SASS_METRICS_OUTPUT_GRANULARITY_GPU});
      ids_[properties.metric.metricId] = metric.id;
    }
  }
  CUptiResult configure() {
    COALESCOPE_PARAMS(CUpti_SassMetricsSetConfig_Params, params);
    params.pConfigs = configs_.data();
    params.numOfMetricConfig = configs_.size();
    return api_.cuptiSassMetricsSetConfig(&params);
  }
  void enable() {
    COALESCOPE_PARAMS(CUpti_SassMetricsEnable_Params, params);
    params.ctx = context_;
    params.enableLazyPatching = 1;
    must_do(api_.cuptiSassMetricsEnable(&params), "cuptiSassMetricsEnable");
  }
  void disable() {
    COALESCOPE_PARAMS(CUpti_SassMetricsDisable_Params, params);
    params.ctx = context_;
    must_do(api_.cuptiSassMetricsDisable(&params), "cuptiSassMetricsDisable");
    must(params.numOfDroppedRecords == 0, "nothing is dropped after a flush");
  }
  // The sums of each metric over the kernel. No instruction has two records of one metric.
  std::map<model::MetricId, std::uint64_t> flush() {
    must_do(cuCtxSynchronize(), "cuCtxSynchronize");
    COALESCOPE_PARAMS(CUpti_SassMetricsGetDataProperties_Params, properties);
    properties.ctx = context_;
    must_do(api_.cuptiSassMetricsGetDataProperties(&properties), "cuptiSassMetricsGetDataProperties");
    const auto instances = properties.numOfInstances;
    if (properties.numOfPatchedInstructionRecords == 0) return {};  // FlushData refuses to fill nothing
    std::vector<CUpti_SassMetrics_InstanceValue> values(properties.numOfPatchedInstructionRecords *
                                                        instances);
    std::vector<CUpti_SassMetrics_Data> data(properties.numOfPatchedInstructionRecords);
    for (std::size_t i = 0; i < data.size(); ++i) {
      data[i].structSize = CUpti_SassMetricsFlushData_Params_STRUCT_SIZE;
      data[i].pInstanceValues = &values[i * instances];
    }
    COALESCOPE_PARAMS(CUpti_SassMetricsFlushData_Params, params);
    params.ctx = context_;
    params.numOfPatchedInstructionRecords = data.size();
    params.numOfInstances = instances;
    params.pMetricsData = data.data();
    must_do(api_.cuptiSassMetricsFlushData(&params), "cuptiSassMetricsFlushData");
    std::map<model::MetricId, std::uint64_t> sums;
    std::set<std::pair<std::uint32_t, std::uint64_t>> seen;
    for (auto& record : data) {
      std::free(const_cast<char*>(record.functionName));
      for (std::size_t n = 0; n < instances; ++n) {
        const auto& value = record.pInstanceValues[n];
        if (!ids_.contains(value.metricId)) continue;
        must(seen.insert({record.pcOffset, value.metricId}).second,
             "an instruction has one record of a metric");
        sums[ids_.at(value.metricId)] += value.value;
      }
    }
    return sums;
  }

 private:
  const cupti::CuptiApi& api_;
  const CUcontext context_;
  std::map<std::uint64_t, model::MetricId> ids_;
  std::vector<CUpti_SassMetrics_Config> configs_;
};

}  // namespace facts
