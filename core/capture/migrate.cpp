#include "core/capture/migrate.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <unistd.h>

#include "core/base/clean.h"
#include "core/capture/schema.h"

namespace coalescope::capture {
namespace {

using base::ErrorCode;
using base::Result;

base::Failure refuse(ErrorCode code, const std::string& path, std::string_view why, std::string remedy) {
  return base::failure(code, fmt::format("cannot read '{}': {}", path, why), std::move(remedy));
}

constexpr const char* kNameACapture = "name a file that 'coalescope record' has written";
constexpr const char* kRecordAgain = "record the program again";

// All that SQLite knows of a table and that the templates rely on, as one text to compare.
using Shapes = std::map<std::string, std::string, std::less<>>;

std::string column_shape(std::string_view name, std::string_view type, bool not_null, bool hidden) {
  return fmt::format("{} {}{}{};", name, type, not_null ? " NOT NULL" : "", hidden ? " GENERATED" : "");
}

std::string expected_shape(const TableInfo& table) {
  std::string shape = "table STRICT:";
  for (const ColumnInfo& column : table.columns)
    shape += column_shape(column.name, column.type, !column.nullable, false);
  return shape;
}

Result<Shapes> found_shapes(Database& database) {
  Result<Statement> query = database.prepare(
      "SELECT t.name, t.type, t.strict, c.name, c.type, c.\"notnull\", c.hidden "
      "FROM pragma_table_list AS t JOIN pragma_table_xinfo(t.name) AS c "
      "WHERE t.schema = 'main' ORDER BY t.name, c.cid");
  if (!query) return base::relay(query);
  Shapes shapes;
  Result<bool> row = query->step();
  for (; row && *row; row = query->step()) {
    std::string& shape = shapes[std::string(query->text(0))];
    if (shape.empty()) shape = fmt::format("{}{}:", query->text(1), query->integer(2) != 0 ? " STRICT" : "");
    shape += column_shape(query->text(3), query->text(4), query->integer(5) != 0, query->integer(6) != 0);
  }
  if (!row) return base::relay(row);
  return shapes;
}

// SQLite takes the missing end of a page for zeros. A file of ours consists of whole pages, always.
Result<void> check_size(Database& database, const std::string& path) {
  const Result<std::int64_t> page_bytes = database.integer("PRAGMA page_size");
  if (!page_bytes) return base::relay(page_bytes);
  std::error_code error;
  if (std::filesystem::file_size(path, error) % static_cast<std::uintmax_t>(*page_bytes) != 0)
    return refuse(ErrorCode::damaged, path, "its end is missing", kRecordAgain);
  return {};
}

Result<void> check_tables(Database& database, const std::string& path, std::int64_t version) {
  const Result<Shapes> found = found_shapes(database);
  if (!found) return base::relay(found);
  std::vector<TableInfo> expected = tables(version);
  for (LookupInfo& lookup : lookups(version)) expected.push_back(std::move(lookup.table));
  for (const TableInfo& table : expected) {
    const auto shape = found->find(table.name);
    if (shape == found->end())
      return refuse(ErrorCode::damaged, path, fmt::format("its table '{}' is missing", table.name),
                    kRecordAgain);
    if (shape->second != expected_shape(table))
      return refuse(ErrorCode::damaged, path,
                    fmt::format("its table '{}' is not as schema {} has it", table.name, version),
                    kRecordAgain);
  }
  return {};
}

// No capture of ours has them: whoever added one wants something to happen when the file is written to.
Result<void> check_inert(Database& database) {
  Result<Statement> query =
      database.prepare("SELECT type, name FROM main.sqlite_schema WHERE type IN ('trigger', 'view')");
  if (!query) return base::relay(query);
  const Result<bool> found = query->step();
  if (!found) return base::relay(found);
  if (!*found) return {};
  return base::failure(ErrorCode::damaged,
                       fmt::format("cannot write '{}': it has a {}, '{}', that coalescope never makes",
                                   database.path(), query->text(0), base::clean(query->text(1))),
                       "it can still be read; ask whoever gave it to you for the original");
}

}  // namespace

Result<void> check_file(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found)
    return refuse(ErrorCode::not_found, path, "there is no such file",
                  "check the name, or record a program with 'coalescope record'");
  if (status.type() == std::filesystem::file_type::directory)
    return refuse(ErrorCode::not_a_capture, path, "it is a folder", kNameACapture);
  if (error || ::access(path.c_str(), R_OK) != 0)
    return refuse(ErrorCode::not_permitted, path, error ? error.message() : std::strerror(errno),
                  "ask its owner for permission");
  if (status.type() != std::filesystem::file_type::regular)
    return refuse(ErrorCode::not_a_capture, path, "it is not a file", kNameACapture);
  if (std::filesystem::file_size(path, error) == 0)
    return refuse(ErrorCode::not_a_capture, path, "it is empty", kNameACapture);
  return {};
}

