#include "reports/analysis/rows/call_lines.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace coalescope::analysis {

CallLines::CallLines(std::span<const CallSiteRow> rows) {
  const auto is_module = [](const CallSiteRow& row) { return row.kind == model::FrameKind::torch_module; };
  if (std::ranges::none_of(rows, is_module)) return;
  Sites sites;
  for (const CallSiteRow& row : rows) sites.emplace(row.id, &row);
  for (const CallSiteRow& row : rows) find(sites, row.id);
  first_.clear();
}

std::int64_t CallLines::of(std::int64_t site) const {
  const auto found = lines_.find(site);
  return found == lines_.end() ? site : found->second;
}

// From the outermost caller whose line is not known yet to the site.
void CallLines::find(const Sites& sites, std::int64_t id) {
  std::vector<const CallSiteRow*> open;
  for (std::optional<std::int64_t> at = id; at;) {
    const auto site = sites.find(*at);
    // A damaged capture may hold a ring of callers: one that was met already is taken for the outermost.
    if (site == sites.end() || !lines_.emplace(*at, 0).second) break;
    open.push_back(site->second);
    at = site->second->caller_id;
  }
  std::ranges::reverse(open);
  for (const CallSiteRow* row : open) lines_[row->id] = line_of(*row);
}

std::int64_t CallLines::line_of(const CallSiteRow& row) {
  const std::int64_t caller = row.caller_id ? of(*row.caller_id) : 0;
  if (row.kind == model::FrameKind::torch_module) return caller;
  Key key{row.process_id,      caller, row.kind, row.module, row.offset, row.function, row.file.value_or(""),
          row.line.value_or(0)};
  return first_.emplace(std::move(key), row.id).first->second;
}

}  // namespace coalescope::analysis
