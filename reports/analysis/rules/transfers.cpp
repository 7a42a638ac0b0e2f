// T01: large copies between the device and pageable memory, which the driver stages through a buffer of its
// own. T02: copies so small that their fixed cost is most of their time; they are T02's whatever their
// memory. T06: copies between GPUs that go through the host.

#include <algorithm>
#include <fmt/format.h>

#include "core/base/units.h"
#include "core/base/whole.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rows/transfer_rows.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

using model::Direction;
using model::MemoryKind;

constexpr double kIsPageable = 1;
constexpr double kManyCopies = 100;
constexpr double kLeastPeerBytes = 1 << 20;
constexpr double kDetour = 1.5;
constexpr std::int64_t kLeastBursts = 4;  // fewer may be of different memory, as in a set-up

Measure pageable(const TransferSubject& subject) {
  const auto memory = host_memory(subject.row);
  if (!memory) return measured(0);
  if (*memory == MemoryKind::unknown) return not_measured("the kind of the host's memory was not recorded");
  return measured(*memory == MemoryKind::pageable && mean_bytes(subject.row) > kSmallCopyBytes ? 1 : 0);
}

Measure small_copies(const TransferSubject& subject) {
  const TransferRow& row = subject.row;
  const auto memory = host_memory(row);
  if (!memory && !is_within_device(row.direction)) return measured(0);
  // Others cost nothing where kernels run beside them.
  double share = memory && is_waited_for(row.asynchronous, *memory) ? 1 : 1 - row.beside_others.value_or(0);
  // A copy between two kernels has nothing beside it to be joined with.
  if (is_within_device(row.direction)) share = std::min(share, row.in_a_row.value_or(1));
  return measured(mean_bytes(row) <= kSmallCopyBytes ? share * static_cast<double>(row.transfers) : 0);
}

// How much faster the direct path is.
Measure peer_detour(const TransferSubject& subject) {
  if (subject.row.direction != Direction::peer_to_peer || mean_bytes(subject.row) < kLeastPeerBytes)
    return measured(0);
  if (!subject.machine.peer)
    return not_measured("how fast these GPUs copy with peer access is not calibrated on this machine");
  if (!subject.row.through_host)
    return measured(subject.machine.peer->bandwidth / std::max(1.0, subject.row.bandwidth.value_or(0)));
  if (!subject.machine.peer_staged)
    return not_measured("how fast these GPUs copy through the host is not calibrated on this machine");
  return measured(subject.machine.peer->bandwidth / subject.machine.peer_staged->bandwidth);
}

Evidence moved(const TransferRow& row) {
  const std::string speed =
      row.bandwidth ? "at " + base::format_bandwidth(*row.bandwidth) : "through the host";
  const std::string all = base::format_bytes(static_cast<double>(row.bytes));
  FactList facts;
  facts.count("copies", row.transfers, "copies")
      .add("mean_bytes", mean_bytes(row), "bytes")
      .count("bytes", row.bytes, "bytes")
      .add("bandwidth", row.bandwidth, "bytes_per_s")
      .count("bursts", row.bursts, "bursts");
  if (row.transfers == 1) return {facts.take(), fmt::format("1 copy of {} {}", all, speed)};
  return {facts.take(),
          fmt::format("{} copies of {} on average, {} in all {}", base::format_count(row.transfers),
                      base::format_bytes(mean_bytes(row)), all, speed)};
}

std::string reference_text(const TransferRow& row) {
  return fmt::format("pinned memory reaches {} ({})", base::format_bandwidth(*row.reference_bandwidth),
                     row.reference.value_or("origin unknown"));
}

// What a class of transfers loses against the same bytes at the row's reference bandwidth.
Cost slow_transfer_cost(const TransferRow& row) {
  if (!row.reference_bandwidth) return unknown_cost(kNotCalibrated);
  const double reference_ns = static_cast<double>(row.bytes) / *row.reference_bandwidth * 1e9;
  return {std::max<std::int64_t>(0, rounded(real(row.gpu_ns) - reference_ns)), reference_text(row)};
}

// A call that copies a few times probably has memory of its own, as for the results of one of several
// kernels.
bool each_place_copies_seldom(const TransferRow& row) {
  std::int64_t copies = 0, most = 0;
  for (const SiteUse& use : row.call_sites) {
    copies = base::sum_of(copies, use.calls);
    most = std::max(most, use.calls);
  }
  return copies == row.transfers && most < kLeastBursts;
}

