#pragma once
// A prepared statement: parameters bound, rows stepped through, columns read. sqlite3.h stays out of headers.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "core/base/error.h"
#include "core/capture/cell_source.h"

struct sqlite3_stmt;

namespace coalescope::capture {

class Statement final : public CellSource {
 public:
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}

  // Parameters count from 0. Text and blobs must live until the statement has run. A parameter that cannot be
  // bound makes the next step fail.
  void bind(int parameter, std::int64_t value);
  void bind(int parameter, double value);
  void bind(int parameter, std::string_view value);
  void bind(int parameter, std::span<const std::byte> value);
  void bind_null(int parameter);

  // True: a row is there to be read, until the next step.
  [[nodiscard]] base::Result<bool> step();
  // Runs to the end, and makes the statement ready to be bound again.
  [[nodiscard]] base::Result<void> run();

  [[nodiscard]] Type type(int column) const override;
  [[nodiscard]] std::int64_t integer(int column) const;
  // Both at once, in half the time.
  [[nodiscard]] Type integer(int column, std::int64_t& value) const override;
  [[nodiscard]] double real(int column) const override;
  [[nodiscard]] std::string_view text(int column) const override;
  [[nodiscard]] std::span<const std::byte> blob(int column) const override;
  [[nodiscard]] std::string_view column_name(int column) const override;
  [[nodiscard]] int columns() const override;

 private:
  void note(int status);

  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int bind_error_ = 0;
};

}  // namespace coalescope::capture
