#include "core/capture/database.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>
#include <utility>

#include "core/capture/sqlite_failure.h"

namespace coalescope::capture {
namespace {

using base::ErrorCode;
using base::Result;

// Readers never block a writer in WAL mode; this is for a second writer, or a checkpoint at the wrong moment.
constexpr int kBusyTimeoutMs = 500;

// A connection is used by one thread only, and needs no lock of its own. URIs are for attach().
constexpr int kOpenFlags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI;

// No capture needs more: its schema and our queries are all that there is. Only fixtures hold rows in
// statements, and they are written.
struct Limit {
  int what;
  int most;
  bool of_readers;
};
constexpr std::array kLimits{
    Limit{SQLITE_LIMIT_SQL_LENGTH, 1 << 20, true},   Limit{SQLITE_LIMIT_VDBE_OP, 100'000, true},
    Limit{SQLITE_LIMIT_COLUMN, 200, false},          Limit{SQLITE_LIMIT_EXPR_DEPTH, 100, false},
    Limit{SQLITE_LIMIT_COMPOUND_SELECT, 20, false},  Limit{SQLITE_LIMIT_FUNCTION_ARG, 16, false},
    Limit{SQLITE_LIMIT_ATTACHED, 2, false},          Limit{SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000, false},
    Limit{SQLITE_LIMIT_VARIABLE_NUMBER, 200, false}, Limit{SQLITE_LIMIT_TRIGGER_DEPTH, 1, false},
    Limit{SQLITE_LIMIT_WORKER_THREADS, 0, false},
};
// Of all connections that only read; SQLite itself asks for a page or a row at a time.
constexpr std::int64_t kMostHeapBytes = std::int64_t{1} << 28;

// Anything but 0 stops the query.
int count_a_million(void* left) {
  return --*static_cast<std::int64_t*>(left) < 0 ? 1 : 0;
}

// A name that SQLite cannot take for something else: ":memory:" and "file:x" are files here.
std::string plain_name(const std::string& path) {
  return path.starts_with('/') ? path : "./" + path;
}

std::string uri(const std::string& path, std::string_view parameters) {
  std::string encoded = path.starts_with('/') ? "file://" : "file:";
  for (const char c : plain_name(path)) {
    if (c == '%' || c == '?' || c == '#')
      encoded += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    else
      encoded += c;
  }
  return fmt::format("{}?{}", encoded, parameters);
}

// Byte 18 of the header is 2 while a file is in WAL mode. It is read through SQLite's own descriptor: closing
// another one would drop every lock that this process holds on the file.
bool in_wal_mode(sqlite3* connection) {
  sqlite3_file* file = nullptr;
  unsigned char version = 0;
  return sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK &&
         file != nullptr && file->pMethods->xRead(file, &version, 1, 18) == SQLITE_OK && version == 2;
}

// In WAL mode without a log nobody writes, and all is in the file. Opened as usual, SQLite would put a log
// beside it and leave it there, or fail where the folder cannot be written to.
constexpr std::string_view kAtRest = "mode=ro&immutable=1";
bool is_at_rest(sqlite3* connection) {
  // Of a link SQLite's log lies beside the file that it leads to.
  const char* log = sqlite3_filename_wal(sqlite3_db_filename(connection, "main"));
  return in_wal_mode(connection) && (log == nullptr || ::access(log, F_OK) != 0);
}

}  // namespace

void Database::Close::operator()(sqlite3* connection) const {
  sqlite3_close_v2(connection);
}

Result<Database> Database::open(const std::string& name, const std::string& path, int flags) {
  sqlite3* connection = nullptr;
  const int status = sqlite3_open_v2(name.c_str(), &connection, flags | kOpenFlags, nullptr);
  Database database(connection);
  if (status != SQLITE_OK) {
    const bool writable = (flags & SQLITE_OPEN_READWRITE) != 0;
    return sqlite_failure(connection, status, writable ? "write" : "read", path);
  }
  sqlite3_busy_timeout(connection, kBusyTimeoutMs);
  // Captures are read on other machines than they were recorded on: what a file says of itself is not
  // believed.
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);  // but for our temporary ones
  const bool reads = (flags & SQLITE_OPEN_READONLY) != 0;
  for (const Limit& limit : kLimits)
    if (reads || !limit.of_readers) sqlite3_limit(connection, limit.what, limit.most);
  if (reads) sqlite3_hard_heap_limit64(kMostHeapBytes);
  if (Result<void> set = database.execute("PRAGMA cell_size_check = ON"); !set) return base::relay(set);
  return database;
}

Result<Database> Database::create(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    const bool exists = errno == EEXIST;
    return base::failure(
        exists            ? ErrorCode::usage
        : errno == ENOENT ? ErrorCode::not_found
                          : ErrorCode::not_permitted,
        fmt::format("cannot create '{}': {}", path, std::strerror(errno)),
        exists ? "name another file, or remove this one" : "name a file in a folder that you can write to");
  }
  ::close(descriptor);
  return open(plain_name(path), path, SQLITE_OPEN_READWRITE);
}

