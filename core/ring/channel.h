#pragma once
// One process's place in the recording of a run: the control segment and the ring that it claimed.

#include <memory>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/ring/control.h"
#include "core/ring/ring.h"

namespace coalescope::ring {

class Channel {
 public:
  // `control` as the environment names it, `stem` as the names of this process's files begin.
  [[nodiscard]] static base::Result<std::unique_ptr<Channel>> open(const std::string& control,
                                                                   const std::string& stem);

  [[nodiscard]] RingWriter& ring() { return ring_; }
  // See Control. By one thread at a time.
  [[nodiscard]] bool shares_gpu(std::string_view uuid) { return control_.shares_gpu(uuid); }

  // In a forked child: what is mapped belongs to the parent's recording. Nothing goes through it from then
  // on.
  void abandon() noexcept {
    ring_.detach();
    control_.detach();
  }

 private:
  Channel(Control control, Segment ring) : control_(std::move(control)), ring_(std::move(ring)) {}

  Control control_;
  RingWriter ring_;
};

}  // namespace coalescope::ring
