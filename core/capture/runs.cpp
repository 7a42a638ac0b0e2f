#include "core/capture/runs.h"

#include <array>
#include <fmt/format.h>
#include <string_view>

#include "core/capture/schema.h"
#include "core/capture/tables.h"

// A temporary view hides the table of its name, so neither the queries nor the reader of whole tables know of
// runs. One query must: launch times are read from main.launch, for a launch that a later run measured has
// not been launched once more.

namespace coalescope::capture {
namespace {

using base::Result;

constexpr std::string_view kMaps = R"(
CREATE TEMP TABLE united_process AS
WITH numbered AS (
  SELECT id, run, host, executable, rank,
    row_number() OVER (PARTITION BY run, host, executable, rank ORDER BY began_ns, id) AS place
  FROM main.process)
SELECT later.id AS later, first.id AS id
FROM numbered AS later JOIN numbered AS first
  ON first.run = 0 AND first.place = later.place AND first.host = later.host
  AND first.executable = later.executable AND first.rank IS later.rank
WHERE later.run > 0;

CREATE TEMP TABLE united_group (later INTEGER PRIMARY KEY, id INTEGER NOT NULL, later_kernel INTEGER, kernel INTEGER);
WITH described AS (
  SELECT g.id, coalesce(u.id, g.process_id) AS process, u.id IS NOT NULL AS is_later, k.id AS kernel, k.name,
    d.ordinal, g.grid_x, g.grid_y, g.grid_z, g.block_x, g.block_y, g.block_z, g.dynamic_shared_bytes,
    g.variant, g.parameters
  FROM main.kernel_group AS g
  JOIN main.kernel AS k ON k.id = g.kernel_id
  JOIN main.process AS p ON p.id = g.process_id
  LEFT JOIN main.device AS d ON d.id = g.device_id
  LEFT JOIN united_process AS u ON u.later = g.process_id
  WHERE p.run = 0 OR u.id IS NOT NULL)
INSERT OR IGNORE INTO united_group
SELECT later.id, first.id, later.kernel, first.kernel
FROM described AS later JOIN (
  SELECT min(id) AS id, kernel, process, name, ordinal, grid_x, grid_y, grid_z, block_x, block_y, block_z,
    dynamic_shared_bytes, variant, parameters
  FROM described WHERE NOT is_later
  GROUP BY process, name, ordinal, grid_x, grid_y, grid_z, block_x, block_y, block_z, dynamic_shared_bytes,
    variant, parameters) AS first
  ON first.process = later.process AND first.name = later.name AND first.ordinal IS later.ordinal
  AND first.grid_x = later.grid_x AND first.grid_y = later.grid_y AND first.grid_z = later.grid_z
  AND first.block_x = later.block_x AND first.block_y = later.block_y AND first.block_z = later.block_z
  AND first.dynamic_shared_bytes = later.dynamic_shared_bytes
  AND first.variant IS later.variant AND first.parameters IS later.parameters
WHERE later.is_later;
CREATE TEMP TABLE united_kernel AS SELECT DISTINCT later_kernel AS later, kernel AS id FROM united_group;
CREATE TEMP TABLE first_process AS SELECT id FROM main.process WHERE run = 0;
CREATE TEMP TABLE first_group AS
SELECT id FROM main.kernel_group WHERE process_id IN (SELECT id FROM first_process);
)";

// Tables whose rows of later runs are wanted too, under the ids of the first.
struct Whole {
  std::string_view table;
  std::string_view view;  // empty: as it is
};
constexpr std::array kWhole{
    Whole{Table<model::PhaseWindow>::kName, ""},
    Whole{Table<model::Diagnostic>::kName, ""},
    Whole{Table<model::Module>::kName, ""},
    Whole{Table<model::Process>::kName, "SELECT * FROM main.process WHERE run = 0"},
    // Of a later run only what was measured, for its readings.
    Whole{Table<model::Launch>::kName,
          "SELECT l.id, coalesce(u.id, l.group_id) AS group_id, l.stream, l.start_ns, l.gpu_ns, l.window_id,"
          " l.graph_id FROM main.launch AS l LEFT JOIN united_group AS u ON u.later = l.group_id"
          " WHERE (u.id IS NOT NULL AND l.window_id IS NOT NULL)"
          " OR l.group_id IN (SELECT id FROM first_group)"},
    Whole{Table<model::Instruction>::kName,
          "SELECT i.id, coalesce(u.id, i.kernel_id) AS kernel_id, i.module_crc, i.pc_offset, i.source_state,"
          " i.file, i.line, i.operation, i.access_bytes, i.base_register, i.base_offset, i.indexed,"
          " i.parameter, i.parameter_byte FROM "
          "main.instruction AS i LEFT JOIN united_kernel AS u ON u.later = i.kernel_id"},
    // A reason tells why a run that was to measure did not; that another run was not to is none.
    Whole{Table<model::Coverage>::kName,
          "SELECT coalesce(u.id, c.group_id) AS group_id, c.phase,"
          " coalesce(max(c.launches_seen) FILTER (WHERE u.id IS NULL), 0) AS launches_seen,"
          " sum(c.launches_measured) AS launches_measured,"
          " CASE WHEN sum(c.launches_measured) > 0 THEN 0"
          " ELSE coalesce(min(r.id) FILTER (WHERE r.name NOT IN ('measured', 'phase_off')), min(r.id))"
          " END AS reason"
          " FROM main.coverage AS c JOIN main.coverage_reason AS r ON r.id = c.reason"
          " LEFT JOIN united_group AS u ON u.later = c.group_id"
          " WHERE u.id IS NOT NULL OR c.group_id IN (SELECT id FROM first_group)"
          " GROUP BY coalesce(u.id, c.group_id), c.phase ORDER BY 1, 2"},
};

const Whole* find_whole(std::string_view table) {
  for (const Whole& whole : kWhole)
    if (whole.table == table) return &whole;
  return nullptr;
}

// The rows that belong to a process of the first run, or to one of its groups; empty if none belongs to
// either.
std::string first_run_only(const TableInfo& table) {
  struct Owner {
    std::string_view table;
    std::string_view ids;
  };
  constexpr std::array kOwners{Owner{Table<model::Process>::kName, "first_process"},
                               Owner{Table<model::KernelGroup>::kName, "first_group"}};
  for (const Owner& owner : kOwners)
    for (const ColumnInfo& column : table.columns)
      if (column.refers_to == owner.table)
        return fmt::format("SELECT * FROM main.{} WHERE {} IN (SELECT id FROM {})", table.name, column.name,
                           owner.ids);
  return {};
}

std::string views_sql() {
  std::string sql;
  for (const TableInfo& table : tables()) {
    const Whole* whole = find_whole(table.name);
    const std::string select = whole ? std::string(whole->view) : first_run_only(table);
    if (!select.empty()) sql += fmt::format("CREATE TEMP VIEW {} AS {};\n", table.name, select);
  }
  return sql;
}

}  // namespace

Result<UnitedRuns> unite_runs(Database& database) {
  // Without its first run there is nothing that the later ones could complete.
  const Result<std::int64_t> last =
      database.integer("SELECT CASE min(run) WHEN 0 THEN max(run) ELSE 0 END FROM process");
  if (!last) return base::relay(last);
  UnitedRuns united;
  if (*last <= 0) return united;
  united.runs = *last + 1;
  const Result<void> done =
      database.execute(std::string(kMaps)).and_then([&] { return database.execute(views_sql()); });
  if (!done) return base::relay(done);
  const Result<std::int64_t> left = database.integer(
      "SELECT count(*) FROM main.kernel_group AS g WHERE g.id NOT IN (SELECT later FROM united_group)"
      " AND g.id NOT IN (SELECT id FROM first_group)");
  if (!left) return base::relay(left);
  united.groups_only_later = *left;
  return united;
}

}  // namespace coalescope::capture
