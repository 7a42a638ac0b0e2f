#include "injection/cupti/driver_api.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <dlfcn.h>
#include <fmt/format.h>
#include <optional>
#include <string>

#include "injection/cupti/guarded.h"

namespace coalescope::cupti {
namespace {

using base::ErrorCode;

// Pointers inside larger structures are few and far between.
constexpr std::size_t kMostStructureBytes = 4096;
// What programs get from CUDA lies between these; the driver is not asked about other numbers.
constexpr CUdeviceptr kFirstAddress = 1 << 16, kLastAddress = (CUdeviceptr{1} << 57) - 1;

struct Property {
  CUdevice_attribute attribute;
  std::optional<std::int64_t> model::Device::*member;
};
constexpr std::array kProperties{
    Property{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &model::Device::compute_capability_major},
    Property{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &model::Device::compute_capability_minor},
    Property{CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &model::Device::multiprocessors},
    Property{CU_DEVICE_ATTRIBUTE_CLOCK_RATE, &model::Device::clock_khz},
    Property{CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, &model::Device::memory_clock_khz},
    Property{CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, &model::Device::memory_bus_bits},
    Property{CU_DEVICE_ATTRIBUTE_ECC_ENABLED, &model::Device::ecc},
    Property{CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, &model::Device::l2_bytes},
    Property{CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE, &model::Device::persisting_l2_max_bytes},
    Property{CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE,
             &model::Device::access_policy_max_window_bytes},
    Property{CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, &model::Device::constant_bytes},
    Property{CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, &model::Device::shared_bytes_per_block},
    Property{CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
             &model::Device::shared_bytes_per_block_optin},
    Property{CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
             &model::Device::shared_bytes_per_multiprocessor},
    Property{CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR,
             &model::Device::registers_per_multiprocessor},
    Property{CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
             &model::Device::max_threads_per_multiprocessor},
    Property{CU_DEVICE_ATTRIBUTE_WARP_SIZE, &model::Device::warp_size},
    Property{CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, &model::Device::copy_engines},
    Property{CU_DEVICE_ATTRIBUTE_INTEGRATED, &model::Device::integrated},
    Property{CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, &model::Device::can_map_host_memory},
    Property{CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, &model::Device::unified_addressing},
    Property{CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, &model::Device::managed_memory},
    Property{CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, &model::Device::concurrent_managed_access},
    Property{CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, &model::Device::pageable_memory_access},
    Property{CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED, &model::Device::host_native_atomics},
    Property{CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, &model::Device::memory_pools},
};

std::string uuid_text(const CUuuid& uuid) {
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

}  // namespace

base::Result<DriverApi> DriverApi::load() {
  // The driver loaded us, so it is in memory; we must never be the ones who load it.
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return base::failure(ErrorCode::not_found, "libcuda.so.1 is not loaded");
  DriverApi api;
  const char* missing = nullptr;
  const auto load = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    if (function == nullptr) missing = name;
  };
  load(api.cuCtxGetCurrent_, "cuCtxGetCurrent");
  load(api.cuCtxPushCurrent_, "cuCtxPushCurrent_v2");
  load(api.cuCtxPopCurrent_, "cuCtxPopCurrent_v2");
  load(api.cuCtxSynchronize_, "cuCtxSynchronize");
  load(api.cuDeviceGet_, "cuDeviceGet");
  load(api.cuDeviceGetName_, "cuDeviceGetName");
  load(api.cuDeviceGetUuid_, "cuDeviceGetUuid_v2");
  load(api.cuDeviceTotalMem_, "cuDeviceTotalMem_v2");
  load(api.cuDeviceGetAttribute_, "cuDeviceGetAttribute");
  load(api.cuDeviceGetPCIBusId_, "cuDeviceGetPCIBusId");
  load(api.cuDriverGetVersion_, "cuDriverGetVersion");
  if (missing != nullptr)
    return base::failure(ErrorCode::unsupported, std::string("libcuda.so.1 has no function ") + missing,
                         "install a driver of branch 580 or later");
  const auto load_optional = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
  };
  load_optional(api.cuDeviceGetCount_, "cuDeviceGetCount");
  load_optional(api.cuFuncGetModule_, "cuFuncGetModule");
  load_optional(api.cuFuncGetParamInfo_, "cuFuncGetParamInfo");
  load_optional(api.cuKernelGetLibrary_, "cuKernelGetLibrary");
  load_optional(api.cuLibraryGetModule_, "cuLibraryGetModule");
  load_optional(api.cuMemGetInfo_, "cuMemGetInfo_v2");
  load_optional(api.cuKernelGetParamInfo_, "cuKernelGetParamInfo");
  load_optional(api.cuPointerGetAttributes_, "cuPointerGetAttributes");
  load_optional(api.cuStreamIsCapturing_, "cuStreamIsCapturing");
  load_optional(api.cuEventCreate_, "cuEventCreate");
  load_optional(api.cuEventQuery_, "cuEventQuery");
  load_optional(api.cuCtxRecordEvent_, "cuCtxRecordEvent");
  return api;
}

