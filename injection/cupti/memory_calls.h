#pragma once
// Driver calls about memory, decoded: allocations and frees with who asked for them, L2 windows and limits.
//
// The driver's callbacks are used, not the activity records of memory: those miss registered host memory, and
// their program counter lies inside the runtime. Order of events for each call:
//   1. ENTER: what is given back is noted, because afterwards another thread may be handed the same address;
//      the first managed allocation switches the records of unified memory on; last of all the time is taken
//   2. EXIT: how long the call took; what succeeded is noted, allocations with the calls that led to them

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "injection/cupti/cupti_api.h"
#include "injection/recorder/backend.h"
#include "injection/recorder/recording.h"

namespace coalescope::cupti {

class MemoryCalls {
 public:
  using ContextOf = std::function<std::optional<recorder::ContextHandle>(CUcontext)>;
  // `managed_memory_begins` is called once, before the first allocation of managed memory.
  MemoryCalls(recorder::Backend& backend, recorder::Recording& recording, ContextOf context_of,
              std::function<void()> managed_memory_begins);

  // The calls to subscribe to. A driver that does not know one of them will not make it.
  [[nodiscard]] static std::span<const CUpti_CallbackId> ids();
  // Whether the driver answers the call with work on the GPU, which a window would take for a launch: windows
  // that met one had a range too many (seen on an H100).
  [[nodiscard]] static bool makes_work(CUpti_CallbackId id);
  void on_call(CUpti_CallbackId id, const CUpti_CallbackData& data);

 private:
  struct Call;
  static const Call* find(CUpti_CallbackId id);
  // When the call began; 0: nobody will ask.
  [[nodiscard]] std::int64_t entered(const Call& call, const CUpti_CallbackData& data);
  void allocated(const Call& call, const CUpti_CallbackData& data, std::int64_t began_ns);
  void released(const Call& call, const CUpti_CallbackData& data, std::int64_t began_ns);
  [[nodiscard]] std::optional<model::DeviceId> device_of(const CUpti_CallbackData& data) const;
  [[nodiscard]] std::optional<std::int64_t> stream_id(const Call& call, const CUpti_CallbackData& data,
                                                      CUstream stream);
  void l2_window(const Call& call, const CUpti_CallbackData& data);
  void l2_setting(const CUpti_CallbackData& data, model::L2Action action, std::optional<std::int64_t> bytes);

  recorder::Backend& backend_;
  recorder::Recording& recording_;
  ContextOf context_of_;
  std::function<void()> managed_memory_begins_;
};

// The row of an L2 window, without ids, target and time.
[[nodiscard]] model::L2Window l2_window_of(const CUaccessPolicyWindow& policy);

}  // namespace coalescope::cupti
