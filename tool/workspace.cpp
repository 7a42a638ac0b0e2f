#include "tool/workspace.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

#include "core/capture/recognise.h"

namespace coalescope::tool {

namespace {

namespace fs = std::filesystem;
using base::ErrorCode;
using base::failure;

std::string dated_name(const std::string& program) {
  return fmt::format("{}-{:%Y%m%d-%H%M%S}.coal", fs::path(program).filename().string(),
                     fmt::localtime(std::time(nullptr)));
}

// Captures may be replaced, and so may an empty file (mktemp makes them); nothing else.
[[nodiscard]] base::Result<void> check_replaceable(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) return {};
  const std::string cannot = fmt::format("cannot write '{}': ", path.string());
  if (fs::is_directory(status))
    return failure(ErrorCode::usage, cannot + "it is a folder", "give the name of a file with -o");
  if (fs::is_regular_file(status)) {
    if (fs::file_size(path, error) == 0 && !error) return {};
    if (capture::is_capture(path.string())) return {};
  }
  return failure(ErrorCode::usage, cannot + "it exists and is not a capture",
                 "choose another name with -o, or remove it first");
}

// rename() that fails where the new name exists, as far as the file system can do that.
int rename_to_free_name(const fs::path& from, const fs::path& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  std::error_code error;
  if (fs::exists(to, error)) return EEXIST;
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

}  // namespace

base::Result<Workspace> Workspace::make(const std::optional<std::string>& output,
                                        const std::string& program) {
  const fs::path capture = output ? fs::path(*output) : fs::path(dated_name(program));
  if (!capture.has_filename())
    return failure(ErrorCode::usage, fmt::format("cannot write '{}': it names a folder", capture.string()),
                   "give the name of a file with -o");
  if (auto replaceable = check_replaceable(capture); !replaceable) return tl::unexpected(replaceable.error());
  std::error_code error;
  const fs::path absolute = fs::absolute(capture, error);
  std::string folder =
      (absolute.parent_path() / fmt::format(".{}.parts-XXXXXX", capture.filename().string()));
  if (error || ::mkdtemp(folder.data()) == nullptr)
    return failure(
        ErrorCode::usage,
        fmt::format("cannot write into the folder '{}': {}", absolute.parent_path().string(),
                    error ? error.message() : std::strerror(errno)),
        "name a file in a folder that exists and that you may write to: coalescope record -o FILE PROGRAM");
  return Workspace(capture, folder, output.has_value());
}

Workspace::Workspace(Workspace&& other) noexcept
    : capture_(std::move(other.capture_)),
      folder_(std::move(other.folder_)),
      replaces_(other.replaces_),
      kept_(std::exchange(other.kept_, true)) {}

Workspace::~Workspace() {
  std::error_code ignored;  // what cannot be removed is hidden, and named after its capture
  if (!kept_) fs::remove_all(folder_, ignored);
}

base::Result<std::string> Workspace::publish() {
  fs::path name = capture_;
  int code = 0;
  if (replaces_) {
    code = ::rename(draft().c_str(), name.c_str()) == 0 ? 0 : errno;
  } else {
    for (int number = 2; (code = rename_to_free_name(draft(), name)) == EEXIST; ++number)
      name = capture_.parent_path() / fmt::format("{}-{}.coal", capture_.stem().string(), number);
  }
  if (code != 0)
    return failure(ErrorCode::failed,
                   fmt::format("cannot write '{}': {}", name.string(), std::strerror(code)));
  return name.string();
}

}  // namespace coalescope::tool