Result<std::int64_t> check_schema(Database& database) {
  const std::string path = database.path();
  const Result<std::int64_t> id = database.integer("PRAGMA application_id");
  if (!id) return base::relay(id);
  if (*id != kApplicationId)
    return refuse(ErrorCode::not_a_capture, path, "it is a database of another program", kNameACapture);
  Result<std::int64_t> version = database.integer("PRAGMA user_version");
  if (!version) return base::relay(version);
  if (*version > kSchemaVersion)
    return refuse(ErrorCode::newer_schema, path,
                  fmt::format("its schema {} is newer than this build's {}", *version, kSchemaVersion),
                  "use a later coalescope");
  if (*version < kOldestSchema)
    return refuse(ErrorCode::damaged, path, fmt::format("there is no schema {}", *version), kRecordAgain);
  const Result<void> checked =
      check_size(database, path).and_then([&] { return check_tables(database, path, *version); });
  if (!checked) return base::relay(checked);
  return version;
}

Result<void> check_current_schema(Database& database) {
  const Result<std::int64_t> version = check_schema(database);
  if (!version) return base::relay(version);
  if (*version < kSchemaVersion)
    return base::failure(ErrorCode::not_permitted,
                         fmt::format("cannot write '{}': its schema {} is older than this build's {}",
                                     database.path(), *version, kSchemaVersion),
                         "it can still be read; record the program again to have one that can be written");
  return check_inert(database);
}

std::string copy_sql(const TableInfo& table, std::int64_t part_version, const IdOffsets& offsets,
                     std::int64_t later_ns) {
  if (table.since > part_version) return {};
  std::string values;
  for (const ColumnInfo& column : table.columns) {
    if (!values.empty()) values += ", ";
    if (column.since > part_version) {
      values += column.fallback;
      continue;
    }
    const auto offset =
        offsets.find(column.refers_to.empty() && column.name == table.key ? table.name : column.refers_to);
    values += column.name;
    if (offset != offsets.end()) values += fmt::format(" + {}", offset->second);
    if (column.moment) values += fmt::format(" + {}", later_ns);
  }
  return fmt::format("INTO main.{} ({}) SELECT {} FROM part.{}", table.name, column_list(table), values,
                     table.name);
}

Result<Database> brought_forward(const std::string& path, std::int64_t version) {
  Result<Database> copy = Database::temporary();
  if (!copy) return base::relay(copy);
  std::string sql = schema_sql();
  for (const TableInfo& table : tables(version)) {
    // The declaration of today, for its columns.
    for (const TableInfo& now : tables())
      if (now.name == table.name) sql += fmt::format("INSERT {};\n", copy_sql(now, version, {}, 0));
  }
  // In one transaction, so that a recorder that is still writing is read as of one moment.
  const Result<void> copied = copy->execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
                                  .and_then([&] { return copy->attach(path, "part"); })
                                  .and_then([&] { return copy->execute("BEGIN;" + sql + "COMMIT;"); })
                                  .and_then([&] { return copy->execute("DETACH part"); });
  if (!copied)
    return base::failure(copied.error().code,
                         fmt::format("cannot read '{}': {}", path, copied.error().message),
                         copied.error().remedy);
  return copy;
}

}  // namespace coalescope::capture
