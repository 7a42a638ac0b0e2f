#pragma once
// The few driver functions that the recorder calls itself, taken from the libcuda that the target runs on.

#include <cstdint>
#include <cuda.h>

#include "core/base/error.h"
#include "core/model/device.h"

namespace coalescope::cupti {

class DriverApi {
 public:
  [[nodiscard]] static base::Result<DriverApi> load();

  // Waits for all work of a context. Allowed inside a launch callback; never call it while a stream captures.
  [[nodiscard]] base::Result<void> synchronize(CUcontext context) const;

  // Everything but ids and the chip's name; a property that the driver does not tell stays empty.
  [[nodiscard]] base::Result<model::Device> describe(std::int32_t ordinal) const;
  [[nodiscard]] std::int64_t version() const;

 private:
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
};

}  // namespace coalescope::cupti
