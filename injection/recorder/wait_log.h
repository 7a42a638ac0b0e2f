#pragma once
// Calls of the program that wait for the GPU. Its threads add to it in their callbacks, the writer thread
// makes rows of it: a total of each kind, and one for each call that took so long that it matters.

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "core/model/activity.h"
#include "injection/recorder/diagnostics.h"

namespace coalescope::recorder {

class PartFile;

class WaitLog {
 public:
  static constexpr std::int64_t kMostListed = 500'000;

  explicit WaitLog(std::int64_t most_listed = kMostListed) : most_listed_(most_listed) {}

  // Whether a call that took so long has a row.
  [[nodiscard]] static bool is_listed(std::int64_t wait_ns);
  void add(const model::Synchronization& wait);  // without an id

  // On the writer thread, before a commit.
  void write(PartFile& file, Diagnostics& diagnostics);

 private:
  std::mutex mutex_;
  std::map<model::SynchronizationKind, model::SynchronizationTotal> totals_;
  std::vector<model::Synchronization> rows_;
  std::int64_t most_listed_;
  std::int64_t listed_ = 0;
  std::int64_t dropped_ = 0;
  bool changed_ = false;
};

}  // namespace coalescope::recorder
