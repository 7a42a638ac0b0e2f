#include "tests/bounds/filled_capture.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>
#include <stdexcept>

#include "core/capture/database.h"
#include "core/capture/schema.h"
#include "core/capture/seal.h"
#include "core/capture/writer.h"
#include "reports/analysis/analyse.h"
#include "reports/csv/csv.h"
#include "reports/html/page.h"
#include "reports/json/json.h"
#include "reports/markdown/markdown.h"
#include "reports/sarif/sarif.h"
#include "reports/text/text.h"

namespace coalescope::bounds {
namespace {

using capture::ColumnInfo;
using capture::TableInfo;

void must(const base::Result<void>& done) {
  if (!done) throw std::runtime_error(done.error().text());
}

// Where rows of any other kind are left out of the report; elsewhere each kind has its turn.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kKinds{{
    {"phase", "lines"},
    {"outcome", "measured"},
    {"hit_property", "persisting"},
    {"miss_property", "streaming"},
    {"target", "stream"},
    {"verdict", "measured"},
    {"kind", "managed"},
}};

const capture::LookupInfo* lookup_of(const ColumnInfo& column) {
  static const std::vector<capture::LookupInfo> kLookups = capture::lookups();
  for (const auto& lookup : kLookups)
    if (lookup.table.name == column.refers_to) return &lookup;
  return nullptr;
}

// The kind that matters most, or the first few in turn.
std::string kind_sql(const ColumnInfo& column, const capture::LookupInfo& lookup) {
  constexpr std::size_t kMostKinds = 5;
  for (const auto& [name, kind] : kKinds)
    for (const auto& entry : lookup.entries)
      if (column.name == name && entry.name == kind) return std::to_string(entry.id);
  std::string sql = fmt::format("CASE i % {}", std::min(kMostKinds, lookup.entries.size()));
  for (std::size_t at = 0; at < std::min(kMostKinds, lookup.entries.size()); ++at)
    sql += fmt::format(" WHEN {} THEN {}", at, lookup.entries[at].id);
  return sql + " END";
}

std::string number_sql(const TableInfo& table, const ColumnInfo& column, Shape shape) {
  if (table.name == "process" && column.name == "run") return "0";
  if (column.name == "module_crc" || column.name == "crc") return "7";
  if (column.moment) {
    const int step = column.name.starts_with("end") || column.name.starts_with("freed") ? 5000 : 0;
    return shape == Shape::alike ? fmt::format("{}", 1000 + step) : fmt::format("i * 1000 + {}", step);
  }
  if (column.type == "REAL") return "i + 0.5";
  if (shape == Shape::alike) return "1000";
  return shape == Shape::apart ? "i * 4096" : "4096 + i % 50";
}

std::int64_t count_of(std::string_view table, const Rows& rows) {
  if (table == "capture" || table == "metric") return 1;
  const auto own = rows.of_table.find(table);
  return own == rows.of_table.end() ? rows.of_each : own->second;
}

std::string value_sql(const TableInfo& table, const ColumnInfo& column, Shape shape, const Rows& rows) {
  if (column.name == table.key ||
      (table.key.find(',') != std::string_view::npos && table.key.starts_with(column.name)))
    return "i";
  if (column.name == "metric_id") return "1 + i % 35";
  if (const auto* lookup = lookup_of(column)) return kind_sql(column, *lookup);
  if (!column.refers_to.empty()) {
    const std::int64_t owners = shape == Shape::alike ? 1 : count_of(column.refers_to, rows);
    return fmt::format("1 + (i - 1) % {}",
                       shape == Shape::mixed ? std::min<std::int64_t>(20, owners) : owners);
  }
  if (column.type == "TEXT")
    return shape == Shape::apart   ? fmt::format("'{} ' || i", column.name)
           : shape == Shape::alike ? "'name'"
                                   : "'name ' || (i % 30)";
  if (column.type == "BLOB") return "x'00'";
  return number_sql(table, column, shape);
}

bool is_truth(const ColumnInfo& column) {
  static const std::set<std::string_view> kTruths{"clean",
                                                  "ecc",
                                                  "integrated",
                                                  "can_map_host_memory",
                                                  "asynchronous",
                                                  "timed",
                                                  "pytorch_pool",
                                                  "indexed",
                                                  "unified_addressing",
                                                  "managed_memory",
                                                  "concurrent_managed_access",
                                                  "pageable_memory_access",
                                                  "host_native_atomics",
                                                  "memory_pools"};
  return kTruths.contains(column.name);
}

std::string fill_sql(const TableInfo& table, Shape shape, const Rows& rows) {
  std::string values;
  for (const ColumnInfo& column : table.columns)
    values += fmt::format("{}{}", values.empty() ? "" : ", ",
                          is_truth(column) ? std::string("1") : value_sql(table, column, shape, rows));
  return fmt::format(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {}) INSERT OR IGNORE INTO {} "
      "({})"
      " SELECT {} FROM n;\n",
      count_of(table.name, rows), table.name, capture::column_list(table), values);
}

}  // namespace

void make_filled(const std::filesystem::path& path, Shape shape, const Rows& rows) {
  std::filesystem::remove(path);
  if (auto writer = capture::Writer::create(path.string()); !writer)
    throw std::runtime_error(writer.error().text());
  must(capture::seal(path.string()));
  std::string sql = "PRAGMA synchronous = OFF; BEGIN;\n";
  for (const TableInfo& table : capture::tables()) sql += fill_sql(table, shape, rows);
  change(path, sql + "COMMIT;");
}

void change(const std::filesystem::path& path, const std::string& sql) {
  auto database = capture::Database::open_writable(path.string());
  if (!database) throw std::runtime_error(database.error().text());
  must(database->execute(sql));
}

std::size_t show(const std::filesystem::path& path, Formats formats) {
  const auto report = analysis::analyse(path.string());
  if (!report) throw std::runtime_error(report.error().text());
  std::size_t bytes = json::to_json(*report, 2).size();
  bytes += html::to_html(*report).size();
  if (formats == Formats::largest) return bytes;
  bytes += text::to_text(*report, {}).size();
  bytes += text::to_text(*report, {.verbose = true}).size();
  bytes += markdown::to_markdown(*report).size();
  bytes += sarif::to_sarif(*report, "0").size();
  for (const std::string& table : csv::table_names())
    bytes += csv::to_csv(*report, *csv::table_of(table)).size();
  return bytes;
}

}  // namespace coalescope::bounds
