#include "tests/golden/capture_from_sql.h"

#include <fstream>
#include <iterator>
#include <stdexcept>

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

}  // namespace

void make_capture(const std::filesystem::path& sql, const std::filesystem::path& capture) {
  std::ifstream file(sql);
  const std::string statements{std::istreambuf_iterator<char>(file), {}};
  create_with_catalogue(capture.string());
  {
    auto database = must(capture::Database::open_writable(capture.string()));
    must(database.execute(statements));
  }
  must(capture::seal(capture.string()));
}

}  // namespace coalescope::golden
