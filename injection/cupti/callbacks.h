#pragma once
// The driver's callbacks, decoded once and handed to the recorder in its own words.
//
// Order of events:
//   1. subscribe(): one subscriber a process; the RESOURCE domain, and single ids of the DRIVER domain
//   2. RESOURCE: contexts come and go, modules are loaded (their code is kept) and unloaded
//   3. DRIVER: launches, graph launches, beginnings and ends of stream captures, and what is done with memory
//      (memory_calls.h), events (event_calls.h), code (code_calls.h) and executable graphs (graph_calls.h),
//      each at ENTER and EXIT
// Callbacks that our own calls cause are not the target's and are ignored; so is everything in a forked
// child.

#include <array>
#include <functional>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "injection/cupti/code_calls.h"
#include "injection/cupti/cupti_api.h"
#include "injection/cupti/event_calls.h"
#include "injection/cupti/graph_calls.h"
#include "injection/cupti/memory_calls.h"
#include "injection/cupti/module_store.h"
#include "injection/cupti/wait_calls.h"
#include "injection/recorder/diagnostics.h"
#include "injection/recorder/recording.h"

namespace coalescope::cupti {

class Callbacks {
 public:
  // `managed_memory_begins` is called once, before the program first allocates managed memory.
  Callbacks(const CuptiApi& api, const DriverApi& driver, recorder::Backend& backend,
            recorder::Recording& recording, ModuleStore& modules, recorder::Diagnostics& diagnostics,
            std::function<void()> managed_memory_begins);

  [[nodiscard]] base::Result<void> subscribe();
  // From here on every callback returns at once: a forked child, the end of the process, repeated failures.
  void silence() { silent_.store(true, std::memory_order_release); }
  // The same, and makes room for another subscriber.
  void unsubscribe();

 private:
  static void CUPTIAPI dispatch(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                const void* data);
  // Who decodes a call.
  enum class Part : std::uint8_t { nobody, launches, copies, sets, events, waits, code, graphs, memory };
  // False: not all of them are watched.
  [[nodiscard]] bool watch(std::span<const CUpti_CallbackId> ids, std::string_view origin, Part part);
  void on_driver(CUpti_CallbackId id, const CUpti_CallbackData& data);
  void on_watched(CUpti_CallbackId id, const CUpti_CallbackData& data);
  void on_transfer(CUpti_CallbackId id, const CUpti_CallbackData& data);
  void on_set(CUpti_CallbackId id, const CUpti_CallbackData& data);
  void on_launch(CUpti_CallbackId id, const CUpti_CallbackData& data, bool per_thread_stream);
  void on_graph_launch(const CUpti_CallbackData& data, bool per_thread_stream);
  void on_graph(CUpti_CallbackId id, const CUpti_GraphData& graph);
  template <class Before>
  void around_other_work(const CUpti_CallbackData& data, Before&& before);
  void on_resource(CUpti_CallbackId id, const CUpti_ResourceData& data);
  // Nothing, and a diagnostic: CUPTI does not tell which device it is on.
  [[nodiscard]] std::optional<recorder::ContextHandle> context_of(CUcontext context) const;

  const CuptiApi& api_;
  recorder::Recording& recording_;
  ModuleStore& modules_;
  recorder::Diagnostics& diagnostics_;
  MemoryCalls memory_calls_;
  EventCalls event_calls_;
  WaitCalls wait_calls_;
  CodeCalls code_calls_;
  GraphCalls graph_calls_;
  static constexpr std::size_t kMostCalls = 1024;
  static_assert(CUPTI_DRIVER_TRACE_CBID_SIZE <= kMostCalls);
  std::array<Part, kMostCalls> part_of_{};  // by the call's id
  CUpti_SubscriberHandle subscriber_ = nullptr;
  std::atomic<bool> silent_{false};
  std::atomic<std::uint64_t> contexts_created_{0};
};

}  // namespace coalescope::cupti
