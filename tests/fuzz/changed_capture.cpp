#include "tests/fuzz/changed_capture.h"

#include <array>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <limits>
#include <sqlite3.h>
#include <stdexcept>

#include "core/capture/schema.h"

namespace coalescope::fuzz {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
// Ends of ranges, and what sums and products of a few of them pass.
constexpr std::array<std::int64_t, 24> kNumbers{
    0,         1,         2,         3,         7,         31,        32,           33,
    -1,        1 << 10,   1 << 20,   1LL << 31, 1LL << 32, 1LL << 40, 1LL << 50,    1LL << 53,
    1LL << 59, 1LL << 60, 1LL << 61, 1LL << 62, kMax,      -kMax - 1, -(1LL << 61), 1'000'000'000'000'000};
constexpr std::array<double, 12> kReals{
    0, 1, -1, 0.5, 1e-300, 1e15, 1e18, -1e18, 1e19, 1e300, 31.99, std::numeric_limits<double>::infinity()};
// Names that something is looked up by, and those that parsers stumble over.
constexpr std::array<std::string_view, 30> kTexts{
    "",
    "NVIDIA H100 80GB HBM3",
    "NVIDIA H200",
    "_Z4copyILi3EfEvPT0_PKS0_i",
    "_Z1fIN1aIN1bIS1_EES2_EEEvT_",
    "_ZN2at6native18elementwise_kernelILi128ELi4EZNS0_15gpu_kernel_implIZZZNS0_EEvv",
    "void a::b<c<(anonymous namespace)::d>, 3>(int*)",
    "((((((((((((((((((((((((((((((((<<<<<<<<<<<<<<<<<<<<<<<<",
    "[\"./app\",\"-x\"]",
    "[\"\\ud800\",{}]",
    "{\"budget\":\"1e308%\"}",
    "{\"budget\":\"9e18s\"}",
    "{\"budget\":[[[[[[",
    "/dev/zero",
    "kernel.cu",
    "../../../../etc/passwd",
    "a\nb\x1b[2J\t\"<&>'|`*_",
    "\xff\xfe\xc3\x28\xf0\x9f",
    "dram_copy",
    "shared_conflicts/4",
    "copy_host_to_device_pinned/4096",
    "residency_full/1048576",
    "atomics/8",
    "bandwidth_gb_s",
    "bandwidth_gb_s_iqr",
    "rate_g_s",
    "ns",
    "bytes",
    "no_cuda",
    "A3",
};

void run(sqlite3* connection, const std::string& sql) {
  if (sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    throw std::runtime_error(sqlite3_errmsg(connection));
}

void bind_value(sqlite3_stmt* statement, const capture::ColumnInfo& column, Bytes& bytes) {
  const std::uint8_t how = bytes.byte();
  if (column.nullable && how >= 0xf0) {
    sqlite3_bind_null(statement, 1);
  } else if (column.type == "INTEGER") {
    const auto chosen = how < 0x40   ? static_cast<std::int64_t>(how % 8)
                        : how < 0xe0 ? kNumbers.at(how % kNumbers.size())
                                     : static_cast<std::int64_t>(bytes.word());
    sqlite3_bind_int64(statement, 1, chosen);
  } else if (column.type == "REAL") {
    sqlite3_bind_double(statement, 1,
                        how < 0xe0 ? kReals.at(how % kReals.size()) : std::bit_cast<double>(bytes.word()));
  } else if (how < 0xc0) {
    const std::string_view text = kTexts.at(how % kTexts.size());
    sqlite3_bind_text(statement, 1, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
  } else {
    std::string text(bytes.below(how < 0xf0 ? 16 : 255), '\0');
    for (char& c : text) c = static_cast<char>(bytes.byte());
    sqlite3_bind_text(statement, 1, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
  }
}

// What breaks a constraint is left as it was.
void run_with_value(sqlite3* connection, const std::string& sql, const capture::ColumnInfo& column,
                    Bytes& bytes) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(connection, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK)
    throw std::runtime_error(sqlite3_errmsg(connection));
  bind_value(statement, column, bytes);
  (void)sqlite3_step(statement);
  sqlite3_finalize(statement);
}

// One row's cell; or, by `how`, that of all rows.
std::string update_sql(const capture::TableInfo& table, const capture::ColumnInfo& column, std::size_t how) {
  std::string all = fmt::format("UPDATE OR IGNORE {} SET {} = ?1", table.name, column.name);
  if (how >= 12) return all;
  return all +
         fmt::format(" WHERE ({0}) IN (SELECT {0} FROM {1} LIMIT 1 OFFSET {2})", table.key, table.name, how);
}

// Up to 64 rows like one, with other keys.
std::string copy_rows_sql(const capture::TableInfo& table, std::size_t row, std::size_t copies) {
  const std::string_view key = table.key.substr(0, table.key.find(','));
  std::string values;
  for (const capture::ColumnInfo& column : table.columns)
    values += fmt::format("{}{}", values.empty() ? "" : ", ",
                          column.name == key ? fmt::format("{} + n.i + 8", key) : std::string(column.name));
  return fmt::format(
      "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {4}) INSERT OR IGNORE INTO "
      "{0} ({1})"
      " SELECT {2} FROM (SELECT * FROM {0} LIMIT 1 OFFSET {3}), n",
      table.name, capture::column_list(table), values, row, copies);
}

}  // namespace

void ChangedCapture::Close::operator()(sqlite3* connection) const {
  sqlite3_close(connection);
}

ChangedCapture::ChangedCapture(const std::filesystem::path& capture) {
  std::ifstream file(capture, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  sqlite3* connection = nullptr;
  sqlite3_open(":memory:", &connection);
  connection_.reset(connection);
  auto* held = static_cast<unsigned char*>(sqlite3_malloc64(bytes.size()));
  std::memcpy(held, bytes.data(), bytes.size());
  const auto size = static_cast<sqlite3_int64>(bytes.size());
  if (sqlite3_deserialize(connection, "main", held, size, size,
                          SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE) != SQLITE_OK)
    throw std::runtime_error(sqlite3_errmsg(connection));
}

void ChangedCapture::change_rows(Bytes& bytes) {
  static const std::vector<capture::TableInfo> kTables = capture::tables();
  constexpr int kMostChanges = 24;
  for (int change = 0; change < kMostChanges && !bytes.empty(); ++change) {
    const std::size_t what = bytes.below(8);
    const capture::TableInfo& table = kTables[bytes.below(kTables.size())];
    const std::size_t row = bytes.below(16);
    if (what == 0) {
      // Keys at the end of their range cannot grow: then the table stays as it was.
      (void)sqlite3_exec(connection_.get(), copy_rows_sql(table, row, bytes.below(64)).c_str(), nullptr,
                         nullptr, nullptr);
      continue;
    }
    const capture::ColumnInfo& column = table.columns[bytes.below(table.columns.size())];
    run_with_value(connection_.get(), update_sql(table, column, row), column, bytes);
  }
}

std::string ChangedCapture::content() const {
  sqlite3_int64 size = 0;
  unsigned char* bytes = sqlite3_serialize(connection_.get(), "main", &size, 0);
  std::string content(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  sqlite3_free(bytes);
  return content;
}

void ChangedCapture::write(Bytes& bytes, const std::string& path) {
  // Every eighth is damaged as a file, too.
  const std::size_t patches = bytes.byte() >= 0xe0 ? 1 + bytes.below(8) : 0;
  std::vector<std::pair<std::size_t, std::uint8_t>> patched;
  for (std::size_t i = 0; i < patches; ++i) {
    const std::size_t place = (bytes.below(256) * 256 + bytes.below(256)) * 256 + bytes.below(256);
    patched.emplace_back(place, bytes.byte());
  }
  run(connection_.get(), "BEGIN");
  change_rows(bytes);
  std::string file = content();
  run(connection_.get(), "ROLLBACK");
  for (const auto& [place, value] : patched) file[place % file.size()] = static_cast<char>(value);
  std::ofstream(path, std::ios::binary | std::ios::trunc) << file;
}

}  // namespace coalescope::fuzz
