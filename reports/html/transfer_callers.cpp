#include "reports/html/transfer_callers.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "reports/analysis/rows/call_stacks.h"

namespace coalescope::html {
namespace {

using analysis::TransferRow;
using Key = std::tuple<std::string, model::Direction, model::MemoryKind, model::MemoryKind, bool, bool>;
using Callers = std::map<Key, TransferCaller>;

// A part of a class: what one site called, or what nobody looked at.
struct Moved {
  std::int64_t transfers = 0, bytes = 0, gpu_ns = 0;
};

void add(TransferCaller& caller, const TransferRow& row, const Moved& part) {
  const bool first = caller.transfers == 0;
  caller.transfers += part.transfers;
  caller.bytes += part.bytes;
  caller.smallest_bytes = first ? row.smallest_bytes : std::min(caller.smallest_bytes, row.smallest_bytes);
  caller.largest_bytes = std::max(caller.largest_bytes, row.largest_bytes);
  if (first || caller.gpu_ns)
    caller.gpu_ns = row.gpu_ns ? std::optional(caller.gpu_ns.value_or(0) + part.gpu_ns) : std::nullopt;
  const bool known = row.reference_bandwidth.value_or(0) > 0;
  if (first || caller.reference_ns)
    caller.reference_ns =
        known ? std::optional(caller.reference_ns.value_or(0) +
                              static_cast<double>(part.bytes) / *row.reference_bandwidth * 1e9)
              : std::nullopt;
}

TransferCaller& of_line(Callers& callers, const TransferRow& row, const std::string& line) {
  TransferCaller& caller = callers[{line, row.direction, row.source_memory, row.destination_memory,
                                    row.asynchronous, row.through_host}];
  caller.caller = line;
  caller.ends = row;
  return caller;
}

}  // namespace

std::vector<TransferCaller> transfer_callers(const analysis::Report& report) {
  const analysis::CallStacks stacks(report.call_sites);
  Callers callers;
  for (const TransferRow& row : report.transfers) {
    Moved rest{row.transfers, row.bytes, row.gpu_ns.value_or(0)};
    for (const auto& use : row.call_sites) {
      const auto* frame = stacks.own_frame(use.call_site_id);
      if (frame == nullptr || !use.bytes) continue;
      TransferCaller& caller = of_line(callers, row, frame_text(*frame));
      if (caller.callers.empty()) caller.callers = stacks.text(use.call_site_id);
      add(caller, row, {use.calls, *use.bytes, use.gpu_ns});
      rest = {rest.transfers - use.calls, rest.bytes - *use.bytes, rest.gpu_ns - use.gpu_ns};
    }
    if (rest.transfers > 0) add(of_line(callers, row, ""), row, rest);
  }
  std::vector<TransferCaller> list;
  for (auto& [key, caller] : callers) list.push_back(std::move(caller));
  std::ranges::stable_sort(list, std::greater{}, &TransferCaller::gpu_ns);
  return list;
}

}  // namespace coalescope::html
