#pragma once
// Writes rows to a capture. It never throws (but for lack of memory), has no static state, and every row it
// has committed survives the process's death.

#include <array>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/capture/binding.h"
#include "core/capture/database.h"
#include "core/capture/schema.h"
#include "core/capture/tables.h"

namespace coalescope::capture {

class Writer {
 public:
  // Makes the file with its empty tables; one that exists is an error.
  [[nodiscard]] static base::Result<Writer> create(const std::string& path);
  // The same, without a log, which takes milliseconds: for a file that is worth nothing unless it is
  // finished.
  [[nodiscard]] static base::Result<Writer> create_draft(const std::string& path);
  // Goes on with a capture that exists; one that was sealed must be sealed again.
  [[nodiscard]] static base::Result<Writer> open(const std::string& path);

  // The first row after a commit opens a transaction. What is not committed is gone with the Writer.
  template <class Row>
  [[nodiscard]] base::Result<void> insert(const Row& row) {
    return write(row, OnConflict::fail);
  }
  // Takes the place of the row with the same key, if there is one.
  template <class Row>
  [[nodiscard]] base::Result<void> replace(const Row& row) {
    return write(row, OnConflict::replace);
  }
  [[nodiscard]] base::Result<void> commit();
  // Commits, and makes one plain file of it, as seal() does.
  [[nodiscard]] base::Result<void> seal();
  [[nodiscard]] base::Result<void> roll_back();

 private:
  // Prepared at first use and kept: half of the time of an INSERT would go into parsing it.
  struct Statements {
    std::optional<Statement> insert;
    std::optional<Statement> replace;
  };

  explicit Writer(Database database) : database_(std::move(database)) {}
  [[nodiscard]] static base::Result<Writer> with_log(Database database);
  [[nodiscard]] base::Result<void> begin();

  template <class Row>
  [[nodiscard]] base::Result<void> write(const Row& row, OnConflict on_conflict) {
    Statements& both = statements_[table_index<Row>()];
    std::optional<Statement>& statement = on_conflict == OnConflict::fail ? both.insert : both.replace;
    if (!statement) {
      base::Result<Statement> prepared = database_.prepare(insert_sql(describe<Row>(), on_conflict));
      if (!prepared) return base::relay(prepared);
      statement = std::move(*prepared);
    }
    if (!database_.in_transaction()) {
      if (base::Result<void> begun = begin(); !begun) return base::relay(begun);
    }
    bind_row(*statement, row);
    return statement->run();
  }

  Database database_;
  std::array<Statements, kTableCount> statements_;
};

}  // namespace coalescope::capture
