#include "reports/text/transfers.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "core/base/units.h"
#include "core/base/whole.h"
#include "reports/analysis/view/shown.h"
#include "reports/text/cells.h"
#include "reports/text/kernel_columns.h"

namespace coalescope::text {
namespace {

using analysis::Report;

constexpr std::int64_t kSmallCopy = 4096;  // bytes: the latency is most of its time

// Of all there are: what is summed or looked up does not depend on which rows are shown.
template <class Visit>
void for_each_transfer(const Report& report, Visit visit) {
  for (const auto* rows : {&report.transfers, &report.hidden.transfers})
    for (const auto& row : *rows) visit(row);
}

struct DirectionTotals {
  std::int64_t transfers = 0, bytes = 0, gpu_ns = 0, pageable_bytes = 0, timed_bytes = 0, untimed = 0;
};

// Of small transfers the time of one, as the latency is nearly all of it; empty: none has a time.
std::string speed_of(const DirectionTotals& total) {
  const std::int64_t timed = total.transfers - total.untimed;
  if (total.gpu_ns <= 0 || timed <= 0) return {};
  if (total.timed_bytes / timed < kSmallCopy) return base::format_ns(total.gpu_ns / timed) + " each";
  return base::format_bandwidth(static_cast<double>(total.timed_bytes) / static_cast<double>(total.gpu_ns) *
                                1e9);
}

}  // namespace

// Of the classes of transfers that the finding is about, one on each GPU.
std::string transfer_speed(const Report& report, const analysis::Finding& finding) {
  std::int64_t bytes = 0, gpu_ns = 0, transfers = 0;
  const analysis::TransferRow* first = nullptr;
  for_each_transfer(report, [&](const analysis::TransferRow& row) {
    const analysis::SubjectRef subject{analysis::SubjectKind::transfers, row.id};
    if (std::ranges::find(finding.subjects, subject) == finding.subjects.end()) return;
    bytes += row.bytes;
    gpu_ns += row.gpu_ns.value_or(0);
    transfers += row.transfers;
    if (!first) first = &row;
  });
  if (!first) return {};
  // Of these bandwidths tell nothing: no memory makes a few bytes fast.
  if (gpu_ns > 0 && bytes / transfers < kSmallCopy) return base::format_ns(gpu_ns / transfers) + " a copy";
  std::string text =
      gpu_ns > 0 ? base::format_bandwidth(static_cast<double>(bytes) / static_cast<double>(gpu_ns) * 1e9)
                 : "through the host";
  const bool pinned = first->source_memory == model::MemoryKind::pinned ||
                      first->destination_memory == model::MemoryKind::pinned;
  if (first->reference_bandwidth && !pinned)
    text += (first->direction == model::Direction::peer_to_peer ? ", direct " : ", pinned ") +
            base::format_bandwidth(*first->reference_bandwidth);
  return text;
}

std::vector<std::string> transfer_section(const Report& report, Style style, std::size_t width) {
  std::map<model::Direction, DirectionTotals> totals;
  for_each_transfer(report, [&](const analysis::TransferRow& row) {
    auto& total = totals[row.direction];
    total.transfers += row.transfers;
    total.bytes += row.bytes;
    total.gpu_ns += row.gpu_ns.value_or(0);
    if (row.gpu_ns)
      total.timed_bytes += row.bytes;
    else
      total.untimed += row.transfers;
    if (row.source_memory == model::MemoryKind::pageable ||
        row.destination_memory == model::MemoryKind::pageable)
      total.pageable_bytes += row.bytes;
  });
  std::vector<std::string> lines;
  if (totals.empty()) return lines;
  lines.push_back(style.heading(pad_right("Transfers", kRankIndent + 17) + pad_left("copies", 9) +
                                pad_left("bytes", 11) + pad_left("GPU time", 10) + pad_left("speed", 14)));
  for (const auto& [direction, total] : totals) {
    const double bytes = static_cast<double>(total.bytes);
    std::string line(kRankIndent, ' ');
    line += pad_right(direction == model::Direction::set ? "memory set" : spoken(name_of(direction)), 17);
    line += pad_left(base::format_count(total.transfers), 9);
    line += pad_left(base::format_bytes(bytes), 11);
    line += pad_left(total.untimed == total.transfers ? "n/m" : base::format_ns(total.gpu_ns), 10);
    if (const std::string speed = speed_of(total); !speed.empty()) line += pad_left(speed, 14);
    if (total.untimed > 0)
      line += fmt::format("  {}not timed{}",
                          total.untimed < total.transfers ? base::format_count(total.untimed) + " " : "",
                          direction == model::Direction::set ? "" : ": through the host");
    if (total.pageable_bytes > 0)
      line += "  " + base::format_share(static_cast<double>(total.pageable_bytes) / bytes) + " pageable";
    lines.push_back(cut_end(line, width));
  }
  return lines;
}

}  // namespace coalescope::text
