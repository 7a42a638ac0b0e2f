#include "injection/cupti/launch_calls.h"

#include <cuda.h>

#include "injection/cupti/memory_calls.h"

namespace coalescope::cupti {
namespace {

using recorder::LaunchInfo;

template <class Source>
recorder::Shape shape_of(const Source& launch) {
  recorder::Shape shape;
  shape.grid = {launch.gridDimX, launch.gridDimY, launch.gridDimZ};
  shape.block = {launch.blockDimX, launch.blockDimY, launch.blockDimZ};
  shape.dynamic_shared_bytes = launch.sharedMemBytes;
  return shape;
}

void read_attributes(const CUlaunchConfig& config, LaunchInfo& launch) {
  for (const CUlaunchAttribute* each = config.attrs; each != config.attrs + config.numAttrs; ++each) {
    if (each->id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) launch.cooperative = each->value.cooperative != 0;
    if (each->id == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW)
      launch.l2_window = l2_window_of(each->value.accessPolicyWindow);
  }
}

// `extra` is a list of names, each followed by its value.
void read_parameters(void** parameters, void** extra, LaunchInfo& launch) {
  launch.parameters = parameters;
  if (parameters != nullptr || extra == nullptr) return;
  const std::byte* buffer = nullptr;
  std::size_t bytes = 0;
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = static_cast<const std::byte*>(extra[1]);
    if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) bytes = *static_cast<const std::size_t*>(extra[1]);
  }
  if (buffer != nullptr) launch.parameter_buffer = {buffer, bytes};
}

}  // namespace

LaunchInfo decode_launch(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  LaunchInfo launch;
  CUfunction function = nullptr;
  CUstream stream = nullptr;
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz: {
      const auto& call = *static_cast<const cuLaunchKernelEx_params*>(data.functionParams);
      function = call.f;
      stream = call.config->hStream;
      launch.shape = shape_of(*call.config);
      read_attributes(*call.config, launch);
      read_parameters(call.kernelParams, call.extra, launch);
      break;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz: {
      const auto& call = *static_cast<const cuLaunchCooperativeKernel_params*>(data.functionParams);
      function = call.f;
      stream = call.hStream;
      launch.shape = shape_of(call);
      launch.cooperative = true;
      read_parameters(call.kernelParams, nullptr, launch);
      break;
    }
    default: {
      const auto& call = *static_cast<const cuLaunchKernel_params*>(data.functionParams);
      function = call.f;
      stream = call.hStream;
      launch.shape = shape_of(call);
      read_parameters(call.kernelParams, call.extra, launch);
    }
  }
  launch.correlation = data.correlationId;
  launch.function = reinterpret_cast<std::uint64_t>(function);
  launch.stream = reinterpret_cast<std::uint64_t>(stream);
  launch.kernel_name = data.symbolName == nullptr ? "(unnamed)" : data.symbolName;
  return launch;
}

}  // namespace coalescope::cupti
