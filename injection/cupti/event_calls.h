#pragma once
// The driver's calls about events, for what the program times itself (recorder/event_pairs.h).

#include <span>

#include "injection/cupti/cupti_api.h"
#include "injection/recorder/recording.h"

namespace coalescope::cupti {

class EventCalls {
 public:
  explicit EventCalls(recorder::Recording& recording) : recording_(recording) {}

  // The calls to subscribe to. A driver that does not know one of them will not make it.
  [[nodiscard]] static std::span<const CUpti_CallbackId> ids();
  void on_call(CUpti_CallbackId id, const CUpti_CallbackData& data);

 private:
  recorder::Recording& recording_;
};

}  // namespace coalescope::cupti
