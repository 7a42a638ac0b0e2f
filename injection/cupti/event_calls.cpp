#include "injection/cupti/event_calls.h"

#include <array>

#include "injection/cupti/call_ids.h"

namespace coalescope::cupti {
// Names of its own: other files of the folder have such tables, too.
namespace event_calls {
namespace {

std::uint64_t number(const void* handle) {
  return reinterpret_cast<std::uint64_t>(handle);
}

template <class Params>
const Params& params_of(const CUpti_CallbackData& data) {
  return *static_cast<const Params*>(data.functionParams);
}

// Before an event is recorded: a window must not be left inside of what the program times.
template <class Params>
void record(recorder::Recording& recording, const CUpti_CallbackData& data) {
  if (data.callbackSite != CUPTI_API_ENTER) return;
  const auto& call = params_of<Params>(data);
  recording.event_recorded(number(call.hEvent), number(call.hStream));
}

void create(recorder::Recording& recording, const CUpti_CallbackData& data) {
  if (!succeeded(data)) return;
  const auto& call = params_of<cuEventCreate_params>(data);
  if (call.phEvent == nullptr) return;
  const bool keeps_time = (call.Flags & CU_EVENT_DISABLE_TIMING) == 0;
  recording.event_pairs().created(number(*call.phEvent), keeps_time);
}

void destroy(recorder::Recording& recording, const CUpti_CallbackData& data) {
  if (data.callbackSite == CUPTI_API_ENTER)
    recording.event_pairs().destroyed(number(params_of<cuEventDestroy_v2_params>(data).hEvent));
}

template <class Params>
void read(recorder::Recording& recording, const CUpti_CallbackData& data) {
  if (!succeeded(data)) return;
  const auto& call = params_of<Params>(data);
  recording.time_read(number(call.hStart), number(call.hEnd));
}

struct Call {
  CUpti_CallbackId id;
  void (*act)(recorder::Recording& recording, const CUpti_CallbackData& data);
};
constexpr std::array kCalls{
    Call{CUPTI_DRIVER_TRACE_CBID_cuEventRecord, &record<cuEventRecord_params>},
    Call{CUPTI_DRIVER_TRACE_CBID_cuEventRecord_ptsz, &record<cuEventRecord_ptsz_params>},
    Call{CUPTI_DRIVER_TRACE_CBID_cuEventRecordWithFlags, &record<cuEventRecordWithFlags_params>},
    Call{CUPTI_DRIVER_TRACE_CBID_cuEventRecordWithFlags_ptsz, &record<cuEventRecordWithFlags_ptsz_params>},
    Call{CUPTI_DRIVER_TRACE_CBID_cuEventCreate, &create},
    Call{CUPTI_DRIVER_TRACE_CBID_cuEventDestroy_v2, &destroy},
    Call{CUPTI_DRIVER_TRACE_CBID_cuEventElapsedTime, &read<cuEventElapsedTime_params>},
    Call{CUPTI_DRIVER_TRACE_CBID_cuEventElapsedTime_v2, &read<cuEventElapsedTime_v2_params>},
};
constexpr auto kIds = ids_of(kCalls);

}  // namespace
}  // namespace event_calls

std::span<const CUpti_CallbackId> EventCalls::ids() {
  return event_calls::kIds;
}

void EventCalls::on_call(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  const event_calls::Call* call = find_call(event_calls::kCalls, id);
  if (call == nullptr) return;
  if (data.functionParams != nullptr) call->act(recording_, data);
}

}  // namespace coalescope::cupti