// How long the GPU idles because these calls wait, which would return at once if the memory was pinned.
std::int64_t idle_of_calls_ns(const TransferRow& row) {
  if (!row.asynchronous || row.waited_apart) return 0;
  std::int64_t sum = 0;
  for (const SiteUse& use : row.call_sites) base::add_to(sum, use.idle_ns);
  return sum;
}

// Pinning memory takes about as long as one copy of it saves, so that the first burst gains nothing. That
// burst may take far longer than the others: where the host never touched the memory before, its pages are
// made during the copy, and pinned memory needs them as well.
Cost pageable_cost(const TransferRow& row) {
  if (!row.reference_bandwidth || !row.bursts) return slow_transfer_cost(row);
  const std::string pinning = ": pinning memory takes about as long as one copy of it saves";
  if (*row.bursts < kLeastBursts || !row.later_ns_per_byte)
    return {0, fmt::format("no byte is known to have been copied more than {}{}",
                           *row.bursts == 1 ? "once" : "three times", pinning)};
  if (each_place_copies_seldom(row)) return {0, "no call copies more than three times" + pinning};
  const double bytes = static_cast<double>(row.bytes) - real(row.first_burst_bytes);
  const double faster = bytes * (*row.later_ns_per_byte - 1e9 / *row.reference_bandwidth);
  // Kernels that run beside the copies take their time whatever the copies take.
  const double apart = bytes * *row.later_ns_per_byte * (1 - row.time_beside_kernels.value_or(0));
  const double saved = std::min(faster, apart);
  const std::int64_t idle = idle_of_calls_ns(row);
  return {base::sum_of(std::max<std::int64_t>(0, rounded(saved)), idle),
          reference_text(row) + "; what the first copies would save pays for pinning the memory" +
              (apart < faster ? fmt::format("; kernels run beside these copies for {} of their time",
                                            base::format_share(*row.time_beside_kernels))
                              : std::string()) +
              (idle > 0 ? fmt::format("; the GPU idles {} behind calls that wait for no other reason",
                                      base::format_ns(idle))
                        : std::string())};
}

Assessment assess_pageable(const TransferSubject& subject) {
  const Measure is_pageable = pageable(subject);
  if (!is_pageable.reaches(kIsPageable)) return {is_pageable};
  const std::string advice =
      "Allocate the host side with cudaHostAlloc, or pin it once with cudaHostRegister, and reuse it";
  const bool asynchronous = subject.row.asynchronous;
  return {is_pageable,
          pageable_cost(subject.row),
          moved(subject.row),
          {asynchronous ? "T01.pin_asynchronous" : "T01.pin",
           {},
           advice + (asynchronous ? "; from pageable memory even cudaMemcpyAsync waits." : ".")}};
}

// What the bytes of a copy of average size take in a large one of the same memory; 0: not known.
double packed_ns(const TransferRow& row, const Machine& machine) {
  if (is_within_device(row.direction))
    return machine.dram ? 2 * mean_bytes(row) / machine.dram->bandwidth * 1e9 : 0;
  const bool to_host = row.direction == Direction::device_to_host;
  const bool pinned = host_memory(row) == MemoryKind::pinned;
  const auto& curve = to_host ? (pinned ? machine.pinned_to_host : machine.pageable_to_host)
                              : (pinned ? machine.pinned_to_device : machine.pageable_to_device);
  if (!curve) return 0;
  const double best = std::ranges::max(curve->curve.points, {}, &profile::Point::y).y;  // GB/s: bytes a ns
  return best > 0 ? mean_bytes(row) / best : 0;
}

// Nine in ten calls of Python take less (docs/jury.md, T02). While the GPU idles for longer, the host does
// something else.
constexpr double kLongestCallNs = 20'000;

// How long the GPU idles before a copy that follows another one, because the host takes so long for the call.
// What is waited for is T03's.
double idle_for_calls_ns(const TransferRow& row) {
  const auto memory = host_memory(row);
  if (!memory || row.waited_for || is_waited_for(row.asynchronous, *memory)) return 0;
  return std::min(real(row.idle_in_a_row_ns), kLongestCallNs) * row.in_a_row.value_or(0);
}

