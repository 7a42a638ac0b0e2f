#pragma once
// What the recorder asks of the vendor's tools beside the probes. injection/cupti implements it; tests script
// it.

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/error.h"
#include "core/model/device.h"
#include "core/model/launch.h"
#include "core/model/memory.h"
#include "injection/recorder/parameter_words.h"
#include "injection/recorder/phase_probe.h"
#include "injection/recorder/records.h"

namespace coalescope::recorder {

// By its handles, where they are known: a library's code is a module, too.
struct UnloadedCode {
  std::uint64_t module = 0;
  std::uint64_t library = 0;
};

// What has records. Copies between GPUs always have them. CUPTI makes none of memory sets while copies have
// none.
struct Traced {
  bool kernels = true;
  bool copies = true;
  friend bool operator==(const Traced&, const Traced&) = default;
};

class Backend {
 public:
  virtual ~Backend() = default;

  // Nanoseconds since the capture began, on the clock of the activity records.
  [[nodiscard]] virtual std::int64_t now_ns() = 0;
  [[nodiscard]] virtual std::int64_t stream_id(const LaunchInfo& launch) = 0;
  // Waits for all work of the context; no stream may capture. Error `busy`: it goes on; another one: the
  // program itself has failed.
  [[nodiscard]] virtual base::Result<void> wait_for_gpu(const ContextHandle&, std::chrono::nanoseconds) {
    return {};
  }
  // Asked while any stream captures: is this launch recorded into a graph, and not run now?
  [[nodiscard]] virtual bool is_stream_captured(const LaunchInfo&) { return true; }
  [[nodiscard]] virtual PhaseProbe* probe(model::Phase phase) = 0;  // nullptr: this phase cannot be measured

  // Code is about to be unloaded. True: it was patched, and no window of patched code may be open.
  [[nodiscard]] virtual bool code_unloading(const UnloadedCode&) { return false; }
  // The module that the launched function belongs to; 0: the driver does not tell.
  [[nodiscard]] virtual std::uint64_t module_of(const LaunchInfo&) { return 0; }
  // Most of the program's heap that the recorder has held; nullopt: nobody counts.
  [[nodiscard]] virtual std::optional<std::int64_t> peak_bytes() { return std::nullopt; }
  // Bytes of the GPU's memory that are free in the calling thread's context; nullopt: the driver does not
  // tell.
  [[nodiscard]] virtual std::optional<std::int64_t> free_gpu_bytes() { return std::nullopt; }

  // Where the pointers among the launch's parameters point to, without a group; an Error: this cannot be
  // told.
  [[nodiscard]] virtual base::Result<std::vector<model::GroupPointer>> pointers(const LaunchInfo&) {
    return std::vector<model::GroupPointer>{};
  }

  // Where the parameters of the launch's kernel lie; nullopt: the driver does not tell.
  [[nodiscard]] virtual std::optional<std::vector<ParameterPlace>> parameters(const LaunchInfo&) {
    return std::nullopt;
  }

  // The following run on the writer thread only.
  [[nodiscard]] virtual base::Result<model::Device> describe_device(std::int32_t ordinal) = 0;
  virtual void decode(const ActivityBuffer& buffer, TraceSink& sink) = 0;  // and takes the buffer back
  // Takes the trace back from a program that has used CUPTI itself, once that is over. Since when nothing was
  // recorded; nullopt: nothing has changed. From here on no callback tells of a launch.
  [[nodiscard]] virtual std::optional<std::int64_t> regain_trace() { return std::nullopt; }
  // What gets records. While a window that counts by patching is open kernels have none in any case.
  // This and the next two may be called by any thread, while no other asks for a launch or a memory set.
  // False: it cannot be done now, and nothing has changed.
  virtual bool trace(Traced) { return true; }
  // Nothing gets a record until resume_trace(). False: it cannot be paused now.
  virtual bool pause_trace() { return true; }
  virtual void resume_trace() {}
  // At the end: asks for the records that are still to come.
  virtual void flush() = 0;
};

}  // namespace coalescope::recorder
