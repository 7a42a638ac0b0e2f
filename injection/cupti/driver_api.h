#pragma once
// The few driver functions that the recorder calls itself, taken from the libcuda that the target runs on.

#include <cstdint>
#include <cuda.h>
#include <functional>
#include <optional>
#include <vector>

#include "core/base/error.h"
#include "core/model/device.h"
#include "core/model/memory.h"
#include "injection/recorder/parameter_words.h"

namespace coalescope::cupti {

class DriverApi {
 public:
  [[nodiscard]] static base::Result<DriverApi> load();

  // Waits for all work of a context. Allowed inside a launch callback; never call it while a stream captures.
  [[nodiscard]] base::Result<void> synchronize(CUcontext context) const;
  // The same without waiting, in drivers for CUDA 12.5 and later: the event is complete once the work that
  // the context has now is done. nullptr: the event is created.
  [[nodiscard]] bool can_mark() const {
    return cuCtxRecordEvent_ != nullptr && cuEventCreate_ != nullptr && cuEventQuery_ != nullptr;
  }
  [[nodiscard]] CUresult mark(CUcontext context, CUevent& event) const;
  [[nodiscard]] CUresult query(CUevent event) const { return cuEventQuery_(event); }

  // Whether launches into the stream become nodes of a graph instead of being run. Where the driver does not
  // tell: yes.
  [[nodiscard]] bool is_in_stream_capture(CUstream stream) const;

  // Free bytes of a context's GPU (nullptr: of the current context's); nullopt: the driver does not tell.
  [[nodiscard]] std::optional<std::int64_t> free_bytes(CUcontext context) const;
  // The module, or where it tells no module the library, that a function belongs to; 0: the driver does not
  // tell.
  [[nodiscard]] std::uint64_t code_of(CUfunction function) const;
  // The module that a library is in the current context; 0: none.
  [[nodiscard]] std::uint64_t module_of(CUlibrary library) const;

  // Everything but ids and the chip's name; a property that the driver does not tell stays empty.
  [[nodiscard]] base::Result<model::Device> describe(std::int32_t ordinal) const;
  // The same GPU has the same in all processes; empty where the driver does not tell.
  [[nodiscard]] std::string uuid(std::int32_t ordinal) const;
  [[nodiscard]] std::int64_t version() const;
  [[nodiscard]] int device_count() const;

  // Where the pointers among a launch's parameters point to, without a group. Only attributes are asked for,
  // which waits for nothing.
  [[nodiscard]] bool can_describe_pointers() const;
  [[nodiscard]] std::vector<model::GroupPointer> describe_pointers(const recorder::LaunchInfo& launch) const;
  // Of a function, or of a kernel of a library in a function's clothes; nullopt: the driver does not tell.
  [[nodiscard]] std::optional<std::vector<recorder::ParameterPlace>> parameters(CUfunction function) const;
  // Memory of the GPU, managed or pinned.
  [[nodiscard]] bool knows_address(CUdeviceptr address) const {
    return describe_pointer(address).has_value();
  }

  // nullptr: the context that is current.
  [[nodiscard]] CUresult in_context(CUcontext context, const std::function<CUresult()>& call) const;

 private:
  [[nodiscard]] CUresult parameter(CUfunction function, std::size_t index,
                                   recorder::ParameterPlace& found) const;
  [[nodiscard]] std::optional<model::GroupPointer> describe_pointer(CUdeviceptr address) const;

  decltype(&::cuCtxGetCurrent) cuCtxGetCurrent_ = nullptr;
  decltype(&::cuCtxPushCurrent) cuCtxPushCurrent_ = nullptr;
  decltype(&::cuCtxPopCurrent) cuCtxPopCurrent_ = nullptr;
  decltype(&::cuCtxSynchronize) cuCtxSynchronize_ = nullptr;
  decltype(&::cuDeviceGet) cuDeviceGet_ = nullptr;
  decltype(&::cuDeviceGetName) cuDeviceGetName_ = nullptr;
  decltype(&::cuDeviceGetUuid_v2) cuDeviceGetUuid_ = nullptr;
  decltype(&::cuDeviceTotalMem) cuDeviceTotalMem_ = nullptr;
  decltype(&::cuDeviceGetAttribute) cuDeviceGetAttribute_ = nullptr;
  decltype(&::cuDeviceGetPCIBusId) cuDeviceGetPCIBusId_ = nullptr;
  decltype(&::cuDriverGetVersion) cuDriverGetVersion_ = nullptr;
  // Absent in older drivers.
  decltype(&::cuDeviceGetCount) cuDeviceGetCount_ = nullptr;
  decltype(&::cuFuncGetModule) cuFuncGetModule_ = nullptr;
  decltype(&::cuKernelGetLibrary) cuKernelGetLibrary_ = nullptr;
  decltype(&::cuLibraryGetModule) cuLibraryGetModule_ = nullptr;
  decltype(&::cuMemGetInfo) cuMemGetInfo_ = nullptr;
  decltype(&::cuFuncGetParamInfo) cuFuncGetParamInfo_ = nullptr;
  decltype(&::cuKernelGetParamInfo) cuKernelGetParamInfo_ = nullptr;
  decltype(&::cuPointerGetAttributes) cuPointerGetAttributes_ = nullptr;
  decltype(&::cuStreamIsCapturing) cuStreamIsCapturing_ = nullptr;
  decltype(&::cuCtxRecordEvent) cuCtxRecordEvent_ = nullptr;
  decltype(&::cuEventCreate) cuEventCreate_ = nullptr;
  decltype(&::cuEventQuery) cuEventQuery_ = nullptr;
};

// The error of a wait for the GPU that ended with this code.
[[nodiscard]] base::Result<void> waiting_failed(CUresult code);

}  // namespace coalescope::cupti
