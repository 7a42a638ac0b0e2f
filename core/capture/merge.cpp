#include "core/capture/merge.h"

#include <filesystem>
#include <fmt/format.h>
#include <string_view>

#include "core/capture/database.h"
#include "core/capture/migrate.h"
#include "core/capture/reader.h"
#include "core/capture/schema.h"
#include "core/capture/tables.h"

// A merge is attach, renumber, copy: each id of the part grows by the highest id that the target has in the
// table it belongs to, and each moment by the time that lies between the beginnings of the two captures.

namespace coalescope::capture {
namespace {

using base::Result;

// The numbers of metrics and of enumerations mean the same in every capture: their tables are united.
constexpr std::string_view kMetricTable = Table<model::MetricUsed>::kName;

Result<IdOffsets> id_offsets(Database& target) {
  IdOffsets offsets;
  for (const TableInfo& table : tables()) {
    if (table.key != "id" || table.name == kMetricTable) continue;
    const Result<std::int64_t> highest =
        target.integer(fmt::format("SELECT coalesce(max(id), 0) FROM main.{}", table.name));
    if (!highest) return base::relay(highest);
    offsets[table.name] = *highest;
  }
  return offsets;
}

Result<void> copy_all(Database& target) {
  Result<Transaction> transaction = Transaction::begin(target);
  if (!transaction) return base::relay(transaction);
  const Result<IdOffsets> offsets = id_offsets(target);
  if (!offsets) return base::relay(offsets);
  const Result<std::int64_t> later_ns = target.integer(
      "SELECT coalesce((SELECT started_unix_ns FROM part.capture) -"
      " (SELECT started_unix_ns FROM main.capture), 0)");
  if (!later_ns) return base::relay(later_ns);
  const Result<std::int64_t> version = target.integer("PRAGMA part.user_version");
  if (!version) return base::relay(version);
  std::string sql;
  const auto copy = [&](const TableInfo& table, std::string_view how) {
    const std::string rows = copy_sql(table, *version, *offsets, *later_ns);
    if (!rows.empty()) sql += fmt::format("{} {};\n", how, rows);
  };
  for (const LookupInfo& lookup : lookups()) copy(lookup.table, "INSERT OR IGNORE");
  for (const TableInfo& table : tables())
    if (table.name != Table<model::Capture>::kName)
      copy(table, table.name == kMetricTable ? "INSERT OR IGNORE" : "INSERT");
  // Code that several processes loaded is kept once: whoever looks for it goes by its checksum.
  sql +=
      "UPDATE main.module SET code = NULL WHERE code IS NOT NULL AND EXISTS (SELECT 1 FROM main.module AS "
      "earlier WHERE earlier.id < module.id AND earlier.crc = module.crc AND earlier.code = module.code);\n";
  if (Result<void> copied = target.execute(sql); !copied) return base::relay(copied);
  return transaction->commit();
}

}  // namespace

Result<void> merge_into(const std::string& target_path, const std::string& part_path) {
  // Each is looked at by itself first, so that an error names the right file.
  for (const std::string& path : {target_path, part_path})
    if (const Result<Reader> reader = Reader::open(path); !reader) return base::relay(reader);
  std::error_code error;
  if (std::filesystem::equivalent(target_path, part_path, error))
    return base::failure(base::ErrorCode::usage, fmt::format("cannot merge '{}' into itself", part_path),
                         "name two captures");
  Result<Database> target = Database::open_writable(target_path);
  if (!target) return base::relay(target);
  if (Result<void> checked = check_current_schema(*target); !checked) return base::relay(checked);
  Result<void> merged = target->execute("PRAGMA synchronous = OFF")
                            .and_then([&] { return target->attach(part_path, "part"); })
                            .and_then([&] { return copy_all(*target); });
  if (!merged)
    merged.error().message = fmt::format("cannot merge '{}': {}", part_path, merged.error().message);
  return merged;
}

}  // namespace coalescope::capture
