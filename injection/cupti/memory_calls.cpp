#include "injection/cupti/memory_calls.h"

#include <array>
#include <utility>

#include "injection/cupti/array_bytes.h"
#include "injection/cupti/call_ids.h"

namespace coalescope::cupti {
namespace {

using model::AllocationKind;

enum class Does { allocate, release, reserve, set_stream, set_node, set_limit, reset };

template <class Params>
const Params& params_of(const CUpti_CallbackData& data) {
  return *static_cast<const Params*>(data.functionParams);
}

struct Memory {
  std::uint64_t address = 0;
  std::int64_t bytes = 0;
  CUstream stream = nullptr;
};

std::uint64_t number(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

// All of the calls that return an address return it through the first parameter.
template <class Params>
Memory with_dptr(const CUpti_CallbackData& data) {
  const auto& call = params_of<Params>(data);
  return {call.dptr == nullptr ? 0 : static_cast<std::uint64_t>(*call.dptr),
          static_cast<std::int64_t>(call.bytesize), nullptr};
}
template <class Params>
Memory with_dptr_and_stream(const CUpti_CallbackData& data) {
  Memory memory = with_dptr<Params>(data);
  memory.stream = params_of<Params>(data).hStream;
  return memory;
}
template <class Params>
Memory with_host_pointer(const CUpti_CallbackData& data) {
  const auto& call = params_of<Params>(data);
  return {call.pp == nullptr ? 0 : number(*call.pp), static_cast<std::int64_t>(call.bytesize), nullptr};
}
Memory pitched(const CUpti_CallbackData& data) {
  const auto& call = params_of<cuMemAllocPitch_v2_params>(data);
  if (call.dptr == nullptr || call.pPitch == nullptr) return {};
  return {static_cast<std::uint64_t>(*call.dptr), static_cast<std::int64_t>(*call.pPitch * call.Height),
          nullptr};
}
Memory registered(const CUpti_CallbackData& data) {
  const auto& call = params_of<cuMemHostRegister_v2_params>(data);
  return {number(call.p), static_cast<std::int64_t>(call.bytesize), nullptr};
}
Memory mapped(const CUpti_CallbackData& data) {
  const auto& call = params_of<cuMemMap_params>(data);
  return {static_cast<std::uint64_t>(call.ptr), static_cast<std::int64_t>(call.size), nullptr};
}

// How much of the GPU's memory a call asks for; at its ENTER, when nothing is known of the address yet.
template <class Params>
std::int64_t bytesize(const CUpti_CallbackData& data) {
  return static_cast<std::int64_t>(params_of<Params>(data).bytesize);
}
std::int64_t pitched_bytes(const CUpti_CallbackData& data) {
  const auto& call = params_of<cuMemAllocPitch_v2_params>(data);
  return static_cast<std::int64_t>(call.WidthInBytes * call.Height);
}
std::int64_t created_bytes(const CUpti_CallbackData& data) {
  return static_cast<std::int64_t>(params_of<cuMemCreate_params>(data).size);
}
template <class Params>
std::int64_t described_bytes(const CUpti_CallbackData& data) {
  const auto* array = params_of<Params>(data).pAllocateArray;
  return array == nullptr ? 0 : array_bytes(*array).value_or(0);
}

// An array has a handle in place of an address. One whose size is not known is left out.
template <class Params>
Memory array(const CUpti_CallbackData& data) {
  const auto& call = params_of<Params>(data);
  if (call.pHandle == nullptr || call.pAllocateArray == nullptr) return {};
  const auto bytes = array_bytes(*call.pAllocateArray);
  return bytes ? Memory{number(*call.pHandle), *bytes, nullptr} : Memory{};
}

template <class Params>
Memory dptr(const CUpti_CallbackData& data) {
  return {static_cast<std::uint64_t>(params_of<Params>(data).dptr), 0, nullptr};
}
template <class Params>
Memory host_pointer(const CUpti_CallbackData& data) {
  return {number(params_of<Params>(data).p), 0, nullptr};
}
Memory destroyed_array(const CUpti_CallbackData& data) {
  return {number(params_of<cuArrayDestroy_params>(data).hArray), 0, nullptr};
}
Memory unmapped(const CUpti_CallbackData& data) {
  return {static_cast<std::uint64_t>(params_of<cuMemUnmap_params>(data).ptr), 0, nullptr};
}
Memory none(const CUpti_CallbackData&) {
  return {};
}

}  // namespace

struct MemoryCalls::Call {
  CUpti_CallbackId id;
  Does does;
  AllocationKind kind;
  Memory (*memory)(const CUpti_CallbackData&);
  bool per_thread_stream;
  std::int64_t (*asks)(const CUpti_CallbackData&) = nullptr;  // for memory of the GPU
};

namespace {

template <class Call>
constexpr std::array kCalls{
    Call{CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync, Does::allocate, AllocationKind::pool,
         &with_dptr_and_stream<cuMemAllocAsync_params>, false, &bytesize<cuMemAllocAsync_params>},
    Call{CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync, Does::release, AllocationKind::pool,
         &dptr<cuMemFreeAsync_params>, false},
    Call{CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2, Does::allocate, AllocationKind::device,
         &with_dptr<cuMemAlloc_v2_params>, false, &bytesize<cuMemAlloc_v2_params>},
    Call{CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2, Does::release, AllocationKind::device,
         &dptr<cuMemFree_v2_params>, false},
    Call{CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync_ptsz, Does::allocate, AllocationKind::pool,
         &with_dptr_and_stream<cuMemAllocAsync_ptsz_params>, true, &bytesize<cuMemAllocAsync_ptsz_params>},
    Call{CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync_ptsz, Does::release, AllocationKind::pool,
         &dptr<cuMemFreeAsync_ptsz_params>, true},
    Call{CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync, Does::allocate, AllocationKind::pool,
         &with_dptr_and_stream<cuMemAllocFromPoolAsync_params>, false,
         &bytesize<cuMemAllocFromPoolAsync_params>},
    Call{CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync_ptsz, Does::allocate, AllocationKind::pool,
         &with_dptr_and_stream<cuMemAllocFromPoolAsync_ptsz_params>, true,
         &bytesize<cuMemAllocFromPoolAsync_ptsz_params>},
    Call{CUPTI_DRIVER_TRACE_CBID_cuMemAllocPitch_v2, Does::allocate, AllocationKind::device, &pitched, false,
         &pitched_bytes},
    Call{CUPTI_DRIVER_TRACE_CBID_cuMemAllocHost_v2, Does::allocate, AllocationKind::pinned,
         &with_host_pointer<cuMemAllocHost_v2_params>, false},
    Call{CUPTI_DRIVER_TRACE_CBID_cuMemHostAlloc, Does::allocate, AllocationKind::pinned,
         &with_host_pointer<cuMemHostAlloc_params>, false},
    Call{CUPTI_DRIVER_TRACE_CBID_cuMemHostAlloc_v2, Does::allocate, AllocationKind::pinned,
         &with_host_pointer<cuMemHostAlloc_params>, false},
    Call{CUPTI_DRIVER_TRACE_CBID_cuMemFreeHost, Does::release, AllocationKind::pinned,
         &host_pointer<cuMemFreeHost_params>, false},
    Call{CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged, Does::allocate, AllocationKind::managed,
         &with_dptr<cuMemAllocManaged_params>, false},
    Call{CUPTI_DRIVER_TRACE_CBID_cuMemHostRegister, Does::allocate, AllocationKind::registered, &registered,
         false},
    Call{CUPTI_DRIVER_TRACE_CBID_cuMemHostRegister_v2, Does::allocate, AllocationKind::registered,
         &registered, false},
    Call{CUPTI_DRIVER_TRACE_CBID_cuMemHostUnregister, Does::release, AllocationKind::registered,
         &host_pointer<cuMemHostUnregister_params>, false},
    Call{CUPTI_DRIVER_TRACE_CBID_cuArrayCreate_v2, Does::allocate, AllocationKind::array,
         &array<cuArrayCreate_v2_params>, false, &described_bytes<cuArrayCreate_v2_params>},
    Call{CUPTI_DRIVER_TRACE_CBID_cuArray3DCreate_v2, Does::allocate, AllocationKind::array,
         &array<cuArray3DCreate_v2_params>, false, &described_bytes<cuArray3DCreate_v2_params>},
    Call{CUPTI_DRIVER_TRACE_CBID_cuArrayDestroy, Does::release, AllocationKind::array, &destroyed_array,
         false},
    Call{CUPTI_DRIVER_TRACE_CBID_cuMemCreate, Does::reserve, AllocationKind::unknown, &none, false,
         &created_bytes},
    Call{CUPTI_DRIVER_TRACE_CBID_cuMemMap, Does::allocate, AllocationKind::mapped, &mapped, false},
    Call{CUPTI_DRIVER_TRACE_CBID_cuMemUnmap, Does::release, AllocationKind::mapped, &unmapped, false},
    Call{CUPTI_DRIVER_TRACE_CBID_cuStreamSetAttribute, Does::set_stream, AllocationKind::unknown, &none,
         false},
    Call{CUPTI_DRIVER_TRACE_CBID_cuStreamSetAttribute_ptsz, Does::set_stream, AllocationKind::unknown, &none,
         true},
    Call{CUPTI_DRIVER_TRACE_CBID_cuGraphKernelNodeSetAttribute, Does::set_node, AllocationKind::unknown,
         &none, false},
    Call{CUPTI_DRIVER_TRACE_CBID_cuCtxSetLimit, Does::set_limit, AllocationKind::unknown, &none, false},
    Call{CUPTI_DRIVER_TRACE_CBID_cuCtxResetPersistingL2Cache, Does::reset, AllocationKind::unknown, &none,
         false},
};

model::AccessProperty property(CUaccessProperty value) {
  switch (value) {
    case CU_ACCESS_PROPERTY_NORMAL:
      return model::AccessProperty::normal;
    case CU_ACCESS_PROPERTY_STREAMING:
      return model::AccessProperty::streaming;
    case CU_ACCESS_PROPERTY_PERSISTING:
      return model::AccessProperty::persisting;
  }
  return model::AccessProperty::unknown;
}

bool on_host(AllocationKind kind) {
  return kind == AllocationKind::pinned || kind == AllocationKind::registered;
}

}  // namespace

model::L2Window l2_window_of(const CUaccessPolicyWindow& policy) {
  model::L2Window row;
  row.address = static_cast<std::int64_t>(number(policy.base_ptr));
  row.bytes = static_cast<std::int64_t>(policy.num_bytes);
  row.hit_ratio = static_cast<double>(policy.hitRatio);
  row.hit_property = property(policy.hitProp);
  row.miss_property = property(policy.missProp);
  return row;
}

MemoryCalls::MemoryCalls(recorder::Backend& backend, recorder::Recording& recording, ContextOf context_of,
                         std::function<void()> managed_memory_begins)
    : backend_(backend),
      recording_(recording),
      context_of_(std::move(context_of)),
      managed_memory_begins_(std::move(managed_memory_begins)) {}

std::span<const CUpti_CallbackId> MemoryCalls::ids() {
  static constexpr auto kIds = ids_of(kCalls<Call>);
  return kIds;
}

bool MemoryCalls::makes_work(CUpti_CallbackId id) {
  const Call* call = find(id);
  return call != nullptr && (call->does == Does::set_limit || call->does == Does::reset);
}

const MemoryCalls::Call* MemoryCalls::find(CUpti_CallbackId id) {
  return find_call(kCalls<Call>, id);
}

void MemoryCalls::on_call(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  const Call* call = find(id);
  if (call == nullptr || data.functionParams == nullptr) {
    // The one call without parameters.
    if (call == nullptr || call->does != Does::reset) return;
  }
  // CUPTI keeps this word from the ENTER to the EXIT of one call. Calls that make work keep their ticket in
  // it.
  const bool timed = call->does == Does::allocate || call->does == Does::release;
  if (data.callbackSite == CUPTI_API_ENTER) {
    const std::int64_t began_ns = entered(*call, data);
    if (timed) *data.correlationData = static_cast<std::uint64_t>(began_ns);
    return;
  }
  const auto began_ns = timed ? static_cast<std::int64_t>(std::exchange(*data.correlationData, 0)) : 0;
  if (call->does == Does::release) released(*call, data, began_ns);
  if (!succeeded(data)) return;
  switch (call->does) {
    case Does::allocate:
      allocated(*call, data, began_ns);
      break;
    case Does::release:
    case Does::reserve:
      break;
    case Does::set_stream:
    case Does::set_node:
      l2_window(*call, data);
      break;
    case Does::set_limit: {
      const auto& limit = params_of<cuCtxSetLimit_params>(data);
      if (limit.limit == CU_LIMIT_PERSISTING_L2_CACHE_SIZE)
        l2_setting(data, model::L2Action::set_aside, static_cast<std::int64_t>(limit.value));
      break;
    }
    case Does::reset:
      l2_setting(data, model::L2Action::reset_persisting, std::nullopt);
      break;
  }
}

std::int64_t MemoryCalls::entered(const Call& call, const CUpti_CallbackData& data) {
  if (call.does == Does::release) {
    const Memory memory = call.memory(data);
    const std::int64_t began_ns = backend_.now_ns();
    return memory.address != 0 && recording_.program_log().freed(memory.address, began_ns) ? began_ns : 0;
  }
  if (call.asks != nullptr) recording_.memory_wanted(call.asks(data), device_of(data));
  if (call.kind == AllocationKind::managed) managed_memory_begins_();
  return backend_.now_ns();
}

std::optional<model::DeviceId> MemoryCalls::device_of(const CUpti_CallbackData& data) const {
  const auto context = data.context == nullptr ? std::nullopt : context_of_(data.context);
  if (!context) return std::nullopt;
  return model::DeviceId{context->device + 1};
}

// A call that fails has taken time as well.
void MemoryCalls::released(const Call& call, const CUpti_CallbackData& data, std::int64_t began_ns) {
  if (began_ns == 0) return;
  recording_.program_log().free_returned(call.memory(data).address, began_ns,
                                         {backend_.now_ns() - began_ns, recording_.call_site()});
}

void MemoryCalls::allocated(const Call& call, const CUpti_CallbackData& data, std::int64_t began_ns) {
  const Memory memory = call.memory(data);
  if (memory.address == 0) return;
  model::Allocation row;
  row.kind = call.kind;
  row.address = static_cast<std::int64_t>(memory.address);
  row.bytes = memory.bytes;
  row.allocated_ns = backend_.now_ns();
  if (began_ns != 0) row.call_ns = row.allocated_ns - began_ns;
  if (!on_host(call.kind)) row.device_id = device_of(data);
  if (call.kind == AllocationKind::pool) row.stream = stream_id(call, data, memory.stream);
  recording_.allocated(row);
}

std::optional<std::int64_t> MemoryCalls::stream_id(const Call& call, const CUpti_CallbackData& data,
                                                   CUstream stream) {
  const auto context = data.context == nullptr ? std::nullopt : context_of_(data.context);
  if (!context) return std::nullopt;
  recorder::LaunchInfo like;
  like.context = *context;
  like.stream = number(stream);
  like.per_thread_stream = call.per_thread_stream;
  return backend_.stream_id(like);
}

void MemoryCalls::l2_window(const Call& call, const CUpti_CallbackData& data) {
  model::L2Window row;
  if (call.does == Does::set_node) {
    const auto& set = params_of<cuGraphKernelNodeSetAttribute_params>(data);
    if (set.attr != CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW || set.value == nullptr) return;
    row = l2_window_of(set.value->accessPolicyWindow);
    row.target = model::L2WindowTarget::graph_node;
  } else {
    // The variant for per-thread streams names its parameters differently, but has the same ones.
    const auto& set = params_of<cuStreamSetAttribute_params>(data);
    if (set.attr != CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW || set.param == nullptr) return;
    row = l2_window_of(set.param->accessPolicyWindow);
    row.target = model::L2WindowTarget::stream;
    row.stream = stream_id(call, data, set.hStream);
  }
  row.set_ns = backend_.now_ns();
  row.call_site_id = recording_.call_site();
  recording_.program_log().add(row);
}

void MemoryCalls::l2_setting(const CUpti_CallbackData& data, model::L2Action action,
                             std::optional<std::int64_t> bytes) {
  model::L2Setting row;
  row.device_id = device_of(data);
  row.action = action;
  row.set_ns = backend_.now_ns();
  row.bytes = bytes;
  row.call_site_id = recording_.call_site();
  recording_.program_log().add(row);
}

}  // namespace coalescope::cupti
