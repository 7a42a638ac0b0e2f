#include "injection/cupti/wait_calls.h"

#include <array>

#include "injection/cupti/call_ids.h"

namespace coalescope::cupti {
// Names of its own: other files of the folder have such tables, too.
namespace wait_calls {
namespace {

using Kind = model::SynchronizationKind;

struct Call {
  CUpti_CallbackId id;
  Kind kind;
  bool per_thread_stream;
};
constexpr std::array kCalls{
    Call{CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize, Kind::stream, false},
    Call{CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize_ptsz, Kind::stream, true},
    Call{CUPTI_DRIVER_TRACE_CBID_cuEventSynchronize, Kind::event, false},
    Call{CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize, Kind::context, false},
    Call{CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize_v2, Kind::context, false},
};
constexpr auto kIds = ids_of(kCalls);

}  // namespace
}  // namespace wait_calls

std::span<const CUpti_CallbackId> WaitCalls::ids() {
  return wait_calls::kIds;
}

void WaitCalls::on_call(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  const wait_calls::Call* call = find_call(wait_calls::kCalls, id);
  if (call == nullptr) return;
  if (data.callbackSite == CUPTI_API_ENTER) return began(data);
  auto wait = ended(data, call->kind);
  if (!wait) return;
  if (wait->kind == wait_calls::Kind::stream && recorder::WaitLog::is_listed(wait->wait_ns))
    wait->stream = stream_id(data, call->per_thread_stream);
  recording_.waited(*wait);
}

// CUPTI keeps this word from the ENTER to the EXIT of one call.
void WaitCalls::began(const CUpti_CallbackData& data) {
  *data.correlationData = static_cast<std::uint64_t>(backend_.now_ns());
}

std::optional<model::Synchronization> WaitCalls::ended(const CUpti_CallbackData& data,
                                                       model::SynchronizationKind kind) {
  const std::uint64_t began_ns = std::exchange(*data.correlationData, 0);
  if (began_ns == 0) return std::nullopt;
  model::Synchronization wait;
  wait.kind = kind;
  wait.start_ns = static_cast<std::int64_t>(began_ns);
  wait.wait_ns = backend_.now_ns() - wait.start_ns;
  return wait;
}

void WaitCalls::copy_ended(const CUpti_CallbackData& data) {
  const auto wait = ended(data, wait_calls::Kind::copy);
  if (wait && recorder::WaitLog::is_listed(wait->wait_ns)) recording_.waited(*wait);
}

std::optional<std::int64_t> WaitCalls::stream_id(const CUpti_CallbackData& data, bool per_thread_stream) {
  const auto context = data.context == nullptr ? std::nullopt : context_of_(data.context);
  if (!context || data.functionParams == nullptr) return std::nullopt;
  recorder::LaunchInfo like;
  like.context = *context;
  // The variant for per-thread streams has the same parameters.
  like.stream = reinterpret_cast<std::uint64_t>(
      static_cast<const cuStreamSynchronize_params*>(data.functionParams)->hStream);
  like.per_thread_stream = per_thread_stream;
  return backend_.stream_id(like);
}

}  // namespace coalescope::cupti
