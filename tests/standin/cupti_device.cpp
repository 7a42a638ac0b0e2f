// The stand-in's libcupti: small questions about versions, clocks, devices, contexts, streams and code.

#include <array>
#include <cstring>
#include <cupti_pcsampling.h>
#include <cupti_profiler_target.h>
#include <cupti_target.h>
#include <dlfcn.h>
#include <pthread.h>
#include <string_view>

#include "tests/standin/cupti_parts.h"

using namespace standin;

namespace {

#ifdef STANDIN_CUDA_12
constexpr std::uint32_t kRelease = 26;  // CUDA 12.8
#else
constexpr std::uint32_t kRelease = 130001;
#endif

// Each instruction of a module is asked for, one by one.
const std::vector<CodeKernel>& parsed_once(std::string_view cubin) {
  thread_local std::string known;
  thread_local std::vector<CodeKernel> kernels;
  if (known != cubin) {
    kernels = kernels_in(parse_script(cubin));
    known = cubin;
  }
  return kernels;
}

}  // namespace

extern "C" {

CUptiResult cuptiGetVersion(std::uint32_t* version) {
  STANDIN_CALL(cuptiGetVersion);
  *version = kRelease;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetTimestamp(std::uint64_t* timestamp) {
  STANDIN_CALL(cuptiGetTimestamp);
  *timestamp = clock_ns();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult result, const char** text) {
  STANDIN_CALL(cuptiGetResultString);
  switch (result) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
      *text = "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES";
      break;
    case CUPTI_ERROR_HARDWARE_BUSY:
      *text = "CUPTI_ERROR_HARDWARE_BUSY";
      break;
    default:
      *text = "CUPTI_ERROR_OF_THE_SCRIPT";
  }
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetGraphNodeId(CUgraphNode node, std::uint64_t* id) {
  STANDIN_CALL(cuptiGetGraphNodeId);
  *id = node->run.node;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetContextId(CUcontext context, std::uint32_t* id) {
  STANDIN_CALL(cuptiGetContextId);
  if (!context->alive) return CUPTI_ERROR_INVALID_CONTEXT;
  *id = context->uid;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetDeviceId(CUcontext context, std::uint32_t* device) {
  STANDIN_CALL(cuptiGetDeviceId);
  if (!context->alive) return CUPTI_ERROR_INVALID_CONTEXT;
  *device = static_cast<std::uint32_t>(context->device);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetStreamIdEx(CUcontext context, CUstream stream, std::uint8_t per_thread,
                               std::uint32_t* id) {
  STANDIN_CALL(cuptiGetStreamIdEx);
  if (context == nullptr) return CUPTI_ERROR_INVALID_CONTEXT;
  *id = stream_id(context, stream, per_thread != 0);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params* params) {
  STANDIN_CALL(cuptiDeviceGetChipName);
  params->pChipName = "GH100";
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params*) {
  STANDIN_CALL(cuptiProfilerInitialize);
  // It opens libnvperf_host, whose exit handlers wait for nobody, in a way for which sanitizers end the
  // program.
#ifndef COALESCOPE_SANITIZED
  if (dlopen("libnvperf_host.so", RTLD_NOW | RTLD_DEEPBIND) == nullptr) return CUPTI_ERROR_UNKNOWN;
#endif
  std::array<char, 16> thread{};
  if (pthread_getname_np(pthread_self(), thread.data(), thread.size()) == 0 &&
      std::string_view(thread.data()) == "coalescope")
    violation("cuptiProfilerInitialize was called by a thread of the recorder's own");
  return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerDeviceSupported(CUpti_Profiler_DeviceSupported_Params* params) {
  STANDIN_CALL(cuptiProfilerDeviceSupported);
  struct Part {
    const char* name;
    CUpti_Profiler_Support_Level& level;
  };
  const std::array parts{
      Part{"architecture", params->architecture},        Part{"sli", params->sli}, Part{"vgpu", params->vGpu},
      Part{"confidential", params->confidentialCompute}, Part{"cmp", params->cmp}, Part{"wsl", params->wsl}};
  params->isSupported = CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
  for (const Part& part : parts) {
    part.level =
        missing(part.name) ? CUPTI_PROFILER_CONFIGURATION_DISABLED : CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
    if (part.level != CUPTI_PROFILER_CONFIGURATION_SUPPORTED) params->isSupported = part.level;
  }
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetCubinCrc(CUpti_GetCubinCrcParams* params) {
  // Inside MODULE_LOADED, while the driver holds its locks, this can deadlock.
  if (callbacks::inside_resource_callback()) violation("cuptiGetCubinCrc was called in a resource callback");
  STANDIN_CALL(cuptiGetCubinCrc);
  params->cubinCrc = checksum({static_cast<const char*>(params->cubin), params->cubinSize});
  return CUPTI_SUCCESS;
}

// Success without a name is the answer for code without line information; both names are the caller's to
// free.
CUptiResult cuptiGetSassToSourceCorrelation(CUpti_GetSassToSourceCorrelationParams* params) {
  STANDIN_CALL(cuptiGetSassToSourceCorrelation);
  const std::string_view cubin(static_cast<const char*>(params->cubin), params->cubinSize);
  for (const auto& kernel : parsed_once(cubin)) {
    if (kernel.name != params->functionName) continue;
    for (const auto& instruction : kernel.instructions) {
      if (static_cast<std::uint64_t>(instruction.pc_offset) != params->pcOffset || instruction.file.empty())
        continue;
      const auto slash = instruction.file.rfind('/');
      params->lineNumber = static_cast<std::uint32_t>(instruction.line);
      params->dirName = strdup(instruction.file.substr(0, slash).c_str());
      params->fileName = strdup(instruction.file.substr(slash + 1).c_str());
    }
    return CUPTI_SUCCESS;
  }
  return CUPTI_ERROR_INVALID_PARAMETER;
}
}
