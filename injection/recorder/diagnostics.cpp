#include "injection/recorder/diagnostics.h"

namespace coalescope::recorder {

void Diagnostics::add(model::Severity severity, std::string_view origin, std::string_view code,
                      std::string_view text, std::int64_t count) {
  const std::lock_guard lock(mutex_);
  const auto key = std::make_pair(std::string(origin), std::string(code));
  if (const auto found = entries_.find(key); found != entries_.end()) {
    found->second.row.count += count;
    found->second.changed = true;
    return;
  }
  if (entries_.size() >= kMostKinds) return;
  model::Diagnostic row;
  row.id = static_cast<std::int64_t>(entries_.size()) + 1;
  row.process_id = model::ProcessId{1};
  row.severity = severity;
  row.origin = key.first;
  row.code = key.second;
  row.count = count;
  row.text = text;
  entries_.emplace(key, Entry{std::move(row), true});
}

void Diagnostics::add(std::string_view origin, std::string_view code, const base::Error& error) {
  add(model::Severity::error, origin, code, error.text());
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
