#include "injection/recorder/diagnostics.h"

namespace coalescope::recorder {

void Diagnostics::add(const model::DiagnosticKind& kind, std::initializer_list<std::string_view> details,
                      std::int64_t count, std::string_view origin) {
  const std::lock_guard lock(mutex_);
  const auto key =
      std::make_pair(std::string(kind.origin.empty() ? origin : kind.origin), std::string(kind.code));
  if (const auto found = entries_.find(key); found != entries_.end()) {
    found->second.row.count += count;
    found->second.changed = true;
    return;
  }
  if (entries_.size() >= kMostKinds) return;
  model::Diagnostic row = make_diagnostic(kind, details);
  row.id = static_cast<std::int64_t>(entries_.size()) + 1;
  row.process_id = model::ProcessId{1};
  row.origin = key.first;
  row.count = count;
  entries_.emplace(key, Entry{std::move(row), true});
}

std::vector<model::Diagnostic> Diagnostics::take_changed() {
  const std::lock_guard lock(mutex_);
  std::vector<model::Diagnostic> rows;
  for (auto& [key, entry] : entries_) {
    if (!entry.changed) continue;
    entry.changed = false;
    rows.push_back(entry.row);
  }
  return rows;
}

}  // namespace coalescope::recorder
