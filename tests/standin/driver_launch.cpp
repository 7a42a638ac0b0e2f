// The stand-in's libcuda.so.1, second part: launches, streams, stream captures and copies.

#include <chrono>
#include <cstdlib>
#include <optional>
#include <thread>
#include <utility>

#include "tests/standin/driver_call.h"
#include "tests/standin/player_calls.h"

namespace standin {
namespace {

// A kernel that a script lets fail or run on; set by standin_next_launch().
thread_local int next_error = 0;
thread_local Lasts next_lasts = Lasts::no;

CUresult run_or_record(Run run, CUstream stream) {
  run.correlation = correlation_id;
  announce(*run.function->module);
  CUpti_GraphData made{};
  {
    const std::lock_guard lock(device().mutex);
    if (stream != nullptr && stream->recording != nullptr) {
      if (stream->spoiled) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
      stream->recording->nodes.push_back({run});
      stream->recording->nodes.back().run.node = next_id();
      made.node = &stream->recording->nodes.back();
      made.nodeType = CU_GRAPH_NODE_TYPE_KERNEL;
    }
  }
  if (made.node != nullptr) {
    tell_resource(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, run.context, &made);
    return CUDA_SUCCESS;
  }
  if (run.waits) ++device().waiting;
  if (auto* listener = device().listener.load()) listener->kernel_ran(run);
  if (const int error = std::exchange(next_error, 0)) run.context->sticky_error = error;
  return CUDA_SUCCESS;
}

template <class Launch>
Run run_of(CUfunction function, CUstream stream, const Launch& launch, void* const* parameters,
           bool per_thread) {
  Run run;
  run.function = function;
  if (function->kernel->has_parameter) run.parameter = *static_cast<std::int64_t*>(parameters[0]);
  run.context = current_context();
  if (run.context != nullptr) run.stream = stream_id(run.context, stream, per_thread);
  run.grid[0] = launch.gridDimX;
  run.grid[1] = launch.gridDimY;
  run.grid[2] = launch.gridDimZ;
  run.block[0] = launch.blockDimX;
  run.block[1] = launch.blockDimY;
  run.block[2] = launch.blockDimZ;
  run.shared_bytes = launch.sharedMemBytes;
  const auto lasts = std::exchange(next_lasts, Lasts::no);
  run.unfinished = lasts != Lasts::no;
  run.waits = lasts == Lasts::until_answered;
  return run;
}

template <class Params>
CUresult launch(CUpti_CallbackId id, const char* name, const Params& params, bool per_thread) {
  const auto run = run_of(params.f, params.hStream, params, params.kernelParams, per_thread);
  return driver_call(id, name, params, &params.f->kernel->name,
                     [&] { return run_or_record(run, params.hStream); });
}

CUresult launch_ex(CUpti_CallbackId id, const char* name, const cuLaunchKernelEx_params& params,
                   bool per_thread) {
  const auto run = run_of(params.f, params.config->hStream, *params.config, params.kernelParams, per_thread);
  return driver_call(id, name, params, &params.f->kernel->name,
                     [&] { return run_or_record(run, params.config->hStream); });
}

template <class Params>
CUresult copy(CUpti_CallbackId id, const char* name, const Params& params, Copy what) {
  return driver_call(id, name, params, nullptr, [&] {
    what.correlation = correlation_id;
    if (auto* listener = device().listener.load()) listener->copied(what);
    if (!what.asynchronous) std::this_thread::sleep_for(std::chrono::nanoseconds(what.bytes));  // as recorded
    return CUDA_SUCCESS;
  });
}

// Device memory is a number here, as the handles are.
CUresult allocate(CUdeviceptr& memory, std::size_t bytes) {
  static std::atomic<CUdeviceptr> next{0x7f0000000000};
  const auto wanted = static_cast<std::int64_t>(bytes);
  if (device().free_bytes < wanted) return CUDA_ERROR_OUT_OF_MEMORY;
  device().free_bytes -= wanted;
  memory = next.fetch_add((bytes + 511) / 512 * 512);
  const std::lock_guard lock(device().mutex);
  device().allocations[memory] = bytes;
  return CUDA_SUCCESS;
}

}  // namespace
}  // namespace standin

using namespace standin;

