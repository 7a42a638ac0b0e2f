#include "core/capture/schema.h"

#include <fmt/format.h>
#include <tuple>
#include <utility>

#include "core/capture/tables.h"

namespace coalescope::capture {
namespace {

template <class Enum>
LookupInfo describe_lookup() {
  LookupInfo lookup{{Lookup<Enum>::kName,
                     Lookup<Enum>::kDoc,
                     "id",
                     {{"id", "INTEGER", false, {}, false, "The number that other tables hold."},
                      {"name", "TEXT", false, {}, false, "What it stands for."}},
                     since_version<Lookup<Enum>>()},
                    {}};
  for (const auto& entry : Lookup<Enum>::kEntries)
    lookup.entries.push_back({static_cast<std::int64_t>(entry.value), entry.name});
  return lookup;
}

std::string create_sql(const TableInfo& table) {
  std::string sql = fmt::format("CREATE TABLE {} (\n", table.name);
  for (const ColumnInfo& column : table.columns) {
    sql += fmt::format("  {} {}{}", column.name, column.type, column.nullable ? "" : " NOT NULL");
    if (column.fallback != "NULL") sql += fmt::format(" DEFAULT {}", column.fallback);
    if (!column.refers_to.empty()) sql += fmt::format(" REFERENCES {}", column.refers_to);
    sql += ",\n";
  }
  // A single integer key is the row's own number and costs nothing; a key of several columns is the row's
  // place.
  const bool composite = table.key.find(',') != std::string_view::npos;
  return sql +
         fmt::format("  PRIMARY KEY ({})\n) STRICT{};\n", table.key, composite ? ", WITHOUT ROWID" : "");
}

}  // namespace

std::vector<TableInfo> tables(std::int64_t version) {
  auto all = []<std::size_t... index>(std::index_sequence<index...>) {
    return std::vector{describe<std::tuple_element_t<index, Tables>>()...};
  }
  (std::make_index_sequence<kTableCount>());
  std::erase_if(all, [&](const TableInfo& table) { return table.since > version; });
  for (TableInfo& table : all) {
    for (const ColumnInfo& column : table.columns)
      if (const std::string last = fmt::format(", {}", column.name);
          column.since > version && table.key.ends_with(last))
        table.key.remove_suffix(last.size());
    std::erase_if(table.columns, [&](const ColumnInfo& column) { return column.since > version; });
  }
  return all;
}

std::vector<LookupInfo> lookups(std::int64_t version) {
  auto all = []<std::size_t... index>(std::index_sequence<index...>) {
    return std::vector{describe_lookup<std::tuple_element_t<index, Lookups>>()...};
  }
  (std::make_index_sequence<std::tuple_size_v<Lookups>>());
  std::erase_if(all, [&](const LookupInfo& lookup) { return lookup.table.since > version; });
  return all;
}

std::string schema_sql(std::int64_t version) {
  std::string sql;
  for (const LookupInfo& lookup : lookups(version)) {
    sql += create_sql(lookup.table);
    // One statement each: they are read anew for every file.
    std::string_view before = "VALUES ";
    sql += fmt::format("INSERT INTO {} ", lookup.table.name);
    for (const auto& [id, name] : lookup.entries)
      sql += fmt::format("{}({}, '{}')", std::exchange(before, ", "), id, name);
    sql += ";\n";
  }
  for (const TableInfo& table : tables(version)) sql += create_sql(table);
  return sql;
}

std::string column_list(const TableInfo& table) {
  std::string list;
  for (const ColumnInfo& column : table.columns) {
    if (!list.empty()) list += ", ";
    list += column.name;
  }
  return list;
}

std::string insert_sql(const TableInfo& table, OnConflict on_conflict) {
  std::string parameters = "?";
  for (std::size_t i = 1; i < table.columns.size(); ++i) parameters += ", ?";
  return fmt::format("INSERT{} INTO {} ({}) VALUES ({})",
                     on_conflict == OnConflict::replace ? " OR REPLACE" : "", table.name, column_list(table),
                     parameters);
}

std::string select_sql(const TableInfo& table) {
  return fmt::format("SELECT {} FROM {} ORDER BY {}", column_list(table), table.name, table.key);
}

}  // namespace coalescope::capture
