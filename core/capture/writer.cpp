#include "core/capture/writer.h"

#include <utility>

#include "coalescope_capture_embedded.h"
#include "core/capture/migrate.h"
#include "core/capture/seal.h"

namespace coalescope::capture {

using base::Result;

Result<Writer> Writer::create_draft(const std::string& path) {
  Result<Database> database = Database::create(path);
  if (!database) return base::relay(database);
  const Result<void> made =
      database->execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF").and_then([&] {
        return database->become(empty_coal());
      });
  if (!made) return base::relay(made);
  return Writer(std::move(*database));
}

// The tables come before the log, so that the file says what it is even when its log is lost.
Result<Writer> Writer::create(const std::string& path) {
  Result<Writer> draft = create_draft(path);
  if (!draft) return base::relay(draft);
  return with_log(std::move(draft->database_));
}

Result<Writer> Writer::open(const std::string& path) {
  if (Result<void> checked = check_file(path); !checked) return base::relay(checked);
  Result<Database> database = Database::open_writable(path);
  if (!database) return base::relay(database);
  if (Result<void> checked = check_current_schema(*database); !checked) return base::relay(checked);
  return with_log(std::move(*database));
}

// In WAL mode a commit is one append. Waiting for the disk guards against a failing machine only: a file of a
// killed process is whole without it.
Result<Writer> Writer::with_log(Database database) {
  if (Result<void> set = database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF"); !set)
    return base::relay(set);
  return Writer(std::move(database));
}

Result<void> Writer::begin() {
  return database_.execute("BEGIN IMMEDIATE");
}

Result<void> Writer::seal() {
  statements_ = {};  // an open one would keep the log in use
  return commit().and_then([this] { return capture::seal(database_); });
}

Result<void> Writer::commit() {
  if (!database_.in_transaction()) return {};
  return database_.execute("COMMIT");
}

Result<void> Writer::roll_back() {
  if (!database_.in_transaction()) return {};
  return database_.execute("ROLLBACK");
}

}  // namespace coalescope::capture
