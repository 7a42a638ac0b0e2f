#include "core/capture/statement.h"

#include <sqlite3.h>
#include <utility>

#include "core/capture/sqlite_failure.h"

namespace coalescope::capture {

using base::Result;

void Statement::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

void Statement::note(int status) {
  if (bind_error_ == SQLITE_OK) bind_error_ = status;
}

void Statement::bind(int parameter, std::int64_t value) {
  note(sqlite3_bind_int64(statement_.get(), parameter + 1, value));
}
void Statement::bind(int parameter, double value) {
  note(sqlite3_bind_double(statement_.get(), parameter + 1, value));
}
void Statement::bind(int parameter, std::string_view value) {
  // A null pointer would bind NULL; an empty text is not missing.
  note(sqlite3_bind_text64(statement_.get(), parameter + 1, value.empty() ? "" : value.data(), value.size(),
                           SQLITE_STATIC, SQLITE_UTF8));
}
void Statement::bind(int parameter, std::span<const std::byte> value) {
  note(value.empty()
           ? sqlite3_bind_zeroblob(statement_.get(), parameter + 1, 0)
           : sqlite3_bind_blob64(statement_.get(), parameter + 1, value.data(), value.size(), SQLITE_STATIC));
}
void Statement::bind_null(int parameter) {
  note(sqlite3_bind_null(statement_.get(), parameter + 1));
}

Result<bool> Statement::step() {
  const int status = bind_error_ != SQLITE_OK ? bind_error_ : sqlite3_step(statement_.get());
  if (status == SQLITE_ROW) return true;
  if (status == SQLITE_DONE) return false;
  return sqlite_failure(sqlite3_db_handle(statement_.get()), status);
}

Result<void> Statement::run() {
  Result<bool> row = step();
  while (row && *row) row = step();
  sqlite3_reset(statement_.get());
  bind_error_ = SQLITE_OK;
  if (!row) return base::relay(row);
  return {};
}

namespace {

Statement::Type type_of(int sqlite_type) {
  switch (sqlite_type) {
    case SQLITE_INTEGER:
      return Statement::Type::integer;
    case SQLITE_FLOAT:
      return Statement::Type::real;
    case SQLITE_TEXT:
      return Statement::Type::text;
    case SQLITE_BLOB:
      return Statement::Type::blob;
    default:
      return Statement::Type::null;
  }
}

}  // namespace

Statement::Type Statement::type(int column) const {
  return type_of(sqlite3_column_type(statement_.get(), column));
}
Statement::Type Statement::integer(int column, std::int64_t& value) const {
  // "Unprotected" for other threads only, and a connection has one.
  sqlite3_value* held = sqlite3_column_value(statement_.get(), column);
  const Type type = type_of(sqlite3_value_type(held));
  if (type == Type::integer) value = sqlite3_value_int64(held);
  return type;
}
std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}
double Statement::real(int column) const {
  return sqlite3_column_double(statement_.get(), column);
}
std::string_view Statement::text(int column) const {
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  const int bytes = sqlite3_column_bytes(statement_.get(), column);
  return data == nullptr ? std::string_view{} : std::string_view{data, static_cast<std::size_t>(bytes)};
}
std::span<const std::byte> Statement::blob(int column) const {
  const auto* data = static_cast<const std::byte*>(sqlite3_column_blob(statement_.get(), column));
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}
std::string_view Statement::column_name(int column) const {
  return sqlite3_column_name(statement_.get(), column);
}
int Statement::columns() const {
  return sqlite3_column_count(statement_.get());
}

}  // namespace coalescope::capture
