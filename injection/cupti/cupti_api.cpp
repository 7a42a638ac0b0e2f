#include "injection/cupti/cupti_api.h"

#include <array>
#include <dlfcn.h>
#include <optional>
#include <vector>

namespace coalescope::cupti {
namespace {

using base::ErrorCode;

constexpr const char* kCuptiName = "libcupti.so.13";
constexpr const char* kHostName = "libnvperf_host.so";

// Where NVIDIA's packages put CUPTI.
constexpr std::array kFolders{"/usr/local/cuda/extras/CUPTI/lib64",
                              "/usr/local/cuda/lib64",
                              "/usr/local/cuda/targets/x86_64-linux/lib",
                              "/usr/local/cuda-13.0/extras/CUPTI/lib64",
                              "/usr/local/cuda-13.0/lib64",
                              "/usr/lib/x86_64-linux-gnu"};

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
           "this MIG instance cannot be profiled"},
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

void* open_cupti(const std::string& folder) {
  if (void* loaded = dlopen(kCuptiName, RTLD_NOW | RTLD_NOLOAD); loaded != nullptr) {
    load_host_library(path_of(loaded, "cuptiGetVersion"));
    return loaded;
  }
  std::vector<std::string> folders;
  if (!folder.empty()) folders.push_back(folder);
  folders.insert(folders.end(), kFolders.begin(), kFolders.end());
  for (const auto& place : folders) {
    const std::string path = place + "/" + kCuptiName;
    load_host_library(path);
    if (void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL); library != nullptr) return library;
  }
  void* library = dlopen(kCuptiName, RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) load_host_library(path_of(library, "cuptiGetVersion"));
  return library;
}

}  // namespace

base::Result<CuptiApi> load_cupti(const std::string& folder) {
  void* library = open_cupti(folder);
  if (library == nullptr)
    return base::failure(ErrorCode::not_found, std::string(kCuptiName) + " was not found",
                         "install NVIDIA's CUDA Toolkit 13, or set COALESCOPE_CUPTI_PATH to its folder");
  CuptiApi api;
  const char* missing = nullptr;
#define COALESCOPE_LOAD(name)                                            \
  api.name = reinterpret_cast<decltype(&::name)>(dlsym(library, #name)); \
  if (api.name == nullptr) missing = #name;
  COALESCOPE_CUPTI_FUNCTIONS(COALESCOPE_LOAD)
#undef COALESCOPE_LOAD
#define COALESCOPE_LOAD(name) api.name = reinterpret_cast<decltype(&::name)>(dlsym(library, #name));
  COALESCOPE_CUPTI_OPTIONAL_FUNCTIONS(COALESCOPE_LOAD)
#undef COALESCOPE_LOAD
  if (missing != nullptr)
    return base::failure(ErrorCode::unsupported,
                         path_of(library, "cuptiGetVersion") + " has no function " + missing,
                         "use the CUPTI of CUDA Toolkit 13");
  return api;
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
