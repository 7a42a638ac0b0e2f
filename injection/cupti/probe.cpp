#include "injection/cupti/probe.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <dlfcn.h>
#include <fmt/format.h>
#include <utility>

#include "injection/cupti/cupti_api.h"
#include "injection/cupti/driver_api.h"
#include "injection/cupti/kernel_trace.h"
#include "injection/cupti/range_config.h"
#include "injection/cupti/range_probe.h"
#include "injection/python/layout.h"

namespace coalescope::cupti {
namespace {

using base::ErrorCode;
using base::Result;

constexpr std::int64_t kRanges = 4;  // the least that a window is tried with

const char* name_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::not_found:
      return "not_found";
    case ErrorCode::not_permitted:
      return "not_permitted";
    case ErrorCode::unsupported:
      return "unsupported";
    case ErrorCode::busy:
      return "busy";
    default:
      return "failed";
  }
}

// The driver's own word for it: "CUDA_ERROR_NO_DEVICE".
std::string cuda_error(void* driver, CUresult code) {
  auto* const ask = reinterpret_cast<decltype(&::cuGetErrorName)>(dlsym(driver, "cuGetErrorName"));
  const char* name = nullptr;
  if (ask != nullptr && ask(code, &name) == CUDA_SUCCESS && name != nullptr) return name;
  return fmt::format("error {}", static_cast<int>(code));
}

std::string file_of(void* library, const char* symbol) {
  Dl_info info{};
  void* const address = dlsym(library, symbol);
  return address != nullptr && dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

// In memory for good, and begun.
Result<void*> begin_driver() {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (driver == nullptr) return base::failure(ErrorCode::not_found, "libcuda.so.1 was not found");
  auto* const init = reinterpret_cast<decltype(&::cuInit)>(dlsym(driver, "cuInit"));
  if (init == nullptr) return base::failure(ErrorCode::unsupported, "libcuda.so.1 has no function cuInit");
  if (const CUresult code = init(0); code != CUDA_SUCCESS)
    return base::failure(code == CUDA_ERROR_NO_DEVICE ? ErrorCode::not_found : ErrorCode::failed,
                         "cuInit answers " + cuda_error(driver, code));
  return driver;
}

Result<CuptiApi> begin_cupti(const std::vector<std::string>& site_packages) {
  CuptiClues clues = clues_of_process();
  clues.site_packages = site_packages;
  return load_cupti(clues);
}

const char* name_of(CUpti_Profiler_Support_Level level) {
  switch (level) {
    case CUPTI_PROFILER_CONFIGURATION_SUPPORTED:
      return "supported";
    case CUPTI_PROFILER_CONFIGURATION_DISABLED:
      return "disabled";
    case CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED:
      return "unsupported";
    default:
      return "unknown";
  }
}

void answer_support(const CuptiApi& api, CUdevice device) {
  COALESCOPE_PARAMS(CUpti_Profiler_DeviceSupported_Params, params);
  params.cuDevice = device;
  params.api = CUPTI_PROFILER_RANGE_PROFILING;
  if (api.cuptiProfilerDeviceSupported(&params) != CUPTI_SUCCESS) return;
  const std::array levels{std::pair{"architecture", params.architecture},
                          std::pair{"sli", params.sli},
                          std::pair{"vgpu", params.vGpu},
                          std::pair{"confidential", params.confidentialCompute},
                          std::pair{"cmp", params.cmp},
                          std::pair{"wsl", params.wsl}};
  for (const auto& [what, level] : levels) answer({"support", what, name_of(level)});
}

Result<std::string> chip_of(const CuptiApi& api, std::int32_t ordinal) {
  COALESCOPE_PARAMS(CUpti_Profiler_Initialize_Params, initialize);
  if (const auto code = api.cuptiProfilerInitialize(&initialize); code != CUPTI_SUCCESS)
    return cupti_failure(api, code, "cuptiProfilerInitialize");
  COALESCOPE_PARAMS(CUpti_Device_GetChipName_Params, chip);
  chip.deviceIndex = static_cast<std::size_t>(ordinal);
  if (const auto code = api.cuptiDeviceGetChipName(&chip); code != CUPTI_SUCCESS)
    return cupti_failure(api, code, "cuptiDeviceGetChipName");
  return std::string(chip.pChipName);
}

// The primary context, which every driver knows; it ends with this process.
Result<CUcontext> begin_context(void* driver, CUdevice device) {
  auto* const retain =
      reinterpret_cast<decltype(&::cuDevicePrimaryCtxRetain)>(dlsym(driver, "cuDevicePrimaryCtxRetain"));
  auto* const set = reinterpret_cast<decltype(&::cuCtxSetCurrent)>(dlsym(driver, "cuCtxSetCurrent"));
  CUcontext context = nullptr;
  const CUresult code = retain == nullptr || set == nullptr ? CUDA_ERROR_NOT_FOUND : retain(&context, device);
  const CUresult made = code == CUDA_SUCCESS ? set(context) : code;
  if (made != CUDA_SUCCESS)
    return base::failure(ErrorCode::failed, "no context could be made: " + cuda_error(driver, made));
  return context;
}

// The recorder's own way of measuring, with nothing in the window.
Result<void> open_window(const CuptiApi& api, const DriverApi& driver, const std::string& chip,
                         const recorder::ContextHandle& context) {
  auto config = build_range_config(api, chip, {model::Phase::traffic});
  if (!config) return base::relay(config);
  recorder::Diagnostics diagnostics;
  KernelTrace trace(
      api, 0, [](const recorder::ActivityBuffer&) { return false; }, diagnostics);
  RangeProbe window(
      api, driver, trace, [&](std::int32_t, model::Phase) -> Result<const RangeConfig*> { return &*config; },
      kRanges, [](std::int32_t) { return false; });
  if (auto begun = window.enter(context, model::Phase::traffic); !begun) return base::relay(begun);
  window.release_all();
  return {};
}

Result<void> try_counters(std::int32_t ordinal, const std::vector<std::string>& site_packages) {
  const auto library = begin_driver();
  if (!library) return base::relay(library);
  const auto driver = DriverApi::load();
  if (!driver) return base::relay(driver);
  const auto api = begin_cupti(site_packages);
  if (!api) return base::relay(api);
  auto* const get = reinterpret_cast<decltype(&::cuDeviceGet)>(dlsym(*library, "cuDeviceGet"));
  CUdevice device = 0;
  if (const CUresult code = get(&device, ordinal); code != CUDA_SUCCESS)
    return base::failure(ErrorCode::not_found,
                         fmt::format("there is no GPU {}: {}", ordinal, cuda_error(*library, code)));
  const auto chip = chip_of(*api, ordinal);
  if (!chip) return base::relay(chip);
  answer({"chip", *chip});
  answer_support(*api, device);
  const auto context = begin_context(*library, device);
  if (!context) return base::relay(context);
  recorder::ContextHandle handle;
  handle.device = ordinal;
  handle.handle = reinterpret_cast<std::uint64_t>(*context);
  return open_window(*api, *driver, *chip, handle);
}

std::string python_name(std::uint32_t version) {
  constexpr unsigned kMajorShift = 24, kMinorShift = 16, kByte = 0xff;
  return fmt::format("{}.{}", version >> kMajorShift, version >> kMinorShift & kByte);
}

}  // namespace

