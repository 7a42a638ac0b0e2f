#pragma once
// Sends the code of loaded modules to the file beside the part, so that source lines can be found once the
// target has ended. A cubin is valid only inside its callback and its checksum must not be computed there: it
// goes as it is, and coalescope_resolve does the rest.
//
// Code that is loaded again, by another context or device, is kept once.
//
// Format: for each module its size (64 bits, the machine's byte order), then its bytes.

#include <chrono>
#include <cstdint>
#include <mutex>
#include <set>
#include <span>
#include <utility>

#include "core/base/error.h"
#include "core/ring/ring.h"

namespace coalescope::cupti {

class ModuleStore {
 public:
  explicit ModuleStore(ring::RingWriter& ring);

  // In the thread that loads the module: all of them together wait no more than a few seconds in a run. After
  // an error nothing more is kept; the error is returned once.
  [[nodiscard]] base::Result<void> add(const void* cubin, std::size_t bytes);

 private:
  [[nodiscard]] bool send(std::span<const std::byte> bytes);

  ring::RingWriter& ring_;
  std::mutex mutex_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> kept_;  // size and hash
  std::uint64_t sent_bytes_ = 0;
  std::chrono::milliseconds patience_;
  bool off_ = false;
};

}  // namespace coalescope::cupti
