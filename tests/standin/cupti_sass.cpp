// The stand-in's libcupti: SASS metrics.
//
//   1. SetConfig, once for a device. After UnsetConfig it can never be set again.
//   2. Enable on a context, with lazy patching: a function is patched when it is first launched.
//      Without the RESOURCE callbacks only the first function is; without lazy patching those that are loaded
//      already.
//   3. FlushData: a record for each metric that can apply to an instruction; counts begin again at zero
//   4. Disable: what was not flushed is lost and counted
//   5. exit: a configuration whose context has ended, and that was not unset, crashes the process

#include <cstring>
#include <cupti_sass_metrics.h>
#include <map>
#include <thread>
#include <tuple>
#include <utility>

#include "tests/standin/cupti_parts.h"
#include "tests/standin/driver_call.h"

namespace standin::sass {
namespace {

struct Config {
  std::vector<std::uint64_t> metrics;
  CUctx_st* context = nullptr;  // that was current
  bool unset = false;
};

struct Collection {
  bool lazy = false;
  std::uint32_t began_at = 0;  // modules with a smaller number were loaded before
  std::string only_function;   // without the RESOURCE domain
  // By module's code, function, instruction and metric.
  std::map<std::tuple<std::uint32_t, std::string, std::uint32_t, std::uint64_t>, std::uint64_t> counts;
  bool unflushed = false;
  std::thread::id enabled_by = std::this_thread::get_id();
};

struct State {
  std::mutex mutex;
  std::map<std::uint32_t, Config> configs;  // by device
  std::map<CUctx_st*, Collection> on;
  std::vector<std::string> names;  // a metric's id is its place here, and 1
};

State& collections() {
  static State& the_state = *new State;
  return the_state;
}

std::uint64_t id_of(const std::string& name) {
  auto& names = collections().names;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return i + 1;
  names.push_back(name);
  return names.size();
}

bool is_patched(Collection& collection, const Run& run) {
  const auto& function = run.function->kernel->name;
  if (!collection.lazy && run.function->module->id > collection.began_at) return false;
  if (callbacks::resource_domain_on()) return true;
  if (collection.only_function.empty()) collection.only_function = function;
  return collection.only_function == function;
}

}  // namespace

bool enabled(CUctx_st* context) {
  const std::lock_guard lock(collections().mutex);
  return collections().on.contains(context);
}

void code_changed() {
  const std::lock_guard lock(collections().mutex);
  for (const auto& [context, collection] : collections().on)
    if (collection.enabled_by != std::this_thread::get_id())
      violation("a thread loaded or unloaded a module while another one had SASS metrics on");
}

void kernel_ran(const Run& run) {
  const bool spoiled = activity::kernels_on();  // then every value is zero, without an error
  const std::lock_guard lock(collections().mutex);
  const auto found = collections().on.find(run.context);
  if (found == collections().on.end() || !is_patched(found->second, run)) return;
  found->second.unflushed = true;
  const auto& kernel = *run.function->kernel;
  for (const auto metric : collections().configs[static_cast<std::uint32_t>(run.context->device)].metrics) {
    const auto key = key_of(collections().names[metric - 1]);
    for (const auto& instruction : kernel.instructions) {
      if (!applies(instruction, key)) continue;
      auto& sum = found->second.counts[{checksum(run.function->module->cubin), kernel.name,
                                        static_cast<std::uint32_t>(instruction.pc_offset), metric}];
      if (!spoiled) sum += static_cast<std::uint64_t>(value_of(kernel, instruction, key));
    }
  }
}

void check_at_exit() {
  const std::lock_guard lock(collections().mutex);
  for (const auto& [device, config] : collections().configs)
    if (!config.unset && config.context != nullptr && !config.context->alive)
      violation("SASS metrics were left configured in a context that has ended");
}

}  // namespace standin::sass

using namespace standin;
using namespace standin::sass;

