// The stand-in's libcuda.so.1: what the test program launches through, and what the recorder asks of the
// driver.
//
// Order of events in cuInit, as seen on an H100: the library that CUDA_INJECTION64_PATH names is loaded and
// its InitializeInjection called before cuInit returns.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <unistd.h>
#include <utility>

#include "tests/standin/device.h"
#include "tests/standin/driver_call.h"
#include "tests/standin/faults.h"
#include "tests/standin/player_calls.h"

namespace standin {
namespace {

pid_t initialized_in = 0;

// The contexts that a thread has made current. Nothing to destroy: the recorder still calls while a thread
// ends.
struct ContextStack {
  std::array<CUcontext, 16> held{};
  std::size_t depth = 0;

  [[nodiscard]] bool empty() const { return depth == 0; }
  [[nodiscard]] CUcontext back() const { return held[depth - 1]; }
  void push(CUcontext context) { held.at(depth++) = context; }
  void pop() { --depth; }
};
thread_local ContextStack current;

void load_injection() {
  const char* path = std::getenv("CUDA_INJECTION64_PATH");
  if (path == nullptr) return;
  void* library = dlopen(path, RTLD_NOW);
  if (library == nullptr) return;
  if (auto* begin = reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection"))) begin();
}

}  // namespace

void tell_resource(CUpti_CallbackId id, CUcontext context, void* descriptor) {
  auto* listener = device().listener.load();
  if (listener == nullptr) return;
  CUpti_ResourceData data{};
  data.context = context;
  data.resourceDescriptor = descriptor;
  listener->resource(id, data);
}

// A forked child has no CUDA: only a process that called cuInit itself has.
CUresult ready() {
  if (initialized_in != getpid()) return CUDA_ERROR_NOT_INITIALIZED;
  if (current.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  if (!current.back()->alive) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  return static_cast<CUresult>(current.back()->sticky_error.load());
}

CUcontext current_context() {
  return current.empty() ? nullptr : current.back();
}

std::pair<CUdeviceptr, std::size_t> allocation_at(CUdeviceptr address) {
  auto& gpu = device();
  const std::lock_guard lock(gpu.mutex);
  const auto after = gpu.allocations.upper_bound(address);
  if (after == gpu.allocations.begin()) return {0, 0};
  const auto [begin, bytes] = *std::prev(after);
  if (address >= begin + bytes) return {0, 0};
  return {begin, bytes};
}

void needs_idle_gpu(const char* call) {
  if (device().waiting > 0) violation(std::string(call) + " waits for a kernel that waits for the host");
}

void announce(CUmod_st& module) {
  if (module.announced.exchange(true)) return;
  // The code is CUPTI's only during the callback.
  const std::unique_ptr<char[]> copy(new char[module.cubin.size()]);
  std::memcpy(copy.get(), module.cubin.data(), module.cubin.size());
  CUpti_ModuleResourceData data{};
  data.moduleId = module.id;
  data.cubinSize = module.cubin.size();
  data.pCubin = copy.get();
  tell_resource(CUPTI_CBID_RESOURCE_MODULE_LOADED, module.context, &data);
}

}  // namespace standin

using namespace standin;

extern "C" {

CUresult cuInit(unsigned) {
  if (const auto code = fault("cuInit")) return static_cast<CUresult>(*code);
  if (initialized_in == getpid()) return CUDA_SUCCESS;
  initialized_in = getpid();
  load_injection();
  return missing("device") ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS;
}

CUresult cuCtxCreate_v4(CUcontext* context, CUctxCreateParams*, unsigned, CUdevice ordinal) {
  if (initialized_in != getpid()) return CUDA_ERROR_NOT_INITIALIZED;
  auto& gpu = device();
  CUctx_st* made = nullptr;
  {
    const std::lock_guard lock(gpu.mutex);
    if (missing("new_context_handles") && !gpu.ended_contexts.empty()) {
      made = gpu.ended_contexts.back();
      gpu.ended_contexts.pop_back();
    } else {
      made = new CUctx_st;
    }
    made->uid = ++gpu.contexts;
  }
  made->alive = true;
  made->sticky_error = 0;
  made->device = ordinal;
  current.push(made);
  *context = made;
  tell_resource(CUPTI_CBID_RESOURCE_CONTEXT_CREATED, made, nullptr);
  return CUDA_SUCCESS;
}

CUresult cuCtxDestroy_v2(CUcontext context) {
  tell_resource(CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, context, nullptr);
  context->alive = false;
  {
    const std::lock_guard lock(device().mutex);
    device().ended_contexts.push_back(context);
  }
  if (current_context() == context) current.pop();
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
  if (initialized_in != getpid()) return CUDA_ERROR_NOT_INITIALIZED;
  current = {};
  current.push(context);
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  STANDIN_DRIVER_FAULT(cuCtxGetCurrent);
  *context = current_context();
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent_v2(CUcontext context) {
  STANDIN_DRIVER_FAULT(cuCtxPushCurrent_v2);
  if (!context->alive) violation("cuCtxPushCurrent was called with a context that has ended");
  current.push(context);
  return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent_v2(CUcontext* context) {
  STANDIN_DRIVER_FAULT(cuCtxPopCurrent_v2);
  if (current.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  if (context != nullptr) *context = current.back();
  current.pop();
  return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize() {
  STANDIN_DRIVER_FAULT(cuCtxSynchronize);
  return driver_call(CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize, "cuCtxSynchronize", 0, nullptr, [] {
    // The driver refuses to wait while a stream of the context is captured, and the stream capture is lost.
    if (device().open_stream_captures > 0) {
      spoil_stream_captures();
      return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    needs_idle_gpu("cuCtxSynchronize");
    if (auto* listener = device().listener.load()) listener->synchronized(current_context());
    return static_cast<CUresult>(current_context()->sticky_error.load());
  });
}

CUresult cuCtxRecordEvent(CUcontext context, CUevent event) {
  STANDIN_DRIVER_FAULT(cuCtxRecordEvent);
  if (device().open_stream_captures > 0) {
    spoil_stream_captures();
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  event->of = context;
  return static_cast<CUresult>(context->sticky_error.load());
}

CUresult cuEventQuery(CUevent event) {
  STANDIN_DRIVER_FAULT(cuEventQuery);
  if (event->of == nullptr) {
    STANDIN_DRIVER_FAULT(cuEventQuery_of_stream);
    if (!event->recorded) return CUDA_ERROR_INVALID_HANDLE;
  }
  if (device().waiting > 0) return CUDA_ERROR_NOT_READY;
  if (event->of == nullptr) return CUDA_SUCCESS;
  if (auto* listener = device().listener.load()) listener->synchronized(event->of);
  return static_cast<CUresult>(event->of->sticky_error.load());
}

CUresult cuDeviceGet(CUdevice* handle, int ordinal) {
  STANDIN_DRIVER_FAULT(cuDeviceGet);
  *handle = ordinal;
  return ordinal < 2 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceGetCount(int* count) {
  STANDIN_DRIVER_FAULT(cuDeviceGetCount);
  *count = 2;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice ordinal) {
  if (const auto code = fault("cuDevicePrimaryCtxRetain")) return static_cast<CUresult>(*code);
  return cuCtxCreate_v4(context, nullptr, 0, ordinal);
}

CUresult cuDeviceGetName(char* name, int bytes, CUdevice) {
  STANDIN_DRIVER_FAULT(cuDeviceGetName);
  std::strncpy(name, "Stand-in GPU", static_cast<std::size_t>(bytes));
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice handle) {
  STANDIN_DRIVER_FAULT(cuDeviceGetUuid_v2);
  std::memset(uuid->bytes, handle + 1, sizeof uuid->bytes);
  return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice) {
  STANDIN_DRIVER_FAULT(cuDeviceTotalMem_v2);
  *bytes = std::size_t{80} << 30;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
  STANDIN_DRIVER_FAULT(cuDeviceGetAttribute);
  constexpr std::array<std::pair<CUdevice_attribute, int>, 4> kKnown{
      {{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
       {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0},
       {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 132},
       {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32}}};
  for (const auto& [known, answer] : kKnown) {
    if (known != attribute) continue;
    *value = answer;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceGetPCIBusId(char* text, int bytes, CUdevice) {
  STANDIN_DRIVER_FAULT(cuDeviceGetPCIBusId);
  std::strncpy(text, "0000:00:00.0", static_cast<std::size_t>(bytes));
  return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int* version) {
  STANDIN_DRIVER_FAULT(cuDriverGetVersion);
  *version = 13000;
  return CUDA_SUCCESS;
}

// A kernel of the stand-in has no parameters or one.
CUresult cuFuncGetParamInfo(CUfunction function, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  STANDIN_DRIVER_FAULT(cuFuncGetParamInfo);
  if (index > 0 || (!function->kernel->has_parameter && !function->kernel->has_pointer))
    return CUDA_ERROR_INVALID_VALUE;
  *offset = 0;
  *bytes = sizeof(std::int64_t);
  return CUDA_SUCCESS;
}

CUresult cuPointerGetAttributes(unsigned int count, CUpointer_attribute* attributes, void** data,
                                CUdeviceptr address) {
  STANDIN_DRIVER_FAULT(cuPointerGetAttributes);
  const auto [range, bytes] = allocation_at(address);
  for (unsigned int i = 0; i < count; ++i) {
    if (attributes[i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
      *static_cast<unsigned int*>(data[i]) = bytes == 0 ? 0 : CU_MEMORYTYPE_DEVICE;
    if (attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL) *static_cast<int*>(data[i]) = 0;
    if (attributes[i] == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR) *static_cast<CUdeviceptr*>(data[i]) = range;
    if (attributes[i] == CU_POINTER_ATTRIBUTE_RANGE_SIZE) *static_cast<std::size_t*>(data[i]) = bytes;
  }
  return CUDA_SUCCESS;
}

namespace {

CUresult load_module(CUmodule* module, const void* image) {
  auto& gpu = device();
  auto* made = new CUmod_st;
  made->context = current_context();
  made->id = next_id();
  made->cubin = static_cast<const char*>(image);
  keep(made);
  const auto statements = parse_script(made->cubin);
  for (auto& kernel : kernels_in(statements)) {
    const std::lock_guard lock(gpu.mutex);
    CUfunc_st* function = nullptr;
    if (gpu.free_functions.empty()) {
      function = new CUfunc_st;
    } else {
      function = gpu.free_functions.back();
      gpu.free_functions.pop_back();
    }
    function->kernel = &gpu.kernels.emplace_back(std::move(kernel));
    function->module = made;
    made->functions.push_back(function);
  }
  *module = made;
  if (made->cubin.find("# lazy") == std::string::npos) announce(*made);
  if (auto* listener = gpu.listener.load()) listener->code_changed();
  return CUDA_SUCCESS;
}

CUresult unload_module(CUmodule module) {
  if (auto* listener = device().listener.load()) listener->code_changed();
  CUpti_ModuleResourceData data{};
  data.moduleId = module->id;
  const std::lock_guard loading(device().loading);
  tell_resource(CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING, module->context, &data);
  auto& gpu = device();
  const std::lock_guard lock(gpu.mutex);
  for (auto* function : module->functions) gpu.free_functions.push_back(function);
  module->functions.clear();
  module->unloaded = true;
  return CUDA_SUCCESS;
}

}  // namespace

// The image is the module's part of the script; "lazy": the driver loads it when a function of it is
// launched; "built in": it is the program's own, which the real runtime hands over as a part of the program's
// file; where it lies in none, the call is hidden.
CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  if (const auto code = ready(); code != CUDA_SUCCESS) return code;
  Dl_info holder{};
  const bool in_file = dladdr(image, &holder) != 0;
  if (!in_file && std::strncmp(static_cast<const char*>(image), kBuiltIn, std::strlen(kBuiltIn)) == 0)
    return load_module(module, image);
  return driver_call(CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData, "cuModuleLoadData",
                     cuModuleLoadData_params{module, image}, nullptr,
                     [&] { return load_module(module, image); });
}

CUresult cuModuleUnload(CUmodule module) {
  if (const auto code = ready(); code != CUDA_SUCCESS) return code;
  return driver_call(CUPTI_DRIVER_TRACE_CBID_cuModuleUnload, "cuModuleUnload", cuModuleUnload_params{module},
                     nullptr, [&] { return unload_module(module); });
}

CUresult cuFuncGetModule(CUmodule* module, CUfunction function) {
  STANDIN_DRIVER_FAULT(cuFuncGetModule);
  *module = function->module;
  return CUDA_SUCCESS;
}

CUresult cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  STANDIN_DRIVER_FAULT(cuMemGetInfo_v2);
  *free = static_cast<std::size_t>(std::max<std::int64_t>(0, device().free_bytes));
  *total = std::size_t{80} << 30;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  if (const auto code = ready(); code != CUDA_SUCCESS) return code;
  for (auto* each : module->functions) {
    if (each->kernel->name != name) continue;
    *function = each;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_NOT_FOUND;
}
}
