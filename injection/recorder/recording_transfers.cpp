// What a recording learns from the calls for copies and memory sets, and when these need records.

#include <mutex>

#include "injection/recorder/recording.h"

namespace coalescope::recorder {

std::optional<model::CallSiteId> Recording::work_called(std::uint32_t correlation,
                                                        std::optional<std::uint64_t> address) {
  const auto site = call_sites_.here(Look::call);
  if (!site) return site;
  launch_sites_.called(correlation, *site);
  if (address && !arbiter_->in_stream_capture()) launch_sites_.names(correlation, *address);
  return site;
}

// While copies have no records, nobody asks where they come from, and their bytes are not compared.
void Recording::copy_called(std::uint32_t correlation, const std::optional<CopyCall>& copy) {
  if (!copy) copies_need_records();
  if (copy) copy_counts_.called(*copy, correlation);
  const bool downloads = copy && copy->direction == model::Direction::device_to_host;
  if (downloads) upload_contents_.downloaded({*copy->host, copy->bytes});
  if (!copy_records_come_) return;
  const bool is_made = arbiter_->in_stream_capture();
  const auto site =
      work_called(correlation, copy && !downloads ? std::optional(copy->device_address) : std::nullopt);
  if (!site || is_made || !copy || copy->direction != model::Direction::host_to_device) return;
  launch_sites_.called(correlation, *site, upload_contents_.look(*site, {*copy->host, copy->bytes}));
}

void Recording::set_called(std::uint32_t correlation, std::optional<std::uint64_t> address) {
  set_ns_ = backend_.now_ns();
  record_copies();
  (void)work_called(correlation, address);
}

void Recording::copies_need_records() {
  copy_counts_.give_up();
  record_copies();
}

void Recording::record_copies() {
  if (copy_records_come_) return;
  const std::lock_guard lock(trace_mutex_);
  (void)trace_alone({.kernels = records_come_, .copies = true});
}

// Copies in such a stream become parts of a graph, and have no record when they are called.
void Recording::stream_capture_begins() {
  copies_need_records();
  arbiter_->stream_capture_began();
}

}  // namespace coalescope::recorder
