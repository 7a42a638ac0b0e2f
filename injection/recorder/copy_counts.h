#pragma once
// Counts copies where they are called, so that a long run can do without their records most of the time
// (TracePace): the copies without a record are those that were called less those that were recorded. A record
// takes 1.3 us of the GPU's time (docs/decisions/010).
//
// The call has to say what the record would: copies of one piece between host and device or within the
// device, whose host memory is pinned or pageable. As soon as the program makes another copy, or one that
// fails or becomes part of a graph, copies keep their records.

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <vector>

#include "core/model/transfer.h"
#include "injection/recorder/host_memory.h"

namespace coalescope::recorder {

// What such a call says.
struct CopyCall {
  model::DeviceId device;
  model::Direction direction = model::Direction::unknown;
  bool asynchronous = false;
  std::uint64_t bytes = 0;
  std::optional<std::uint64_t> host;  // the address there; nullopt: a copy within the device
  std::uint64_t device_address = 0;   // of the device's end; within the device: of what is read
};

class CopyCounts {
 public:
  // `host_memory` must live as long as this.
  explicit CopyCounts(const HostMemory& host_memory) : host_memory_(host_memory) {}

  // By the program's threads. The copy is about to be made.
  void called(const CopyCall& copy, std::uint32_t correlation);
  // One may be made that calls do not tell, or has failed. What is called is counted until records come.
  void give_up();

  // By whoever switches records. There are none from here on; all have one.
  void records_stop();
  void records_come();

  // By the writer thread.
  void recorded(const model::Transfer& copy, std::uint32_t correlation);
  // Whether copies can do without records: each class that was called has some, and none that were not
  // called.
  [[nodiscard]] bool can_count() const;
  // Those without a record, which have no time. Records that are still to come count as missing.
  [[nodiscard]] std::vector<model::TransferTotal> without_record() const;

 private:
  // Device, direction, memory at the host's end, way of requesting it and size class. At the device's end a
  // record distinguishes variables of a module from other memory, and a call does not.
  using Class = std::tuple<model::DeviceId, model::Direction, model::MemoryKind, bool, std::int64_t>;
  struct Counts {
    model::TransferTotal called;
    std::int64_t recorded = 0, recorded_bytes = 0;
  };
  [[nodiscard]] Counts& counts_of(const Class& key);

  const HostMemory& host_memory_;
  mutable std::mutex mutex_;
  std::map<Class, Counts> classes_;
  std::uint32_t last_call_ = 0;                         // the highest correlation id
  bool records_come_ = true, records_stopped_ = false;  // now; at any time
  bool gave_up_ = false, ended_ = false;                // calls are no longer counted
};

}  // namespace coalescope::recorder
