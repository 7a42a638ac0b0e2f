#include "tests/golden/capture_from_sql.h"

#include <fstream>
#include <stdexcept>
#include <string>

#include "core/capture/database.h"
#include "core/capture/seal.h"
#include "core/capture/writer.h"
#include "core/model/metric.h"

namespace coalescope::golden {
namespace {

template <class Value>
Value must(base::Result<Value> result) {
  if (!result) throw std::runtime_error(result.error().text());
  if constexpr (!std::is_void_v<Value>) return std::move(*result);
}

void create_with_catalogue(const std::string& path) {
  auto writer = must(capture::Writer::create(path));
  for (const auto& metric : model::metric_catalogue())
    must(writer.insert(model::MetricUsed{metric.id, std::string(metric.key),
                                         std::string(metric.cupti_names[0]), metric.phase,
                                         std::string(name_of(metric.unit))}));
  must(writer.commit());
}

// A connection takes no more SQL at once than our own queries need: an INSERT of many rows, each on a line,
// is taken apart.
void execute_in_pieces(capture::Database& database, std::istream& sql) {
  constexpr std::size_t kPiece = 100'000;
  std::string piece;
  std::string insert;  // the line that the rows follow
  for (std::string line; std::getline(sql, line);) {
    if (line.starts_with("INSERT")) insert = line + '\n';
    piece += line + '\n';
    if (piece.size() < kPiece) continue;
    const bool goes_on = line.ends_with("),");
    if (!goes_on && !line.ends_with(");")) continue;
    if (goes_on) piece[piece.size() - 2] = ';';
    must(database.execute(piece));
    piece = goes_on ? insert : std::string();
  }
  must(database.execute(piece));
}

}  // namespace

void make_capture(const std::filesystem::path& sql, const std::filesystem::path& capture) {
  std::ifstream file(sql);
  create_with_catalogue(capture.string());
  {
    auto database = must(capture::Database::open_writable(capture.string()));
    must(database.execute("BEGIN"));
    execute_in_pieces(database, file);
    must(database.execute("COMMIT"));
  }
  must(capture::seal(capture.string()));
}

}  // namespace coalescope::golden