CUresult DriverApi::in_context(CUcontext context, const std::function<CUresult()>& call) const {
  CUcontext current = nullptr;
  CUresult code = cuCtxGetCurrent_(&current);
  const bool push = code == CUDA_SUCCESS && context != nullptr && current != context;
  if (push) code = cuCtxPushCurrent_(context);
  if (code != CUDA_SUCCESS) return code;
  code = call();
  if (push) (void)cuCtxPopCurrent_(&current);
  return code;
}

std::optional<std::int64_t> DriverApi::free_bytes(CUcontext context) const {
  if (cuMemGetInfo_ == nullptr) return std::nullopt;
  std::size_t free = 0;
  std::size_t total = 0;
  if (in_context(context, [&] { return cuMemGetInfo_(&free, &total); }) != CUDA_SUCCESS) return std::nullopt;
  return static_cast<std::int64_t>(free);
}

std::uint64_t DriverApi::code_of(CUfunction function) const {
  CUmodule module = nullptr;
  if (cuFuncGetModule_ != nullptr && cuFuncGetModule_(&module, function) == CUDA_SUCCESS)
    return reinterpret_cast<std::uint64_t>(module);
  // A kernel of a library may be launched by its own handle.
  CUlibrary library = nullptr;
  auto* const kernel = reinterpret_cast<CUkernel>(function);
  if (cuKernelGetLibrary_ == nullptr || cuKernelGetLibrary_(&library, kernel) != CUDA_SUCCESS) return 0;
  return reinterpret_cast<std::uint64_t>(library);
}

std::uint64_t DriverApi::module_of(CUlibrary library) const {
  CUmodule module = nullptr;
  if (cuLibraryGetModule_ == nullptr || cuLibraryGetModule_(&module, library) != CUDA_SUCCESS) return 0;
  return reinterpret_cast<std::uint64_t>(module);
}

base::Result<void> DriverApi::synchronize(CUcontext context) const {
  const CUresult code = in_context(context, cuCtxSynchronize_);
  if (code == CUDA_SUCCESS) return {};
  return waiting_failed(code);
}

CUresult DriverApi::mark(CUcontext context, CUevent& event) const {
  return in_context(context, [&] {
    const CUresult made = event == nullptr ? cuEventCreate_(&event, CU_EVENT_DISABLE_TIMING) : CUDA_SUCCESS;
    return made == CUDA_SUCCESS ? cuCtxRecordEvent_(context, event) : made;
  });
}

bool DriverApi::is_in_stream_capture(CUstream stream) const {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
  if (cuStreamIsCapturing_ == nullptr || cuStreamIsCapturing_(stream, &status) != CUDA_SUCCESS) return true;
  return status != CU_STREAM_CAPTURE_STATUS_NONE;
}

std::string DriverApi::uuid(std::int32_t ordinal) const {
  CUdevice handle = 0;
  CUuuid uuid{};
  const bool known =
      cuDeviceGet_(&handle, ordinal) == CUDA_SUCCESS && cuDeviceGetUuid_(&uuid, handle) == CUDA_SUCCESS;
  return known ? uuid_text(uuid) : std::string();
}

base::Result<model::Device> DriverApi::describe(std::int32_t ordinal) const {
  CUdevice handle = 0;
  if (const CUresult code = cuDeviceGet_(&handle, ordinal); code != CUDA_SUCCESS)
    return base::failure(ErrorCode::failed, "device " + std::to_string(ordinal) +
                                                " cannot be described: CUDA error " + std::to_string(code));
  model::Device device;
  device.ordinal = ordinal;
  std::array<char, 256> text{};
  if (cuDeviceGetName_(text.data(), static_cast<int>(text.size()), handle) == CUDA_SUCCESS)
    device.name = text.data();
  if (cuDeviceGetPCIBusId_(text.data(), static_cast<int>(text.size()), handle) == CUDA_SUCCESS)
    device.pci_bus_id = text.data();
  device.uuid = uuid(ordinal);
  if (std::size_t bytes = 0; cuDeviceTotalMem_(&bytes, handle) == CUDA_SUCCESS)
    device.memory_bytes = static_cast<std::int64_t>(bytes);
  for (const auto& property : kProperties) {
    int value = 0;
    if (cuDeviceGetAttribute_(&value, property.attribute, handle) == CUDA_SUCCESS)
      device.*property.member = value;
  }
  return device;
}

