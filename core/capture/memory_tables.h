#pragma once
// The tables about memory: allocation, group_pointer, unified_memory, access_window, l2_setting.

#include "core/capture/columns.h"
#include "core/model/memory.h"

namespace coalescope::capture {

template <>
struct Table<model::Allocation> {
  using Row = model::Allocation;
  static constexpr std::string_view kName = "allocation";
  static constexpr std::string_view kDoc =
      "Memory that the program asked CUDA for. `diagnostic` counts what is not listed.";
  static constexpr std::string_view kKey = "id";
  static constexpr std::int64_t kSince = 2;
  static constexpr auto kColumns = base::pack(
      Column("id", &Row::id, "This row."), Column("process_id", &Row::process_id, "The process."),
      Column("device_id", &Row::device_id, "The device; NULL: host memory."),
      Column("kind", &Row::kind, "The request."),
      Column("address", &Row::address, "Where it begins, in the process; of a CUDA array its handle.")
          .within(kAddress),
      Column("bytes", &Row::bytes, "Its size."), moment("allocated_ns", &Row::allocated_ns, "When."),
      moment("freed_ns", &Row::freed_ns, "When it was given back; NULL: not while it was recorded."),
      Column("stream", &Row::stream, "CUPTI's number of the stream, of a stream-ordered one.")
          .within(kNumber),
      Column("call_site_id", &Row::call_site_id, "Who asked; NULL: not looked up."),
      Column(
          "pytorch_pool", &Row::pytorch_pool,
          "1: PyTorch's caching allocator requested it, and gives parts of it to tensors; NULL: not looked "
          "at.")
          .since(7),
      Column("call_ns", &Row::call_ns,
             "How long the call took that requested it; NULL: its beginning was not seen.")
          .since(11),
      Column(
          "free_call_ns", &Row::free_call_ns,
          "How long the call took that gave it back; NULL: there was none while it was recorded, or its end "
          "was not seen.")
          .since(11),
      Column("free_call_site_id", &Row::free_call_site_id, "Who gave it back; NULL: not looked up.")
          .since(13));
};

template <>
struct Table<model::GroupPointer> {
  using Row = model::GroupPointer;
  static constexpr std::string_view kName = "group_pointer";
  static constexpr std::string_view kDoc =
      "Where the pointers among the parameters of a group's first launch pointed to, those inside structures "
      "included.";
  static constexpr std::string_view kKey = "group_id, parameter, byte";
  static constexpr std::int64_t kSince = 2;
  static constexpr auto kColumns = base::pack(
      Column("group_id", &Row::group_id, "The group."),
      Column("parameter", &Row::parameter, "The parameter's number, from 0.").within(kNumber),
      Column("byte", &Row::byte, "Where in the parameter, if it is a structure.")
          .within(kNumber)
          .since(8, "0"),
      Column("memory", &Row::memory, "Kind of the memory."),
      Column("device_id", &Row::device_id, "The device; NULL: host memory."),
      Column("address", &Row::address, "The pointer.").within(kAddress),
      Column("range_address", &Row::range_address, "Where the allocation begins; NULL: not reported.")
          .within(kAddress),
      Column("range_bytes", &Row::range_bytes, "Size of the allocation; NULL: not reported."),
      Column("allocation_id", &Row::allocation_id, "The allocation; NULL: it is not listed.").since(7),
      Column("call_site_id", &Row::call_site_id,
             "Who asked PyTorch's pool for this memory ('record --allocations pytorch'); NULL: not "
             "recorded, or not from that pool.")
          .since(7));
};

template <>
struct Table<model::ParameterValues> {
  using Row = model::ParameterValues;
  static constexpr std::string_view kName = "parameter_values";
  static constexpr std::string_view kDoc =
      "How many values the launches of a group, its variants included, gave for each pointer among their "
      "parameters, and for each number of 4 bytes that was not always the same. What was not followed to the "
      "end has no row.";
  static constexpr std::string_view kKey = "group_id, parameter, byte";
  static constexpr std::int64_t kSince = 17;
  static constexpr auto kColumns = base::pack(
      Column("group_id", &Row::group_id, "The group, of variants the first."),
      Column("parameter", &Row::parameter, "The parameter's number, from 0.").within(kNumber),
      Column("byte", &Row::byte, "Where in the parameter, if it is a structure.").within(kNumber),
      Column("different", &Row::different, "Different values; 4: so many or more."),
      Column(
          "span_bytes", &Row::span_bytes,
          "Of a pointer: from the lowest of the first four addresses to the highest. NULL: it is a number."));
};

template <>
struct Table<model::UnifiedMemory> {
  using Row = model::UnifiedMemory;
  static constexpr std::string_view kName = "unified_memory";
  static constexpr std::string_view kDoc = "A migration of managed memory, page faults, or what they led to.";
  static constexpr std::string_view kKey = "id";
  static constexpr std::int64_t kSince = 2;
  static constexpr auto kColumns = base::pack(
      Column("id", &Row::id, "This row."), Column("process_id", &Row::process_id, "The process."),
      Column("event", &Row::event, "What happened."),
      Column("address", &Row::address, "Where the memory begins, in the process.").within(kAddress),
      Column("amount", &Row::amount, "Bytes of a migration; else the faults, or what CUPTI counts."),
      moment("start_ns", &Row::start_ns, "When it began."),
      Column("duration_ns", &Row::duration_ns, "How long it took; NULL: not reported."),
      Column("source_device_id", &Row::source_device_id, "From which device; NULL: the host."),
      Column("destination_device_id", &Row::destination_device_id, "To which device; NULL: the host."));
};

template <>
struct Table<model::L2Window> {
  using Row = model::L2Window;
  static constexpr std::string_view kName = "access_window";
  static constexpr std::string_view kDoc = "An L2 window (access policy) that the program set.";
  static constexpr std::string_view kKey = "id";
  static constexpr std::int64_t kSince = 2;
  static constexpr auto kColumns = base::pack(
      Column("id", &Row::id, "This row."), Column("process_id", &Row::process_id, "The process."),
      Column("target", &Row::target, "What it was set for."),
      Column("stream", &Row::stream, "CUPTI's number of the stream; NULL: not for a stream.").within(kNumber),
      Column("group_id", &Row::group_id, "The launch's group; NULL: not for a launch."),
      moment("set_ns", &Row::set_ns, "When."),
      Column("address", &Row::address, "Where it begins.").within(kAddress),
      Column("bytes", &Row::bytes, "Its size; 0 takes the L2 window away."),
      Column("hit_ratio", &Row::hit_ratio, "Share of the accesses that get the hit property."),
      Column("hit_property", &Row::hit_property, "How those are cached."),
      Column("miss_property", &Row::miss_property, "How the others are."),
      Column("call_site_id", &Row::call_site_id, "Who set it; NULL: not known.").since(5));
};

template <>
struct Table<model::L2Setting> {
  using Row = model::L2Setting;
  static constexpr std::string_view kName = "l2_setting";
  static constexpr std::string_view kDoc = "L2 set aside for persisting accesses, or persisting lines reset.";
  static constexpr std::string_view kKey = "id";
  static constexpr std::int64_t kSince = 2;
  static constexpr auto kColumns =
      base::pack(Column("id", &Row::id, "This row."), Column("process_id", &Row::process_id, "The process."),
                 Column("device_id", &Row::device_id, "The device; NULL: not reported."),
                 Column("action", &Row::action, "The request."), moment("set_ns", &Row::set_ns, "When."),
                 Column("bytes", &Row::bytes, "Bytes to set aside; NULL: a reset.").within(kAnyNumber),
                 Column("call_site_id", &Row::call_site_id, "Who asked; NULL: not known.").since(5));
};

}  // namespace coalescope::capture
