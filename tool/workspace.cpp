#include "tool/workspace.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

#include "core/base/log.h"

namespace coalescope::tool {

namespace {

namespace fs = std::filesystem;
using base::ErrorCode;
using base::failure;

std::string dated_name(const std::string& program) {
  return fmt::format("{}-{:%Y%m%d-%H%M%S}.coal", fs::path(program).filename().string(),
                     fmt::localtime(std::time(nullptr)));
}

}  // namespace

base::Result<Workspace> Workspace::make(const std::optional<std::string>& output, const std::string& program,
                                        bool force) {
  if (!output) return beside(dated_name(program));
  auto file = OutputFile::at(*output, OutputKind::capture, force);
  if (!file) return base::relay(file);
  std::error_code error;
  const fs::path place = file->is_stream() ? fs::temp_directory_path(error) / "stream" : file->path();
  return in(place, *output, std::move(*file), force);
}

base::Result<Workspace> Workspace::beside(const fs::path& capture) {
  return in(capture, capture, std::nullopt, false);
}

base::Result<Workspace> Workspace::in(const fs::path& place, const fs::path& capture,
                                      std::optional<OutputFile> file, bool force) {
  std::error_code error;
  const fs::path absolute = fs::absolute(place, error);
  std::string folder =
      (absolute.parent_path() / fmt::format(".{}.parts-XXXXXX", absolute.filename().string()));
  if (error || ::mkdtemp(folder.data()) == nullptr)
    return failure(
        ErrorCode::usage,
        fmt::format("cannot write into the folder '{}': {}", absolute.parent_path().string(),
                    error ? error.message() : std::strerror(errno)),
        "name a file in a folder that exists and that you may write to: coalescope record -o FILE PROGRAM");
  return Workspace(capture, folder, std::move(file), force);
}

Workspace::Workspace(Workspace&& other) noexcept
    : capture_(std::move(other.capture_)),
      folder_(std::move(other.folder_)),
      file_(std::move(other.file_)),
      force_(other.force_),
      kept_(std::exchange(other.kept_, true)) {}

Workspace::~Workspace() {
  std::error_code ignored;  // what cannot be removed is hidden, and named after its capture
  if (!kept_) fs::remove_all(folder_, ignored);
}

base::Result<std::string> Workspace::publish() {
  fs::path name = capture_;
  if (file_) {
    // The program has run meanwhile, and may have written a file of its own there.
    const auto now = OutputFile::at(capture_.string(), OutputKind::capture, force_);
    if (now && now->path() == file_->path() && now->is_stream() == file_->is_stream())
      return now->take(draft()).map([&] { return name.string(); });
    base::log_warning("'{}' is not what it was when the recording began: the capture gets another name",
                      name.string());
    name = numbered(2);
  }
  int code = 0;
  for (int number = 2; (code = rename_to_free_name(draft(), name)) == EEXIST; ++number)
    name = numbered(number);
  if (code != 0)
    return failure(ErrorCode::failed,
                   fmt::format("cannot write '{}': {}", name.string(), std::strerror(code)));
  return name.string();
}

fs::path Workspace::numbered(int number) const {
  const fs::path& path = file_ ? file_->path() : capture_;
  return path.parent_path() / fmt::format("{}-{}.coal", path.stem().string(), number);
}

}  // namespace coalescope::tool