extern "C" {

void standin_next_launch(int error, Lasts lasts) {
  next_error = error;
  next_lasts = lasts;
}
void standin_answer() {
  device().waiting = 0;
  if (auto* listener = device().listener.load()) listener->answered();
}
void standin_migrate(std::uint64_t address, std::uint64_t bytes) {
  if (auto* listener = device().listener.load()) listener->migrated({0, address, bytes});
}
int standin_migrations_on() {
  auto* const listener = device().listener.load();
  return listener != nullptr && listener->migrations_on() ? 1 : 0;
}
void standin_free_memory(std::int64_t bytes) {
  device().free_bytes = bytes;
}
void standin_records(std::int64_t drop, int hold) {
  device().records_to_drop += drop;
  device().hold_records = hold != 0;
}

CUresult cuLaunchKernel(CUfunction f, unsigned gridDimX, unsigned gridDimY, unsigned gridDimZ,
                        unsigned blockDimX, unsigned blockDimY, unsigned blockDimZ, unsigned sharedMemBytes,
                        CUstream hStream, void** kernelParams, void** extra) {
  const cuLaunchKernel_params params{f,         gridDimX,       gridDimY, gridDimZ,     blockDimX, blockDimY,
                                     blockDimZ, sharedMemBytes, hStream,  kernelParams, extra};
  return launch(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, "cuLaunchKernel", params, false);
}

CUresult cuLaunchKernel_ptsz(CUfunction f, unsigned gridDimX, unsigned gridDimY, unsigned gridDimZ,
                             unsigned blockDimX, unsigned blockDimY, unsigned blockDimZ,
                             unsigned sharedMemBytes, CUstream hStream, void** kernelParams, void** extra) {
  const cuLaunchKernel_params params{f,         gridDimX,       gridDimY, gridDimZ,     blockDimX, blockDimY,
                                     blockDimZ, sharedMemBytes, hStream,  kernelParams, extra};
  return launch(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz, "cuLaunchKernel_ptsz", params, true);
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned gridDimX, unsigned gridDimY, unsigned gridDimZ,
                                   unsigned blockDimX, unsigned blockDimY, unsigned blockDimZ,
                                   unsigned sharedMemBytes, CUstream hStream, void** kernelParams) {
  const cuLaunchCooperativeKernel_params params{f,         gridDimX,  gridDimY,       gridDimZ, blockDimX,
                                                blockDimY, blockDimZ, sharedMemBytes, hStream,  kernelParams};
  return launch(CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel, "cuLaunchCooperativeKernel", params,
                false);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction f, void** kernelParams, void** extra) {
  STANDIN_DRIVER_FAULT(cuLaunchKernelEx);
  return launch_ex(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, "cuLaunchKernelEx",
                   {config, f, kernelParams, extra}, false);
}

CUresult cuStreamCreate(CUstream* stream, unsigned) {
  if (const auto code = ready(); code != CUDA_SUCCESS) return code;
  auto* made = new CUstream_st;
  made->id = next_id();
  made->context = current_context();
  const std::lock_guard lock(device().mutex);
  device().streams.insert(made);
  *stream = made;
  return CUDA_SUCCESS;
}

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
  const cuStreamBeginCapture_v2_params params{stream, mode};
  return driver_call(CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2, "cuStreamBeginCapture_v2", params,
                     nullptr, [&] {
                       const std::lock_guard lock(device().mutex);
                       if (stream->recording != nullptr) return CUDA_ERROR_ILLEGAL_STATE;
                       stream->recording = new CUgraph_st;
                       device().kept.push_back(stream->recording);
                       stream->spoiled = false;
                       ++device().open_stream_captures;
                       return CUDA_SUCCESS;
                     });
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  const cuStreamEndCapture_params params{stream, graph};
  return driver_call(CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture, "cuStreamEndCapture", params, nullptr, [&] {
    const std::lock_guard lock(device().mutex);
    if (stream->recording == nullptr) return CUDA_ERROR_ILLEGAL_STATE;
    *graph = std::exchange(stream->recording, nullptr);
    --device().open_stream_captures;
    return stream->spoiled ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS;
  });
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  const std::lock_guard lock(device().mutex);
  const bool recording = stream != nullptr && stream != CU_STREAM_PER_THREAD && stream->recording != nullptr;
  *status = recording ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}

CUresult cuStreamGetId(CUstream stream, unsigned long long* id) {
  STANDIN_DRIVER_FAULT(cuStreamGetId);
  const bool per_thread = stream == CU_STREAM_PER_THREAD;
  *id = stream_id(current_context(), per_thread ? nullptr : stream, per_thread);
  return CUDA_SUCCESS;
}