std::int64_t DriverApi::version() const {
  int version = 0;
  (void)cuDriverGetVersion_(&version);
  return version;
}

int DriverApi::device_count() const {
  int count = 0;
  if (cuDeviceGetCount_ == nullptr || cuDeviceGetCount_(&count) != CUDA_SUCCESS) return 0;
  return count;
}

bool DriverApi::can_describe_pointers() const {
  return cuPointerGetAttributes_ != nullptr &&
         (cuFuncGetParamInfo_ != nullptr || cuKernelGetParamInfo_ != nullptr);
}

// What is launched is a function, or a kernel of a library in a function's clothes.
CUresult DriverApi::parameter(CUfunction function, std::size_t index, recorder::ParameterPlace& found) const {
  // Asked for the first time this loads the function's module, as the launch would have done.
  const Outside outside;
  const CUresult code = cuFuncGetParamInfo_ == nullptr
                            ? CUDA_ERROR_NOT_SUPPORTED
                            : cuFuncGetParamInfo_(function, index, &found.offset, &found.bytes);
  if (code == CUDA_SUCCESS || cuKernelGetParamInfo_ == nullptr) return code;
  const CUresult of_kernel =
      cuKernelGetParamInfo_(reinterpret_cast<CUkernel>(function), index, &found.offset, &found.bytes);
  return code == CUDA_ERROR_INVALID_VALUE && of_kernel != CUDA_SUCCESS ? code : of_kernel;
}

std::optional<std::vector<recorder::ParameterPlace>> DriverApi::parameters(CUfunction function) const {
  std::vector<recorder::ParameterPlace> found;
  recorder::ParameterPlace next;
  CUresult code = CUDA_SUCCESS;
  while ((code = parameter(function, found.size(), next)) == CUDA_SUCCESS) found.push_back(next);
  if (code != CUDA_ERROR_INVALID_VALUE) return std::nullopt;  // it is not that there are no more
  return found;
}

std::optional<model::GroupPointer> DriverApi::describe_pointer(CUdeviceptr address) const {
  unsigned int type = 0;
  unsigned int managed = 0;  // the driver writes a bool, or an int: room for both
  int ordinal = -1;
  CUdeviceptr range = 0;
  std::size_t range_bytes = 0;
  std::array attributes{CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                        CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                        CU_POINTER_ATTRIBUTE_RANGE_SIZE};
  std::array<void*, 5> values{&type, &managed, &ordinal, &range, &range_bytes};
  // An address that CUDA does not know is no error: its type is then 0.
  if (cuPointerGetAttributes_(static_cast<unsigned int>(attributes.size()), attributes.data(), values.data(),
                              address) != CUDA_SUCCESS ||
      type == 0)
    return std::nullopt;
  model::GroupPointer row;
  row.address = static_cast<std::int64_t>(address);
  const bool on_host = type == CU_MEMORYTYPE_HOST;
  row.memory = managed != 0                  ? model::MemoryKind::managed
               : on_host                     ? model::MemoryKind::pinned
               : type == CU_MEMORYTYPE_ARRAY ? model::MemoryKind::array
                                             : model::MemoryKind::device;
  if (!on_host && ordinal >= 0) row.device_id = model::DeviceId{ordinal + 1};
  if (range_bytes != 0) {
    row.range_address = static_cast<std::int64_t>(range);
    row.range_bytes = static_cast<std::int64_t>(range_bytes);
  }
  return row;
}

std::vector<model::GroupPointer> DriverApi::describe_pointers(const recorder::LaunchInfo& launch) const {
  std::vector<model::GroupPointer> rows;
  const auto places = this->parameters(reinterpret_cast<CUfunction>(launch.function));
  for (std::size_t i = 0; places && i < places->size(); ++i) {
    const auto [offset, bytes] = (*places)[i];
    const auto* const value = static_cast<const std::byte*>(launch.parameter(i, offset, bytes));
    if (value == nullptr) continue;
    for (std::size_t at = 0; at + sizeof(CUdeviceptr) <= std::min(bytes, kMostStructureBytes);
         at += sizeof(CUdeviceptr)) {
      CUdeviceptr address = 0;
      std::memcpy(&address, value + at, sizeof address);
      if (address < kFirstAddress || address > kLastAddress) continue;
      auto row = describe_pointer(address);
      if (!row) continue;
      row->parameter = static_cast<std::int64_t>(i);
      row->byte = static_cast<std::int64_t>(at);
      rows.push_back(*row);
    }
  }
  return rows;
}

base::Result<void> waiting_failed(CUresult code) {
  return base::failure(ErrorCode::failed,
                       "waiting for the GPU failed with CUDA error " + std::to_string(code),
                       "the program itself has probably failed: see its own messages");
}

}  // namespace coalescope::cupti
