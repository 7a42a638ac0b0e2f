#pragma once
// The driver's calls that load code, unload it, or find a part of it; recorder::CodeFiles keeps which file it
// is from. While one loads or unloads nothing is measured, and nothing of ours is open: a module that goes
// away under a window takes its program with it (seen on an H100; see docs/decisions/007).

#include <span>

#include "injection/cupti/cupti_api.h"
#include "injection/recorder/backend.h"
#include "injection/recorder/recording.h"

namespace coalescope::cupti {

class CodeCalls {
 public:
  CodeCalls(recorder::Backend& backend, recorder::Recording& recording)
      : backend_(backend), recording_(recording) {}

  // The calls to subscribe to. A driver that does not know one of them will not make it.
  [[nodiscard]] static std::span<const CUpti_CallbackId> ids();
  void on_call(CUpti_CallbackId id, const CUpti_CallbackData& data);
  // From the resource callback: some module is about to go away, whoever asked for it.
  void module_unloading();

 private:
  void unload(const recorder::UnloadedCode& code);

  recorder::Backend& backend_;
  recorder::Recording& recording_;
};

}  // namespace coalescope::cupti
