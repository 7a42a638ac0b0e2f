// empty_capture FILE: makes a capture without rows, of which the library copies each new one.

#include <cstdio>
#include <exception>
#include <fmt/format.h>

#include "core/capture/database.h"
#include "core/capture/schema.h"

int main(int argc, char** argv) try {
  using namespace coalescope;
  if (argc != 2) return 2;
  std::remove(argv[1]);
  auto made = capture::Database::create(argv[1]).and_then([](capture::Database database) {
    return database.execute(
        fmt::format("PRAGMA journal_mode = MEMORY; BEGIN; PRAGMA application_id = {};"
                    "PRAGMA user_version = {};\n{}COMMIT;",
                    capture::kApplicationId, capture::kSchemaVersion, capture::schema_sql()));
  });
  if (!made) fmt::print(stderr, "empty_capture: {}\n", made.error().text());
  return made ? 0 : 1;
} catch (const std::exception& exception) {
  std::fputs(exception.what(), stderr);
  return 1;
}
