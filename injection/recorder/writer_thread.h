#pragma once
// The recorder's one thread: takes work from the queue and sends it to the process that writes it, so that a
// killed process loses what waited in the queue and no more; adds totals every fraction of a second.

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>

#include "injection/recorder/diagnostics.h"
#include "injection/recorder/part_file.h"
#include "injection/recorder/records.h"
#include "injection/recorder/work_queue.h"

namespace coalescope::recorder {

class WriterThread {
 public:
  // `before_commit` adds what is kept elsewhere (coverage, diagnostics).
  WriterThread(std::unique_ptr<PartFile> file, WorkQueue<WorkItem>& queue, Diagnostics& diagnostics,
               std::function<void(PartFile&, bool last)> before_commit);

  void start();
  // Writes all that waits and ends the thread; false: it did not end in time and was left behind.
  [[nodiscard]] bool finish(std::chrono::milliseconds patience, const model::Process& process);

 private:
  void run();
  void write_until_stopped();
  void drain(std::chrono::milliseconds patience);

  std::unique_ptr<PartFile> file_;
  WorkQueue<WorkItem>& queue_;
  Diagnostics& diagnostics_;
  std::function<void(PartFile&, bool last)> before_commit_;
  std::thread thread_;
  std::atomic<bool> stop_{false};
  std::atomic<bool> ended_{false};
};

}  // namespace coalescope::recorder
