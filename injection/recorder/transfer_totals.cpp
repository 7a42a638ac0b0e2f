#include "injection/recorder/transfer_totals.h"

#include <algorithm>

namespace coalescope::recorder {

model::TransferTotal total_of(const model::Transfer& transfer) {
  model::TransferTotal total;
  total.process_id = model::ProcessId{1};
  total.device_id = transfer.device_id;
  total.direction = transfer.direction;
  total.source_memory = transfer.source_memory;
  total.destination_memory = transfer.destination_memory;
  total.asynchronous = transfer.asynchronous;
  total.size_class = model::size_class(transfer.bytes);
  total.timed = transfer.gpu_ns > 0;
  total.transfers = 1;
  total.bytes = total.smallest_bytes = total.largest_bytes = transfer.bytes;
  total.gpu_ns = std::max<std::int64_t>(0, transfer.gpu_ns);
  return total;
}

void TransferTotals::add(const model::TransferTotal& more) {
  const Class key{more.device_id,    more.direction,  more.source_memory, more.destination_memory,
                  more.asynchronous, more.size_class, more.timed};
  const auto [found, is_new] = all_.try_emplace(key, more);
  if (is_new) return;
  model::TransferTotal& total = found->second;
  total.transfers += more.transfers;
  total.bytes += more.bytes;
  total.smallest_bytes = std::min(total.smallest_bytes, more.smallest_bytes);
  total.largest_bytes = std::max(total.largest_bytes, more.largest_bytes);
  total.gpu_ns += more.gpu_ns;
}

}  // namespace coalescope::recorder
