#include "core/capture/seal.h"

#include "core/capture/migrate.h"

namespace coalescope::capture {
namespace {

using base::Result;

// Made only now: the recorder would pay for it with every row. It spares line_windows.sql a pass over all
// launches.
constexpr const char* kIndexes =
    "CREATE INDEX IF NOT EXISTS launch_by_window ON launch (window_id, group_id) WHERE window_id IS NOT NULL";

}  // namespace

Result<void> seal(Database& database) {
  // As in Writer: waiting for the disk, some 30 ms, guards against a failing machine only.
  if (Result<void> set = database.execute("PRAGMA synchronous = OFF"); !set) return set;
  if (Result<void> made = database.execute(kIndexes); !made) return made;
  // Leaving WAL mode brings the log into the file; it needs the file for itself alone.
  return database.execute("PRAGMA journal_mode = DELETE");
}

Result<void> seal(const std::string& path) {
  if (Result<void> checked = check_file(path); !checked) return checked;
  Result<Database> database = Database::open_writable(path);
  if (!database) return tl::unexpected(std::move(database.error()));
  if (Result<void> checked = check_current_schema(*database); !checked) return checked;
  return seal(*database);
}

bool is_open_elsewhere(const std::string& path) {
  Result<Database> database = Database::open_writable(path);
  // Whoever writes keeps the file in WAL mode, and holds a lock on it until its process ends.
  const Result<void> left =
      database.and_then([](Database& file) { return file.execute("PRAGMA journal_mode = DELETE"); });
  return !left && left.error().code == base::ErrorCode::busy;
}

}  // namespace coalescope::capture
