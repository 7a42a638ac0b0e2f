#pragma once
// Reads a capture: whole tables, and the joins of queries/*.sql. It writes nothing, and sees the file as it
// was when it was opened, even while the recorder goes on. A file of an older version is brought forward in a
// temporary copy first.

#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/error.h"
#include "core/capture/cells.h"
#include "core/capture/database.h"
#include "core/capture/runs.h"
#include "core/capture/schema.h"
#include "core/capture/views.h"

namespace coalescope::capture {

class Reader {
 public:
  // Refuses what is not a capture, is damaged, or was written by a later coalescope.
  [[nodiscard]] static base::Result<Reader> open(const std::string& path);

  // All rows of one table, in the order of its key.
  template <class Row>
  [[nodiscard]] base::Result<std::vector<Row>> rows() {
    return collect<Row>(Table<Row>::kName, select_sql(describe<Row>()),
                        [](Cells& cells, Row& row) { return cells.take_row(row); });
  }

  [[nodiscard]] const UnitedRuns& runs() const { return runs_; }
  // Fills `places` with the launches of these groups where it is given: to read a million of them twice takes
  // a quarter of a report's time.
  [[nodiscard]] base::Result<std::vector<GroupView>> groups(LaunchPlaces* places = nullptr);
  [[nodiscard]] base::Result<std::unordered_map<model::GroupId, GroupReadings>> readings();
  [[nodiscard]] base::Result<std::vector<InstructionView>> instructions();
  // The one with the largest counts first.
  [[nodiscard]] base::Result<std::vector<MeasuredLine>> measured_lines();
  [[nodiscard]] base::Result<std::vector<TransferPlace>> transfer_places();
  [[nodiscard]] base::Result<std::vector<TransferView>> transfers();
  [[nodiscard]] base::Result<std::vector<WindowView>> windows();

 private:
  Reader(Database database, std::string path, UnitedRuns runs)
      : database_(std::move(database)), path_(std::move(path)), runs_(runs) {}

  // `take` takes a row, most of which is of `table`. False: it cannot, and the capture is damaged.
  template <class Take>
  [[nodiscard]] base::Result<void> for_each_row(std::string_view table, std::string_view sql, Take take) {
    base::Result<Statement> statement = database_.prepare(sql);
    if (!statement) return base::relay(statement);
    Cells cells(*statement, table);
    base::Result<bool> row = statement->step();
    for (; row && *row; row = statement->step(), cells.next_row())
      if (!take(cells)) return damaged(cells.fault());
    if (!row) return base::relay(row);
    return {};
  }

  template <class Row, class Take>
  [[nodiscard]] base::Result<std::vector<Row>> collect(std::string_view table, std::string_view sql,
                                                       Take take) {
    std::vector<Row> rows;
    base::Result<void> done =
        for_each_row(table, sql, [&](Cells& cells) { return take(cells, rows.emplace_back()); });
    if (!done) return base::relay(done);
    return rows;
  }

  [[nodiscard]] base::Result<std::vector<GroupView>> groups_without_times();
  [[nodiscard]] base::Failure damaged(const std::string& fault) const;

  Database database_;  // of the file, or a copy of it that was brought forward
  std::string path_;
  UnitedRuns runs_;
};

}  // namespace coalescope::capture