CUresult cuStreamWaitEvent(CUstream, CUevent event, unsigned) {
  STANDIN_DRIVER_FAULT(cuStreamWaitEvent);
  return event->recorded ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuEventDestroy_v2(CUevent) {  // kept
  return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent* event, unsigned flags) {
  STANDIN_DRIVER_FAULT(cuEventCreate);
  return driver_call(CUPTI_DRIVER_TRACE_CBID_cuEventCreate, "cuEventCreate",
                     cuEventCreate_params{event, flags}, nullptr, [&] {
                       *event = new CUevent_st;
                       keep(*event);
                       return CUDA_SUCCESS;
                     });
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  STANDIN_DRIVER_FAULT(cuEventRecord);
  return driver_call(CUPTI_DRIVER_TRACE_CBID_cuEventRecord, "cuEventRecord",
                     cuEventRecord_params{event, stream}, nullptr, [&] {
                       event->recorded = true;
                       return CUDA_SUCCESS;
                     });
}

CUresult cuEventElapsedTime_v2(float* milliseconds, CUevent start, CUevent end) {
  return driver_call(CUPTI_DRIVER_TRACE_CBID_cuEventElapsedTime_v2, "cuEventElapsedTime_v2",
                     cuEventElapsedTime_v2_params{milliseconds, start, end}, nullptr, [&] {
                       if (!start->recorded || !end->recorded) return CUDA_ERROR_INVALID_HANDLE;
                       *milliseconds = 1;
                       return CUDA_SUCCESS;
                     });
}

CUresult cuMemAlloc_v2(CUdeviceptr* memory, std::size_t bytes) {
  return driver_call(CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2, "cuMemAlloc_v2",
                     cuMemAlloc_v2_params{memory, bytes}, nullptr, [&] { return allocate(*memory, bytes); });
}

CUresult cuMemAllocManaged(CUdeviceptr* memory, std::size_t bytes, unsigned flags) {
  return driver_call(CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged, "cuMemAllocManaged",
                     cuMemAllocManaged_params{memory, bytes, flags}, nullptr,
                     [&] { return allocate(*memory, bytes); });
}

// Memory of the host is pinned for nobody here, and takes the time that the script says.
CUresult cuMemHostAlloc(void** memory, std::size_t bytes, unsigned flags) {
  return driver_call(CUPTI_DRIVER_TRACE_CBID_cuMemHostAlloc, "cuMemHostAlloc",
                     cuMemHostAlloc_params{memory, bytes, flags}, nullptr, [&] {
                       if (const auto code = fault("cuMemHostAlloc")) return static_cast<CUresult>(*code);
                       *memory = std::malloc(bytes);
                       return *memory == nullptr ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
                     });
}

CUresult cuMemFreeHost(void* memory) {
  return driver_call(CUPTI_DRIVER_TRACE_CBID_cuMemFreeHost, "cuMemFreeHost", cuMemFreeHost_params{memory},
                     nullptr, [&] {
                       if (const auto code = fault("cuMemFreeHost")) return static_cast<CUresult>(*code);
                       std::free(memory);
                       return CUDA_SUCCESS;
                     });
}

CUresult cuMemHostRegister_v2(void* memory, std::size_t bytes, unsigned flags) {
  return driver_call(CUPTI_DRIVER_TRACE_CBID_cuMemHostRegister_v2, "cuMemHostRegister_v2",
                     cuMemHostRegister_v2_params{memory, bytes, flags}, nullptr, [&] {
                       const auto code = fault("cuMemHostRegister");
                       return code ? static_cast<CUresult>(*code) : CUDA_SUCCESS;
                     });
}

CUresult cuMemHostUnregister(void* memory) {
  return driver_call(CUPTI_DRIVER_TRACE_CBID_cuMemHostUnregister, "cuMemHostUnregister",
                     cuMemHostUnregister_params{memory}, nullptr, [&] {
                       const auto code = fault("cuMemHostUnregister");
                       return code ? static_cast<CUresult>(*code) : CUDA_SUCCESS;
                     });
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, std::size_t bytes) {
  return copy(
      CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2, "cuMemcpyHtoD_v2", cuMemcpyHtoD_v2_params{to, from, bytes},
      {current_context(), current_context() == nullptr ? 0 : stream_id(current_context(), nullptr, false),
       CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE,
       CUPTI_ACTIVITY_MEMORY_KIND_DEVICE, bytes, false});
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return copy(
      CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoDAsync_v2, "cuMemcpyDtoDAsync_v2",
      cuMemcpyDtoDAsync_v2_params{to, from, bytes, stream},
      {current_context(), current_context() == nullptr ? 0 : stream_id(current_context(), stream, false),
       CUPTI_ACTIVITY_MEMCPY_KIND_DTOD, CUPTI_ACTIVITY_MEMORY_KIND_DEVICE, CUPTI_ACTIVITY_MEMORY_KIND_DEVICE,
       bytes, true});
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream stream) {
  return copy(
      CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async, "cuMemsetD8Async",
      cuMemsetD8Async_params{to, value, bytes, stream},
      {current_context(), current_context() == nullptr ? 0 : stream_id(current_context(), stream, false),
       std::nullopt, CUPTI_ACTIVITY_MEMORY_KIND_UNKNOWN, CUPTI_ACTIVITY_MEMORY_KIND_DEVICE, bytes, true});
}

CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return copy(
      CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoHAsync_v2, "cuMemcpyDtoHAsync_v2",
      cuMemcpyDtoHAsync_v2_params{to, from, bytes, stream},
      {current_context(), current_context() == nullptr ? 0 : stream_id(current_context(), stream, false),
       CUPTI_ACTIVITY_MEMCPY_KIND_DTOH, CUPTI_ACTIVITY_MEMORY_KIND_DEVICE, CUPTI_ACTIVITY_MEMORY_KIND_PINNED,
       bytes, true});
}
}
