#pragma once
// What the program did beside kernels and copies: ranges that it named, and waits for the GPU.

#include <cstdint>
#include <optional>
#include <string>

#include "core/model/enums.h"
#include "core/model/ids.h"

namespace coalescope::model {

// NVTX has two kinds: nested on one thread, or free of any thread.
enum class RangeKind : std::int64_t { push_pop = 1, start_end = 2 };
inline constexpr std::array kRangeKindNames{
    EnumName{RangeKind::push_pop, "push_pop"},
    EnumName{RangeKind::start_end, "start_end"},
};

// CUpti_ActivitySynchronizationType's numbers; those from 100 on are our own.
enum class SynchronizationKind : std::int64_t {
  unknown = 0,
  event = 1,
  stream_wait_event = 2,
  stream = 3,
  context = 4,
  copy = 100,  // a call that copies or sets memory, and that did not return at once
};
inline constexpr std::array kSynchronizationKindNames{
    EnumName{SynchronizationKind::unknown, "unknown"},
    EnumName{SynchronizationKind::event, "event"},
    EnumName{SynchronizationKind::stream_wait_event, "stream_wait_event"},
    EnumName{SynchronizationKind::stream, "stream"},
    EnumName{SynchronizationKind::context, "context"},
    EnumName{SynchronizationKind::copy, "copy"},
};

constexpr std::string_view name_of(RangeKind value) {
  return name_in(kRangeKindNames, value);
}
constexpr std::string_view name_of(SynchronizationKind value) {
  return name_in(kSynchronizationKindNames, value);
}

struct RangeName {
  RangeNameId id;
  ProcessId process_id;
  std::optional<std::string> domain;  // NULL: the default one
  std::string name;
};

struct Range {
  std::int64_t id = 0;
  ProcessId process_id;
  RangeNameId name_id;
  RangeKind kind = RangeKind::push_pop;
  std::int64_t thread = 0;  // the operating system's number of the one that began it
  std::int64_t depth = 0;   // ranges of the same thread and domain around it
  std::int64_t start_ns = 0;
  std::optional<std::int64_t> end_ns;  // NULL: not seen
};

// A call that really waited; those that returned at once are in the totals only.
struct Synchronization {
  std::int64_t id = 0;
  ProcessId process_id;
  SynchronizationKind kind = SynchronizationKind::unknown;
  std::optional<std::int64_t> stream;
  std::int64_t start_ns = 0;
  std::int64_t wait_ns = 0;
  std::optional<CallSiteId> call_site_id;
};

// All calls of a kind in a process.
struct SynchronizationTotal {
  ProcessId process_id;
  SynchronizationKind kind = SynchronizationKind::unknown;
  std::int64_t calls = 0;
  std::int64_t wait_ns = 0;
  std::int64_t listed = 0;  // of these calls, rows of `synchronization`
};

}  // namespace coalescope::model
