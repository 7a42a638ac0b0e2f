#include "reports/analysis/rows/call_line_rows.h"

#include <algorithm>
#include <map>
#include <utility>

#include "reports/analysis/rows/call_stacks.h"

namespace coalescope::analysis {

std::vector<CallLineRow> call_line_rows(std::span<const CallSiteRow> sites) {
  const CallStacks stacks(sites);
  std::map<std::pair<std::string, std::int64_t>, CallLineRow> lines;
  for (const CallSiteRow& site : sites) {
    const SiteTimes& times = site.exclusive;
    if (times.kernel_ns + times.transfer_ns + times.wait_ns == 0) continue;
    const CallSiteRow* const frame = stacks.own_frame(site.id);
    if (frame == nullptr || !frame->own || !frame->file || !frame->line) continue;
    CallLineRow& line = lines[{*frame->file, *frame->line}];
    line.file = *frame->file;
    line.line = *frame->line;
    line.function = frame->function;
    line.times.kernel_ns += times.kernel_ns;
    line.times.transfer_ns += times.transfer_ns;
    line.times.wait_ns += times.wait_ns;
  }
  std::vector<CallLineRow> rows;
  for (auto& [place, line] : lines) rows.push_back(std::move(line));
  std::ranges::stable_sort(rows, std::greater{}, gpu_ns);
  return rows;
}

}  // namespace coalescope::analysis
