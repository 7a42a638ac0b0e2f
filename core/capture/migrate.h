#pragma once
// Says whether a file is a capture that this build can read, and brings an older one forward. What a version
// added is declared with the tables (Column::since, kSince): rows of an older file are copied as they are,
// and what it did not have is NULL, or the fallback that the column names. The file itself is never changed.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/capture/database.h"
#include "core/capture/schema.h"

namespace coalescope::capture {

// Refuses what is no file, is empty or cannot be read, before SQLite opens it: opening a pipe would wait.
[[nodiscard]] base::Result<void> check_file(const std::string& path);

// Compares application id, version and each table with the declarations of that version, which it returns.
[[nodiscard]] base::Result<std::int64_t> check_schema(Database& database);
// The same, and refuses an older version and triggers: for files that are about to be written to.
[[nodiscard]] base::Result<void> check_current_schema(Database& database);

// A copy of the file's tables in a temporary database of this build's version.
[[nodiscard]] base::Result<Database> brought_forward(const std::string& path, std::int64_t version);

// "INTO main.T (...) SELECT ... FROM part.T" for a part of the given version: ids grow by the offset of the
// table that they belong to, moments by `later_ns`. Empty if that version has no such table.
using IdOffsets = std::map<std::string_view, std::int64_t>;
std::string copy_sql(const TableInfo& table, std::int64_t part_version, const IdOffsets& offsets,
                     std::int64_t later_ns);

}  // namespace coalescope::capture
