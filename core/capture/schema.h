#pragma once
// The declarations of tables.h as plain data and as SQL.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/capture/columns.h"

namespace coalescope::capture {

// "coal": marks our files (PRAGMA application_id).
inline constexpr std::int64_t kApplicationId = 0x636f616c;

// PRAGMA user_version. It grows with every change of a table.
inline constexpr std::int64_t kSchemaVersion = 19;
inline constexpr std::int64_t kOldestSchema = 1;

struct LookupInfo {
  struct Entry {
    std::int64_t id;
    std::string_view name;
  };
  TableInfo table;
  std::vector<Entry> entries;
};

// Each after those that it refers to, with the columns that a file of that version has.
std::vector<TableInfo> tables(std::int64_t version = kSchemaVersion);
std::vector<LookupInfo> lookups(std::int64_t version = kSchemaVersion);

// Makes the tables in an empty file, and fills those of the enumerations.
std::string schema_sql(std::int64_t version = kSchemaVersion);

// "id, pid, ...", for SELECT and INSERT.
std::string column_list(const TableInfo& table);

enum class OnConflict { fail, replace };
std::string insert_sql(const TableInfo& table, OnConflict on_conflict);
std::string select_sql(const TableInfo& table);

}  // namespace coalescope::capture
