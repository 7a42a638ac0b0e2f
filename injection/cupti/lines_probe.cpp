#include "injection/cupti/lines_probe.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>

#include "core/base/scope_exit.h"
#include "injection/cupti/guarded.h"

namespace coalescope::cupti {
namespace {

using base::Result;

constexpr std::uint64_t kReleased = 0;  // instead of a context's handle

}  // namespace

LinesProbe::LinesProbe(const CuptiApi& api, KernelTrace& trace, ChipName chip_name)
    : api_(api), trace_(trace), chip_name_(std::move(chip_name)) {}

Result<void> LinesProbe::configure(const recorder::ContextHandle& context) {
  const auto ordinal = context.device;
  if (const auto found = configured_.find(ordinal); found != configured_.end()) {
    if (found->second.handle != kReleased) return {};
    return base::failure(
        base::ErrorCode::unsupported,
        "source lines cannot be measured any more after the context that they were configured "
        "in has ended");
  }
  const auto chip = chip_name_(ordinal);
  if (!chip) return base::relay(chip);
  std::vector<CUpti_SassMetrics_Config> configs;
  for (const auto& metric : model::metric_catalogue()) {
    if (metric.phase != model::Phase::lines) continue;
    // By the first name that the chip knows; one that has none of them leaves it unmeasured. CUPTI's headers
    // promise the second answer to what it does not know, its list of codes has the first.
    for (const auto name : metric.cupti_names) {
      const std::string text(name);
      COALESCOPE_PARAMS(CUpti_SassMetrics_GetProperties_Params, properties);
      properties.pChipName = chip->c_str();
      properties.pMetricName = text.c_str();
      const auto code =
          text.empty() ? CUPTI_ERROR_INVALID_METRIC_NAME : api_.cuptiSassMetricsGetProperties(&properties);
      if (code == CUPTI_ERROR_INVALID_METRIC_NAME || code == CUPTI_ERROR_INVALID_PARAMETER) continue;
      if (code != CUPTI_SUCCESS) return cupti_failure(api_, code, "cuptiSassMetricsGetProperties");
      configs.push_back({properties.metric.metricId, CUPTI_SASS_METRICS_OUTPUT_GRANULARITY_GPU});
      metrics_[properties.metric.metricId] = {metric.id, name};
      break;
    }
  }
  if (configs.empty())
    return base::failure(base::ErrorCode::unsupported,
                         "chip " + *chip + " has none of the metrics of phase lines");
  COALESCOPE_PARAMS(CUpti_SassMetricsSetConfig_Params, params);
  params.pConfigs = configs.data();
  params.numOfMetricConfig = configs.size();
  params.deviceIndex = static_cast<std::uint32_t>(ordinal);
  if (const auto code = api_.cuptiSassMetricsSetConfig(&params); code != CUPTI_SUCCESS)
    return cupti_failure(api_, code, "cuptiSassMetricsSetConfig");
  configured_[ordinal] = context;
  return {};
}

Result<void> LinesProbe::enter(const recorder::ContextHandle& context, model::Phase) {
  const auto quiet = trace_.quiet();
  context_ = reinterpret_cast<CUcontext>(context.handle);
  if (const auto& may = trace_.may_measure(); !may) return base::relay(may);
  if (auto done = configure(context); !done) return base::relay(done);
  if (auto done = trace_.pause_kernels(); !done) return base::relay(done);
  COALESCOPE_PARAMS(CUpti_SassMetricsEnable_Params, params);
  params.ctx = context_;
  params.enableLazyPatching = 1;
  if (const auto code = api_.cuptiSassMetricsEnable(&params); code != CUPTI_SUCCESS) {
    trace_.resume_kernels();
    return cupti_failure(api_, code, "cuptiSassMetricsEnable");
  }
  return {};
}

Result<recorder::WindowReadings> LinesProbe::leave() {
  const Inside inside;  // the writer thread leaves windows, too
  const auto quiet = trace_.quiet();
  const base::ScopeExit resume([this] { trace_.resume_kernels(); });
  auto readings = flush();
  COALESCOPE_PARAMS(CUpti_SassMetricsDisable_Params, params);
  params.ctx = context_;
  const auto code = api_.cuptiSassMetricsDisable(&params);
  if (code != CUPTI_SUCCESS) {
    trace_.stays_patched();
    return cupti_failure(api_, code, "cuptiSassMetricsDisable");
  }
  if (!readings) return base::relay(readings);
  readings->dropped = static_cast<std::int64_t>(params.numOfDroppedRecords);
  return readings;
}

void LinesProbe::release(const recorder::ContextHandle& context) {
  const auto found = configured_.find(context.device);
  if (found == configured_.end() || !(found->second == context)) return;
  const auto quiet = trace_.quiet_in_time();
  if (!quiet) return;
  COALESCOPE_PARAMS(CUpti_SassMetricsUnsetConfig_Params, params);
  params.deviceIndex = static_cast<std::uint32_t>(context.device);
  (void)api_.cuptiSassMetricsUnsetConfig(&params);  // refused or not, it cannot be set again
  found->second.handle = kReleased;
}

void LinesProbe::release_all() {
  const auto configured = configured_;
  for (const auto& [device, context] : configured)
    if (context.handle != kReleased) release(context);
}

Result<recorder::WindowReadings> LinesProbe::flush() {
  COALESCOPE_PARAMS(CUpti_SassMetricsGetDataProperties_Params, properties);
  properties.ctx = context_;
  if (const auto code = api_.cuptiSassMetricsGetDataProperties(&properties); code != CUPTI_SUCCESS)
    return cupti_failure(api_, code, "cuptiSassMetricsGetDataProperties");
  recorder::WindowReadings readings;
  for (const auto& [cupti_id, metric] : metrics_)
    readings.metrics.push_back(recorder::metric_used(metric.id, metric.name));
  const auto records = properties.numOfPatchedInstructionRecords;
  const auto instances = properties.numOfInstances;
  if (records == 0 || instances == 0) return readings;

  std::vector<CUpti_SassMetrics_InstanceValue> values(records * instances);
  std::vector<CUpti_SassMetrics_Data> data(records);
  for (std::size_t i = 0; i < records; ++i) {
    data[i] = {};
    data[i].structSize = CUpti_SassMetricsFlushData_Params_STRUCT_SIZE;  // as the header demands
    data[i].pInstanceValues = &values[i * instances];
  }
  COALESCOPE_PARAMS(CUpti_SassMetricsFlushData_Params, params);
  params.ctx = context_;
  params.numOfPatchedInstructionRecords = records;
  params.numOfInstances = instances;
  params.pMetricsData = data.data();
  if (const auto code = api_.cuptiSassMetricsFlushData(&params); code != CUPTI_SUCCESS)
    return cupti_failure(api_, code, "cuptiSassMetricsFlushData");

  // An instruction has a record for each metric that can apply to it: a load has none of stores, which is to
  // say 0.
  std::map<std::tuple<std::string, std::int64_t, std::int64_t>, std::map<model::MetricId, std::int64_t>>
      counted;
  for (auto& record : data) {
    std::string kernel_name = record.functionName == nullptr ? "" : record.functionName;
    std::free(const_cast<char*>(record.functionName));  // allocated by CUPTI for the caller
    auto& sums = counted[{std::move(kernel_name), record.cubinCrc, record.pcOffset}];
    for (const auto& [cupti_id, metric] : metrics_) sums.emplace(metric.id, 0);
    for (std::size_t n = 0; n < instances; ++n) {
      const auto& value = record.pInstanceValues[n];
      if (const auto known = metrics_.find(value.metricId); known != metrics_.end())
        sums[known->second.id] += static_cast<std::int64_t>(value.value);
    }
  }
  for (const auto& [where, sums] : counted) {
    // An instruction that no warp executed has no row.
    if (std::all_of(sums.begin(), sums.end(), [](const auto& sum) { return sum.second == 0; })) continue;
    const auto& [kernel_name, module_crc, pc_offset] = where;
    readings.instructions.push_back({kernel_name, module_crc, pc_offset, {sums.begin(), sums.end()}});
  }
  return readings;
}

}  // namespace coalescope::cupti
