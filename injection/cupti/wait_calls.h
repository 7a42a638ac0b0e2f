#pragma once
// The driver's calls that wait for the GPU, timed on their thread. CUPTI's activity records of them
// (CUPTI_ACTIVITY_KIND_SYNCHRONIZATION) are not used: once switched on, they make every call of the runtime
// and the driver slower, also after they are switched off (docs/decisions/010).

#include <functional>
#include <optional>
#include <span>

#include "injection/cupti/cupti_api.h"
#include "injection/recorder/backend.h"
#include "injection/recorder/recording.h"

namespace coalescope::cupti {

class WaitCalls {
 public:
  using ContextOf = std::function<std::optional<recorder::ContextHandle>(CUcontext)>;
  WaitCalls(recorder::Backend& backend, recorder::Recording& recording, ContextOf context_of)
      : backend_(backend), recording_(recording), context_of_(std::move(context_of)) {}

  // The calls to subscribe to. A driver that does not know one of them will not make it.
  [[nodiscard]] static std::span<const CUpti_CallbackId> ids();
  void on_call(CUpti_CallbackId id, const CUpti_CallbackData& data);

  // Around a copy or a memory set, which waits if it does not return at once.
  void began(const CUpti_CallbackData& data);
  void copy_ended(const CUpti_CallbackData& data);

 private:
  // nullopt: its beginning was not seen.
  [[nodiscard]] std::optional<model::Synchronization> ended(const CUpti_CallbackData& data,
                                                            model::SynchronizationKind kind);
  [[nodiscard]] std::optional<std::int64_t> stream_id(const CUpti_CallbackData& data, bool per_thread_stream);

  recorder::Backend& backend_;
  recorder::Recording& recording_;
  ContextOf context_of_;
};

}  // namespace coalescope::cupti
