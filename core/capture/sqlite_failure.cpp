#include "core/capture/sqlite_failure.h"

#include <array>
#include <fmt/format.h>
#include <sqlite3.h>
#include <utility>

namespace coalescope::capture {
namespace {

using base::Error;
using base::ErrorCode;
using base::Failure;

struct Cause {
  int status;  // SQLite's primary result code
  ErrorCode code;
  std::string_view remedy;
};
constexpr std::array kCauses{
    Cause{SQLITE_NOTADB, ErrorCode::not_a_capture, "name a file that 'coalescope record' has written"},
    Cause{SQLITE_CORRUPT, ErrorCode::damaged, "it was cut off or changed; record the program again"},
    Cause{SQLITE_INTERRUPT, ErrorCode::damaged,
          "what it holds takes too long to read; record the program again"},
    Cause{SQLITE_NOMEM, ErrorCode::damaged,
          "what it holds takes too much memory to read; record the program again"},
    Cause{SQLITE_TOOBIG, ErrorCode::damaged, "what it holds is too large to read; record the program again"},
    Cause{SQLITE_FULL, ErrorCode::failed, "free some space on that disk"},
    Cause{SQLITE_READONLY, ErrorCode::not_permitted, "copy the file to a folder that you can write to"},
    Cause{SQLITE_PERM, ErrorCode::not_permitted, "ask for permission on the file, or copy it"},
    Cause{SQLITE_BUSY, ErrorCode::busy, "wait until the other program has ended"},
    Cause{SQLITE_LOCKED, ErrorCode::busy, "wait until the other program has ended"},
    // A file that is being written needs two helpers beside it, so its folder must be writable even to read
    // it.
    Cause{SQLITE_CANTOPEN, ErrorCode::not_permitted,
          "if its name with -wal exists too, copy both to a folder that you can write to"},
};

}  // namespace

Failure sqlite_failure(sqlite3* connection, int status, std::string_view doing, const std::string& path) {
  const char* what = connection != nullptr ? sqlite3_errmsg(connection) : sqlite3_errstr(status);
  Error error{ErrorCode::failed, fmt::format("cannot {} '{}': {}", doing, path, what), {}};
  for (const Cause& cause : kCauses) {
    if (cause.status != (status & 0xff)) continue;
    error.code = cause.code;
    error.remedy = cause.remedy;
  }
  return base::failure(std::move(error));
}

Failure sqlite_failure(sqlite3* connection, int status) {
  // A protected file that was asked for writing is opened, but refuses to be written.
  const bool reading = sqlite3_db_readonly(connection, "main") == 1 && (status & 0xff) != SQLITE_READONLY;
  return sqlite_failure(connection, status, reading ? "read" : "write",
                        sqlite3_db_filename(connection, "main"));
}

}  // namespace coalescope::capture
