#include "core/capture/seal.h"

#include "core/capture/migrate.h"

namespace coalescope::capture {
namespace {

using base::Result;

// Made only now: the recorder would pay for it with every row. It spares line_windows.sql a pass over all
// launches.
constexpr const char* kIndexes =
    "CREATE INDEX IF NOT EXISTS launch_by_window ON launch (window_id, group_id) WHERE window_id IS NOT NULL";

// Groups that turned out to do the same become one, with what was counted of each.
constexpr const char* kJoinGroups = R"(
BEGIN;
CREATE TEMP TABLE joined (id INTEGER PRIMARY KEY, same_as INTEGER NOT NULL);
INSERT INTO joined SELECT id, same_as FROM kernel_group WHERE same_as IS NOT NULL;
UPDATE launch SET group_id = (SELECT same_as FROM joined WHERE id = group_id)
  WHERE group_id IN (SELECT id FROM joined);
UPDATE access_window SET group_id = (SELECT same_as FROM joined WHERE id = group_id)
  WHERE group_id IN (SELECT id FROM joined);
INSERT INTO launch_total (group_id, launches, timed_launches, gpu_ns, shortest_gpu_ns)
  SELECT same_as, launches, timed_launches, gpu_ns, shortest_gpu_ns
  FROM launch_total JOIN joined ON id = group_id WHERE true
  ON CONFLICT DO UPDATE SET
    launches = launches + excluded.launches,
    timed_launches = timed_launches + excluded.timed_launches,
    gpu_ns = gpu_ns + excluded.gpu_ns,
    shortest_gpu_ns = coalesce(min(shortest_gpu_ns, excluded.shortest_gpu_ns), shortest_gpu_ns,
                               excluded.shortest_gpu_ns);
INSERT INTO coverage (group_id, phase, launches_seen, launches_measured, reason)
  SELECT same_as, phase, launches_seen, launches_measured, reason
  FROM coverage JOIN joined ON id = group_id WHERE phase <> (SELECT id FROM phase WHERE name = 'trace')
  ON CONFLICT DO UPDATE SET
    launches_seen = launches_seen + excluded.launches_seen,
    launches_measured = launches_measured + excluded.launches_measured,
    reason = CASE WHEN excluded.launches_measured > 0
                    OR reason = (SELECT id FROM coverage_reason WHERE name = 'too_few_launches')
                  THEN excluded.reason ELSE reason END;
DELETE FROM coverage WHERE phase = (SELECT id FROM phase WHERE name = 'trace')
  AND group_id IN (SELECT same_as FROM joined)
  AND (group_id IN (SELECT group_id FROM launch WHERE gpu_ns IS NOT NULL)
       OR group_id IN (SELECT group_id FROM launch_total WHERE timed_launches > 0));
INSERT INTO launch_site (group_id, call_site_id, role, launches, timed_launches, gpu_ns)
  SELECT same_as, call_site_id, role, launches, timed_launches, gpu_ns
  FROM launch_site JOIN joined ON id = group_id WHERE true
  ON CONFLICT DO UPDATE SET
    launches = launches + excluded.launches,
    timed_launches = timed_launches + excluded.timed_launches,
    gpu_ns = gpu_ns + excluded.gpu_ns;
DELETE FROM launch_site WHERE group_id IN (SELECT id FROM joined);
DELETE FROM launch_total WHERE group_id IN (SELECT id FROM joined);
DELETE FROM coverage WHERE group_id IN (SELECT id FROM joined);
DELETE FROM group_pointer WHERE group_id IN (SELECT id FROM joined);
DELETE FROM kernel_group WHERE same_as IS NOT NULL;
DROP TABLE joined;
COMMIT;
)";

Result<void> join_groups(Database& database) {
  const auto joined_groups =
      database.integer("SELECT EXISTS (SELECT 1 FROM kernel_group WHERE same_as IS NOT NULL)");
  if (!joined_groups) return base::relay(joined_groups);
  if (*joined_groups == 0) return {};
  if (Result<void> joined = database.execute(kJoinGroups); !joined) {
    (void)database.execute("ROLLBACK");
    return joined;
  }
  return {};
}

}  // namespace

Result<void> seal(Database& database) {
  // As in Writer: waiting for the disk, some 30 ms, guards against a failing machine only.
  // Leaving WAL mode brings the log into the file; it needs the file for itself alone. A journal in memory,
  // which drafts have, would keep each page that joining changes.
  return database.execute("PRAGMA synchronous = OFF")
      .and_then([&] { return database.execute("PRAGMA journal_mode = DELETE"); })
      .and_then([&] { return join_groups(database); })
      .and_then([&] { return database.execute(kIndexes); });
}

Result<void> seal(const std::string& path) {
  if (Result<void> checked = check_file(path); !checked) return base::relay(checked);
  Result<Database> database = Database::open_writable(path);
  if (!database) return base::relay(database);
  if (Result<void> checked = check_current_schema(*database); !checked) return base::relay(checked);
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
