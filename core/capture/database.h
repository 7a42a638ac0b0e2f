#pragma once
// A connection to one SQLite file, and a transaction on it. A connection belongs to one thread at a time.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/capture/statement.h"

struct sqlite3;

namespace coalescope::capture {

class Database {
 public:
  // Makes the file; one that exists is an error.
  [[nodiscard]] static base::Result<Database> create(const std::string& path);
  [[nodiscard]] static base::Result<Database> open_writable(const std::string& path);
  // Never writes to the file. One that is being written is read as of its last commit.
  [[nodiscard]] static base::Result<Database> open_read_only(const std::string& path);
  // Lives in memory, and on a disk only if it grows large; it goes away with the connection.
  [[nodiscard]] static base::Result<Database> temporary();

  // Runs any number of statements.
  [[nodiscard]] base::Result<void> execute(const std::string& sql);
  [[nodiscard]] base::Result<Statement> prepare(std::string_view sql);
  // Lets all that runs from now on take so many million steps of SQLite's machine, and fail then: what a
  // stranger put into a file must not keep anybody waiting for ever. A hundred are about a second.
  void limit_work(std::int64_t million_steps);
  // The first column of the only row.
  [[nodiscard]] base::Result<std::int64_t> integer(std::string_view sql);
  // Adds the tables of another file as `schema`.*, to be read only.
  [[nodiscard]] base::Result<void> attach(const std::string& path, const std::string& schema);
  // Becomes a copy of the file with these bytes.
  [[nodiscard]] base::Result<void> become(std::string_view bytes);

  [[nodiscard]] bool in_transaction() const;
  [[nodiscard]] std::string path() const;

 private:
  struct Close {
    void operator()(sqlite3* connection) const;
  };
  explicit Database(sqlite3* connection) : connection_(connection) {}
  [[nodiscard]] static base::Result<Database> open(const std::string& name, const std::string& path,
                                                   int flags);

  std::unique_ptr<std::int64_t> million_steps_left_;  // the connection looks at it
  std::unique_ptr<sqlite3, Close> connection_;
};

// Rolls back unless committed.
class Transaction {
 public:
  [[nodiscard]] static base::Result<Transaction> begin(Database& database);
  [[nodiscard]] base::Result<void> commit();

  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();

 private:
  explicit Transaction(Database& database) : database_(&database) {}
  Database* database_;
};

}  // namespace coalescope::capture
