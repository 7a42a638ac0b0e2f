#include "injection/cupti/session.h"

#include <array>
#include <chrono>

namespace coalescope::cupti {
namespace {

using model::Phase;

// The host side of a first configuration takes 60 to 400 ms; a launch that needs it waits no longer than
// this.
constexpr auto kPreparePatience = std::chrono::seconds(5);
constexpr std::array kRangePhases{Phase::bytes, Phase::traffic, Phase::misses};

// The capture's beginning on CUPTI's clock, from the same instant read on both clocks.
std::int64_t zero_on_cupti_clock(const CuptiApi& api, std::int64_t started_unix_ns) {
  std::uint64_t cupti_ns = 0;
  (void)api.cuptiGetTimestamp(&cupti_ns);
  const auto unix_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(
                           std::chrono::system_clock::now().time_since_epoch())
                           .count();
  return static_cast<std::int64_t>(cupti_ns) - (unix_ns - started_unix_ns);
}

}  // namespace

Session::Session(const CuptiApi& api, const DriverApi& driver, std::int64_t started_unix_ns,
                 KernelTrace::Deliver deliver, recorder::Diagnostics& diagnostics)
    : api_(api),
      driver_(driver),
      diagnostics_(diagnostics),
      zero_ns_(zero_on_cupti_clock(api, started_unix_ns)),
      trace_(api, zero_ns_, std::move(deliver)),
      range_probe_(api, driver, trace_,
                   [this](std::int32_t ordinal, Phase phase) { return find_config(ordinal, phase); }),
      lines_probe_(api, driver, trace_, [this](std::int32_t ordinal) { return chip_name(ordinal); }) {}

std::int64_t Session::now_ns() {
  std::uint64_t cupti_ns = 0;
  (void)api_.cuptiGetTimestamp(&cupti_ns);
  return static_cast<std::int64_t>(cupti_ns) - zero_ns_;
}

std::int64_t Session::stream_id(const recorder::LaunchInfo& launch) {
  std::uint32_t id = 0;
  (void)api_.cuptiGetStreamIdEx(reinterpret_cast<CUcontext>(launch.context.handle),
                                reinterpret_cast<CUstream>(launch.stream), launch.per_thread_stream ? 1 : 0,
                                &id);
  return id;
}

recorder::PhaseProbe* Session::probe(Phase phase) {
  if (phase == Phase::trace) return nullptr;
  if (phase == Phase::lines) return &lines_probe_;
  return &range_probe_;
}

base::Result<model::Device> Session::describe_device(std::int32_t ordinal) {
  auto device = driver_.describe(ordinal);
  if (!device) return device;
  if (const auto chip = identify(ordinal)) device->chip = *chip;
  return device;
}

base::Result<std::string> Session::identify(std::int32_t ordinal) {
  COALESCOPE_PARAMS(CUpti_Profiler_Initialize_Params, initialize);
  if (const auto code = api_.cuptiProfilerInitialize(&initialize); code != CUPTI_SUCCESS)
    return tl::unexpected(cupti_error(api_, code, "cuptiProfilerInitialize"));
  COALESCOPE_PARAMS(CUpti_Device_GetChipName_Params, chip);
  chip.deviceIndex = static_cast<std::size_t>(ordinal);
  if (const auto code = api_.cuptiDeviceGetChipName(&chip); code != CUPTI_SUCCESS)
    return tl::unexpected(cupti_error(api_, code, "cuptiDeviceGetChipName"));
  return chip.pChipName;
}

std::vector<model::MetricUsed> Session::prepare_device(std::int32_t ordinal) {
  std::vector<model::MetricUsed> used;
  const auto add = [&used](model::MetricId id, const std::string& name) {
    const auto& metric = model::metric(id);
    used.push_back(
        {id, std::string(metric.key), name, metric.phase, std::string(model::name_of(metric.unit))});
  };
  const auto chip = identify(ordinal);
  {
    const std::lock_guard lock(devices_mutex_);
    devices_.emplace(ordinal, DeviceState{chip, {}});
  }
  device_ready_.notify_all();
  for (const auto phase : kRangePhases) {
    auto config = chip ? build_range_config(api_, *chip, phase)
                       : base::Result<RangeConfig>(tl::unexpected(chip.error()));
    if (config) {
      for (std::size_t i = 0; i < config->metrics.size(); ++i) add(config->metrics[i], config->names[i]);
    }
    {
      const std::lock_guard lock(devices_mutex_);
      devices_.at(ordinal).configs.emplace(phase, std::move(config));
    }
    device_ready_.notify_all();
  }
  for (const auto& metric : model::metric_catalogue()) {
    if (metric.phase == Phase::lines) add(metric.id, std::string(metric.cupti_names.front()));
  }
  return used;
}

base::Result<std::string> Session::chip_name(std::int32_t ordinal) {
  std::unique_lock lock(devices_mutex_);
  if (!device_ready_.wait_for(lock, kPreparePatience, [&] { return devices_.contains(ordinal); }))
    return base::failure(base::ErrorCode::failed, "the device could not be prepared for measuring in time");
  return devices_.at(ordinal).chip;
}

base::Result<const RangeConfig*> Session::find_config(std::int32_t ordinal, Phase phase) {
  std::unique_lock lock(devices_mutex_);
  const auto ready = [&] {
    return devices_.contains(ordinal) && devices_.at(ordinal).configs.contains(phase);
  };
  if (!device_ready_.wait_for(lock, kPreparePatience, ready))
    return base::failure(base::ErrorCode::failed, "the device could not be prepared for measuring in time");
  const auto& config = devices_.at(ordinal).configs.at(phase);
  if (!config) return tl::unexpected(config.error());
  return &*config;
}

void Session::decode(const recorder::ActivityBuffer& buffer, recorder::TraceSink& sink) {
  trace_.decode(buffer, sink);
}

}  // namespace coalescope::cupti
