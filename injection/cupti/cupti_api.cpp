#include "injection/cupti/cupti_api.h"

#include <array>
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

namespace coalescope::cupti {
namespace {

using base::ErrorCode;

constexpr const char* kHostName = "libnvperf_host.so";

struct Remedy {
  CUptiResult code;
  ErrorCode kind;
  const char* text;
};
constexpr std::array kRemedies{
    Remedy{CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, ErrorCode::not_permitted,
           "this user may not read GPU performance counters: load the driver with the module option "
           "NVreg_RestrictProfilingToAdminUsers=0, or run with CAP_SYS_ADMIN"},
    Remedy{CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES, ErrorCode::not_permitted,
           "this virtual GPU hides its counters: the host must allow profiling for it"},
    Remedy{CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, ErrorCode::unsupported,
           "virtual GPUs of this kind cannot be profiled"},
    Remedy{CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED, ErrorCode::unsupported,
           "confidential computing hides the counters: use its devtools mode"},
    Remedy{CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED, ErrorCode::unsupported, "this GPU cannot be profiled"},
    Remedy{CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED, ErrorCode::unsupported,
           "this MIG instance cannot be profiled: record on a whole GPU, or 'sudo nvidia-smi -mig 0' on one "
           "that "
           "nobody else uses"},
    Remedy{CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED, ErrorCode::unsupported, "SLI groups cannot be profiled"},
    Remedy{CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED, ErrorCode::unsupported, "WSL cannot be profiled here"},
    Remedy{CUPTI_ERROR_NOT_SUPPORTED, ErrorCode::unsupported, ""},
    Remedy{CUPTI_ERROR_INVALID_CHIP_NAME, ErrorCode::unsupported, "use a newer CUDA Toolkit for this GPU"},
    Remedy{CUPTI_ERROR_HARDWARE_BUSY, ErrorCode::busy,
           "another profiler holds the counters: stop it; for DCGM, 'dcgmi profile --pause'"},
    Remedy{CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, ErrorCode::busy,
           "another profiler or debugger is attached to this process: run the program without it"},
    Remedy{CUPTI_ERROR_NOT_INITIALIZED, ErrorCode::failed,
           "the driver is older than this CUPTI, or libnvperf_host.so is missing beside it"},
};

// libcupti loads libnvperf_host by its bare name; found only if it is in memory already, with global symbols.
void load_host_library(const std::string& cupti_path) {
  const auto folder = cupti_path.substr(0, cupti_path.rfind('/') + 1);
  if (dlopen(kHostName, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL) != nullptr) return;
  // Bound lazily: to bind all of it at once takes 15 ms more, of which the target would wait for each.
  if (dlopen((folder + kHostName).c_str(), RTLD_LAZY | RTLD_GLOBAL) != nullptr) return;
  (void)dlopen(kHostName, RTLD_LAZY | RTLD_GLOBAL);
}

std::string path_of(void* library, const char* symbol) {
  Dl_info info{};
  void* address = dlsym(library, symbol);
  return address != nullptr && dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

struct Opened {
  void* library = nullptr;
  std::string_view origin;
};

// The copy that the target has loaded is the only one that sees its calls.
Opened loaded_cupti(const CuptiClues& clues) {
  for (const std::string_view name : cupti_names(clues))
    if (void* library = dlopen(std::string(name).c_str(), RTLD_NOW | RTLD_NOLOAD); library != nullptr)
      return {library, "loaded by the program"};
  return {};
}

Opened open_cupti(const CuptiClues& clues) {
  if (const Opened loaded = loaded_cupti(clues); loaded.library != nullptr) {
    load_host_library(path_of(loaded.library, "cuptiGetVersion"));
    return loaded;
  }
  for (const CuptiCandidate& each : cupti_candidates(clues)) {
    const bool has_path = each.path.find('/') != std::string::npos;
    if (has_path && access(each.path.c_str(), R_OK) != 0) continue;
    if (has_path) load_host_library(each.path);
    if (void* library = dlopen(each.path.c_str(), RTLD_NOW | RTLD_LOCAL); library != nullptr) {
      if (!has_path) load_host_library(path_of(library, "cuptiGetVersion"));
      return {library, each.origin};
    }
  }
  return {};
}

base::Failure not_usable(const CuptiApi& api, const std::string& why) {
  return base::failure(ErrorCode::unsupported,
                       fmt::format("'{}' is of {}{}", api.path, cupti_release(api.version), why),
                       "install CUPTI of CUDA 12.6 or later, or set COALESCOPE_CUPTI_PATH to its folder");
}

}  // namespace

base::Result<CuptiApi> load_cupti(const CuptiClues& clues) {
  const Opened opened = open_cupti(clues);
  void* library = opened.library;
  if (library == nullptr)
    return base::failure(
        ErrorCode::not_found, fmt::format("neither {} nor {} was found", kCupti13, kCupti12),
        "install NVIDIA's CUDA Toolkit (12.6 or later) or its Python package nvidia-cuda-cupti, or set "
        "COALESCOPE_CUPTI_PATH to the folder");
  CuptiApi api;
  api.path = path_of(library, "cuptiGetVersion");
  api.origin = opened.origin;
  const char* missing = nullptr;
#define COALESCOPE_LOAD(name)                                            \
  api.name = reinterpret_cast<decltype(&::name)>(dlsym(library, #name)); \
  if (api.name == nullptr) missing = #name;
  COALESCOPE_CUPTI_FUNCTIONS(COALESCOPE_LOAD)
#undef COALESCOPE_LOAD
#define COALESCOPE_LOAD(name) api.name = reinterpret_cast<decltype(&::name)>(dlsym(library, #name));
  COALESCOPE_CUPTI_OPTIONAL_FUNCTIONS(COALESCOPE_LOAD)
#undef COALESCOPE_LOAD
  if (api.cuptiGetVersion != nullptr && api.cuptiGetVersion(&api.version) != CUPTI_SUCCESS) api.version = 0;
  if (missing != nullptr) return not_usable(api, fmt::format(" and has no function {}", missing));
  if (api.version != 0 && api.version < kOldestCupti) return not_usable(api, ", which cannot measure");
  return api;
}

std::string host_library_path() {
  void* library = dlopen(kHostName, RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return {};
  link_map* map = nullptr;
  const bool told = dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr;
  std::string path = told ? map->l_name : kHostName;
  dlclose(library);
  return path;
}

base::Error cupti_error(const CuptiApi& api, CUptiResult code, const char* call) {
  const char* name = nullptr;
  if (api.cuptiGetResultString == nullptr || api.cuptiGetResultString(code, &name) != CUPTI_SUCCESS)
    name = nullptr;
  base::Error error;
  error.message = std::string(call) + " failed: " + (name != nullptr ? name : "unknown code") + " (" +
                  std::to_string(static_cast<int>(code)) + ")";
  for (const auto& remedy : kRemedies) {
    if (remedy.code != code) continue;
    error.code = remedy.kind;
    error.remedy = remedy.text;
  }
  return error;
}

base::Failure cupti_failure(const CuptiApi& api, CUptiResult code, const char* call) {
  return base::failure(cupti_error(api, code, call));
}

}  // namespace coalescope::cupti