void answer(std::initializer_list<std::string_view> fields) {
  std::string line;
  for (const std::string_view field : fields) {
    std::string text(field);
    std::ranges::replace(text, '\t', ' ');
    std::ranges::replace(text, '\n', ' ');
    line += (line.empty() ? "" : "\t") + text;
  }
  std::fputs((line + "\n").c_str(), stdout);
  std::fflush(stdout);  // what was answered stays, whatever ends the process
}

void answer(const base::Error& error) {
  answer({"error", name_of(error.code), error.message, error.remedy});
}

void probe_driver() {
  const auto library = begin_driver();
  if (!library) return answer(library.error());
  answer({"library", file_of(*library, "cuInit")});
  const auto driver = DriverApi::load();
  if (!driver) return answer(driver.error());
  answer({"version", std::to_string(driver->version())});
  for (std::int32_t ordinal = 0; ordinal < driver->device_count(); ++ordinal) {
    const auto device = driver->describe(ordinal);
    if (!device) return answer(device.error());
    answer({"gpu", std::to_string(ordinal), device->name,
            fmt::format("{}.{}", device->compute_capability_major.value_or(0),
                        device->compute_capability_minor.value_or(0)),
            device->uuid, device->pci_bus_id.value_or("")});
  }
}

void probe_cupti(const std::vector<std::string>& site_packages) {
  // In the target it is loaded; the search asks it for its version.
  (void)dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  const auto api = begin_cupti(site_packages);
  if (!api) return answer(api.error());
  answer({"cupti", api->path, cupti_release(api->version), api->origin});
  answer({"host", host_library_path()});
}

void probe_counters(std::int32_t ordinal, const std::vector<std::string>& site_packages) {
  if (const auto opened = try_counters(ordinal, site_packages); !opened) return answer(opened.error());
  answer({"counters", "ok"});
}

void probe_pythons() {
  answer({"python", python_name(python::kOldest), python_name(python::kNewest)});
}

}  // namespace coalescope::cupti
