#pragma once
// The tables about what the program did beside kernels and copies: nvtx_name, nvtx_range, synchronization and
// its totals.

#include "core/capture/columns.h"
#include "core/model/activity.h"

namespace coalescope::capture {

template <>
struct Table<model::RangeName> {
  using Row = model::RangeName;
  static constexpr std::string_view kName = "nvtx_name";
  static constexpr std::string_view kDoc = "A name that the program gave to NVTX ranges.";
  static constexpr std::string_view kKey = "id";
  static constexpr std::int64_t kSince = 2;
  static constexpr auto kColumns =
      base::pack(Column("id", &Row::id, "This name in this file."),
                 Column("process_id", &Row::process_id, "The process."),
                 Column("domain", &Row::domain, "NVTX's domain; NULL: the default one."),
                 Column("name", &Row::name, "The text."));
};

template <>
struct Table<model::Range> {
  using Row = model::Range;
  static constexpr std::string_view kName = "nvtx_range";
  static constexpr std::string_view kDoc =
      "A stretch of time that the program named through NVTX. `diagnostic` counts what is not listed.";
  static constexpr std::string_view kKey = "id";
  static constexpr std::int64_t kSince = 2;
  static constexpr auto kColumns = base::pack(
      Column("id", &Row::id, "This row."), Column("process_id", &Row::process_id, "The process."),
      Column("name_id", &Row::name_id, "Its name."), Column("kind", &Row::kind, "How it was marked."),
      Column("thread", &Row::thread, "The operating system's number of the thread that began it.")
          .within(kNumber),
      Column("depth", &Row::depth, "Ranges of that thread around it; 0 for start_end.").within(kNumber),
      moment("start_ns", &Row::start_ns, "When it began, on the host."),
      moment("end_ns", &Row::end_ns, "When it ended; NULL: not seen."));
};

template <>
struct Table<model::Synchronization> {
  using Row = model::Synchronization;
  static constexpr std::string_view kName = "synchronization";
  static constexpr std::string_view kDoc =
      "A call that waited for the GPU for 10 us or more; shorter ones are in the totals.";
  static constexpr std::string_view kKey = "id";
  static constexpr std::int64_t kSince = 2;
  static constexpr auto kColumns = base::pack(
      Column("id", &Row::id, "This row."), Column("process_id", &Row::process_id, "The process."),
      Column("kind", &Row::kind, "What was waited for."),
      Column("stream", &Row::stream, "CUPTI's number of the stream; NULL: not for a stream.").within(kNumber),
      moment("start_ns", &Row::start_ns, "When the call began."),
      Column("wait_ns", &Row::wait_ns, "How long it took."),
      Column("call_site_id", &Row::call_site_id, "The place; NULL: not looked at.").since(13));
};

template <>
struct Table<model::SynchronizationTotal> {
  using Row = model::SynchronizationTotal;
  static constexpr std::string_view kName = "synchronization_total";
  static constexpr std::string_view kDoc = "All synchronising calls of a kind, those of 10 us or less too.";
  static constexpr std::string_view kKey = "process_id, kind";
  static constexpr std::int64_t kSince = 2;
  static constexpr auto kColumns = base::pack(
      Column("process_id", &Row::process_id, "The process."),
      Column("kind", &Row::kind, "What was waited for."), Column("calls", &Row::calls, "How many."),
      Column("wait_ns", &Row::wait_ns, "How long they took together."),
      Column("listed", &Row::listed, "Those of them that are rows of synchronization."));
};

}  // namespace coalescope::capture