Result<Database> Database::open_writable(const std::string& path) {
  return open(plain_name(path), path, SQLITE_OPEN_READWRITE);
}

Result<Database> Database::open_read_only(const std::string& path) {
  Result<Database> database = open(plain_name(path), path, SQLITE_OPEN_READONLY);
  if (!database || !is_at_rest(database->connection_.get())) return database;
  return open(uri(path, kAtRest), path, SQLITE_OPEN_READONLY);
}

Result<Database> Database::temporary() {
  return open("", "a temporary file", SQLITE_OPEN_READWRITE);
}

Result<void> Database::execute(const std::string& sql) {
  const int status = sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (status != SQLITE_OK) return sqlite_failure(connection_.get(), status);
  return {};
}

Result<Statement> Database::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int status = sqlite3_prepare_v3(connection_.get(), sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (status != SQLITE_OK) return sqlite_failure(connection_.get(), status);
  return Statement(statement);
}

Result<std::int64_t> Database::integer(std::string_view sql) {
  Result<Statement> statement = prepare(sql);
  if (!statement) return base::relay(statement);
  if (Result<bool> row = statement->step(); !row) return base::relay(row);
  return statement->integer(0);
}

Result<void> Database::attach(const std::string& path, const std::string& schema) {
  std::string name;
  {
    Result<Database> other = open(plain_name(path), path, SQLITE_OPEN_READONLY);
    if (!other) return base::relay(other);
    name = uri(path, is_at_rest(other->connection_.get()) ? kAtRest : "mode=ro");
  }
  Result<Statement> statement = prepare("ATTACH ?1 AS " + schema);
  if (!statement) return base::relay(statement);
  statement->bind(0, name);
  return statement->run();
}

Result<void> Database::become(std::string_view bytes) {
  Result<Database> other = open(":memory:", "memory", SQLITE_OPEN_READWRITE);
  if (!other) return base::relay(other);
  sqlite3* const from = other->connection_.get();
  const auto size = static_cast<sqlite3_int64>(bytes.size());
  // SQLite asks for bytes that it may change, but does not change a database that is read only.
  auto* const data = reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data()));
  if (const int status = sqlite3_deserialize(from, "main", data, size, size, SQLITE_DESERIALIZE_READONLY);
      status != SQLITE_OK)
    return sqlite_failure(from, status);
  sqlite3_backup* const copy = sqlite3_backup_init(connection_.get(), "main", from, "main");
  if (copy == nullptr) return sqlite_failure(connection_.get(), sqlite3_errcode(connection_.get()));
  sqlite3_backup_step(copy, -1);
  const int status = sqlite3_backup_finish(copy);
  if (status != SQLITE_OK) return sqlite_failure(connection_.get(), status);
  return {};
}

void Database::limit_work(std::int64_t million_steps) {
  million_steps_left_ = std::make_unique<std::int64_t>(million_steps);
  sqlite3_progress_handler(connection_.get(), 1'000'000, count_a_million, million_steps_left_.get());
}

bool Database::in_transaction() const {
  return sqlite3_get_autocommit(connection_.get()) == 0;
}

std::string Database::path() const {
  return sqlite3_db_filename(connection_.get(), "main");
}

Result<Transaction> Transaction::begin(Database& database) {
  if (Result<void> begun = database.execute("BEGIN IMMEDIATE"); !begun) return base::relay(begun);
  return Transaction(database);
}

Result<void> Transaction::commit() {
  return database_->execute("COMMIT");
}

Transaction::~Transaction() {
  // SQLite may have rolled back already, after an error of the disk; a failure now leaves the same state.
  if (database_ != nullptr && database_->in_transaction()) (void)database_->execute("ROLLBACK");
}

}  // namespace coalescope::capture