// What many small transfers lose against the same bytes in batches.
Cost small_transfer_cost(const TransferRow& row, const Machine& machine) {
  if (!machine.copy_ns) return unknown_cost(kNotCalibrated);
  const double taken_ns = real(row.gpu_ns) / std::max(1.0, static_cast<double>(row.transfers));
  const double own_ns = std::clamp(taken_ns - packed_ns(row, machine), 0.0, real(machine.copy_ns));
  const double fixed_ns = std::max(least_queued_ns(row, machine), own_ns);
  const double paced_ns = own_ns + idle_for_calls_ns(row);
  const double joined = is_within_device(row.direction) ? row.in_a_row.value_or(1) : 1;
  const double all = joined * static_cast<double>(row.transfers - 1);
  if (paced_ns > fixed_ns)
    return {rounded(paced_ns * all),
            fmt::format("each copy takes {}, as the GPU waits for the host's calls; in a queue it takes {} "
                        "however small it is",
                        base::format_ns(rounded(paced_ns)), base::format_ns(rounded(fixed_ns)))};
  return {
      rounded(fixed_ns * all),
      fmt::format("each copy takes {} however small it is; the host's own time for the calls comes on top",
                  base::format_ns(rounded(fixed_ns)))};
}

Advice pack_copies(const TransferRow& row) {
  if (is_within_device(row.direction))
    return {"T02.gather",
            {},
            "Let one kernel copy many pieces: hand it a list of their places, or use "
            "cub::DeviceMemcpy::Batched or cudaMemcpyBatchAsync.",
            "copy many small pieces at once ({})"};
  return {"T02.pack",
          {},
          "Pack the data and copy them at once, or keep them on the device between kernels. Where a loop "
          "copies a result to test it, test it on the device, or every n-th round."};
}

Assessment assess_small_copies(const TransferSubject& subject) {
  const Measure count = small_copies(subject);
  if (!count.reaches(kManyCopies)) return {count};
  return {count, small_transfer_cost(subject.row, subject.machine), moved(subject.row),
          pack_copies(subject.row)};
}

// What copies between two GPUs lose by going through the host.
Cost peer_detour_cost(const TransferRow& row, const Machine& machine) {
  if (!row.through_host) return slow_transfer_cost(row);
  if (!machine.peer || !machine.peer_staged) return unknown_cost(kNotCalibrated);
  const double bytes = static_cast<double>(row.bytes);
  return {
      rounded(std::max(0.0, bytes / machine.peer_staged->bandwidth - bytes / machine.peer->bandwidth) * 1e9),
      fmt::format("copies with peer access reach {}, those through the host {} ({})",
                  base::format_bandwidth(machine.peer->bandwidth),
                  base::format_bandwidth(machine.peer_staged->bandwidth), machine.peer->source)};
}

Assessment assess_peer_copies(const TransferSubject& subject) {
  const Measure times = peer_detour(subject);
  if (!times.reaches(kDetour)) return {times};
  return {times,
          peer_detour_cost(subject.row, subject.machine),
          moved(subject.row),
          {"T06.peer_access",
           {},
           "Ask cudaDeviceCanAccessPeer, and call cudaDeviceEnablePeerAccess once for each pair of GPUs, "
           "before the first copy between them."}};
}

}  // namespace

constinit const Rule<TransferSubject> kPageableCopies{
    {.id = "T01",
     .title = "Copies of pageable memory",
     .repair = "pin the host memory of copies ({})",
     .families = "D1",
     .measure = "1: copies of pageable memory above 64 KiB",
     .limit = kIsPageable,
     .unpriced_limit = kIsPageable,
     .note = true,
     .calibrated = "D1: on an H100 7.8 GB/s against 55.0 to the device, 10.6 against 54.6 back",
     .ended_by = "T03 T05",
     .added_to = "T03"},
    assess_pageable,
    nullptr};

constinit const Rule<TransferSubject> kSmallCopies{{.id = "T02",
                                                    .title = "Many small copies",
                                                    .repair = "pack small copies into larger ones ({})",
                                                    .families = "D2",
                                                    .measure = "copies of 64 KiB or less on average",
                                                    .limit = kManyCopies,
                                                    .unpriced_limit = kManyCopies,
                                                    .note = false,
                                                    .calibrated = "D2: pinned copies of 4 KiB reach 1.6 GB/s",
                                                    .ended_by = "T03"},
                                                   assess_small_copies,
                                                   nullptr};

constinit const Rule<TransferSubject> kPeerCopies{
    {"T06", "Copies between GPUs through the host", "let the GPUs copy to each other directly", "D8",
     "how many times faster they are with peer access", kDetour, kDetour, false,
     "D8: copies without peer access speak, with it they do not"},
    assess_peer_copies,
    nullptr};

}  // namespace coalescope::analysis