extern "C" {

CUptiResult cuptiSassMetricsGetProperties(CUpti_SassMetrics_GetProperties_Params* params) {
  STANDIN_CALL(cuptiSassMetricsGetProperties);
  if (key_of(params->pMetricName).empty()) return CUPTI_ERROR_INVALID_PARAMETER;
  const std::lock_guard lock(collections().mutex);
  params->metric.metricId = id_of(params->pMetricName);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiSassMetricsSetConfig(CUpti_SassMetricsSetConfig_Params* params) {
  STANDIN_CALL(cuptiSassMetricsSetConfig);
  const std::lock_guard lock(collections().mutex);
  const auto found = collections().configs.find(params->deviceIndex);
  if (found != collections().configs.end())
    return found->second.unset ? CUPTI_ERROR_OUT_OF_MEMORY : CUPTI_ERROR_INVALID_OPERATION;
  if (current_context() == nullptr) return CUPTI_ERROR_INVALID_CONTEXT;
  auto& config = collections().configs[params->deviceIndex];
  config.context = current_context();
  for (std::size_t i = 0; i < params->numOfMetricConfig; ++i)
    config.metrics.push_back(params->pConfigs[i].metricId);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiSassMetricsUnsetConfig(CUpti_SassMetricsUnsetConfig_Params* params) {
  const std::lock_guard lock(collections().mutex);
  const auto found = collections().configs.find(params->deviceIndex);
  const bool possible = found != collections().configs.end() && !found->second.unset;
  if (possible) found->second.unset = true;  // tried is enough for check_at_exit()
  STANDIN_CALL(cuptiSassMetricsUnsetConfig);
  return possible ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_OPERATION;
}

CUptiResult cuptiSassMetricsEnable(CUpti_SassMetricsEnable_Params* params) {
  STANDIN_CALL(cuptiSassMetricsEnable);
  needs_idle_gpu("cuptiSassMetricsEnable");
  if (params->ctx == nullptr || !params->ctx->alive) return CUPTI_ERROR_INVALID_CONTEXT;
  const std::lock_guard lock(collections().mutex);
  const auto config = collections().configs.find(static_cast<std::uint32_t>(params->ctx->device));
  if (config == collections().configs.end() || config->second.unset || collections().on.contains(params->ctx))
    return CUPTI_ERROR_INVALID_OPERATION;
  auto& collection = collections().on[params->ctx];
  collection.lazy = params->enableLazyPatching != 0;
  collection.began_at = next_id();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiSassMetricsDisable(CUpti_SassMetricsDisable_Params* params) {
  STANDIN_CALL(cuptiSassMetricsDisable);
  needs_idle_gpu("cuptiSassMetricsDisable");
  const std::lock_guard lock(collections().mutex);
  const auto found = collections().on.find(params->ctx);
  if (found == collections().on.end()) return CUPTI_ERROR_INVALID_OPERATION;
  params->numOfDroppedRecords = found->second.unflushed ? found->second.counts.size() : 0;
  collections().on.erase(found);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiSassMetricsGetDataProperties(CUpti_SassMetricsGetDataProperties_Params* params) {
  STANDIN_CALL(cuptiSassMetricsGetDataProperties);
  const std::lock_guard lock(collections().mutex);
  const auto found = collections().on.find(params->ctx);
  if (found == collections().on.end()) return CUPTI_ERROR_INVALID_OPERATION;
  params->numOfPatchedInstructionRecords = found->second.counts.size();
  params->numOfInstances = 1;  // one value a record, at the granularity of the whole GPU
  return CUPTI_SUCCESS;
}

CUptiResult cuptiSassMetricsFlushData(CUpti_SassMetricsFlushData_Params* params) {
  STANDIN_CALL(cuptiSassMetricsFlushData);
  const std::lock_guard lock(collections().mutex);
  const auto found = collections().on.find(params->ctx);
  if (found == collections().on.end()) return CUPTI_ERROR_INVALID_OPERATION;
  auto& collection = found->second;
  if (params->numOfPatchedInstructionRecords != collection.counts.size())
    return CUPTI_ERROR_INVALID_PARAMETER;
  auto* record = params->pMetricsData;
  for (auto& [where, value] : collection.counts) {
    if (record->structSize != CUpti_SassMetricsFlushData_Params_STRUCT_SIZE)
      return CUPTI_ERROR_INVALID_PARAMETER;
    const auto& [crc, function, pc_offset, metric] = where;
    record->cubinCrc = crc;
    record->functionIndex = 0;
    record->functionName = strdup(function.c_str());  // the caller frees it
    record->pcOffset = pc_offset;
    *record->pInstanceValues = {metric, std::exchange(value, 0)};
    ++record;
  }
  collection.unflushed = false;
  return CUPTI_SUCCESS;
}
}
