#include "tool/output_file.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/log.h"
#include "core/base/scope_exit.h"
#include "tool/output.h"
#include "tool/output_marks.h"

namespace coalescope::tool {

namespace {

namespace fs = std::filesystem;
using base::ErrorCode;
using base::failure;
using base::Result;

constexpr int kMostLinks = 40;  // as Linux has it

// A link in /proc/PID/fd leads to an open file, which may have no name, or another file by that name.
bool names_descriptor(const fs::path& path) {
  std::error_code error;
  const std::string folder = fs::canonical(path.parent_path(), error).string();
  return !error && folder.starts_with("/proc/") && folder.ends_with("/fd");
}

// What the last part of the name leads to, which need not exist; nullopt: links that lead in a circle.
std::optional<fs::path> followed(fs::path path) {
  for (int links = 0; links < kMostLinks; ++links) {
    std::error_code error;
    if (names_descriptor(path) || !fs::is_symlink(fs::symlink_status(path, error))) return path;
    const fs::path target = fs::read_symlink(path, error);
    if (error) return path;
    path = path.parent_path() / target;
  }
  return std::nullopt;
}

std::string beginning_of(const fs::path& path) {
  std::string text(kMarkBytes, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

std::string_view word_for(OutputKind kind) {
  return kind == OutputKind::capture ? "a capture" : "a report";
}

Result<void> check_replaceable(const std::string& name, const fs::path& path, OutputKind kind) {
  std::error_code error;
  if (fs::file_size(path, error) == 0 && !error) return {};  // mktemp makes them
  const std::optional<OutputKind> found = kind_of(beginning_of(path));
  if (found == kind) return {};
  return failure(
      ErrorCode::usage,
      found ? fmt::format("cannot write '{}': it is {}, not {}", name, word_for(*found), word_for(kind))
            : fmt::format("cannot write '{}': it exists and is not {}", name, word_for(kind)),
      "choose another name, or replace the file with --force");
}

int write_to(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

int copy_to(int descriptor, const fs::path& from) {
  std::ifstream file(from, std::ios::binary);
  if (!file) return errno;
  std::array<char, 65'536> buffer{};
  while (file) {
    file.read(buffer.data(), buffer.size());
    const auto count = static_cast<std::size_t>(file.gcount());
    if (const int code = write_to(descriptor, {buffer.data(), count}); code != 0) return code;
  }
  return file.bad() ? EIO : 0;
}

// Opens a file, lets `fill` write to it, and closes it; the error's number or 0.
template <class Fill>
int written(const fs::path& path, int flags, Fill fill, mode_t mode = 0) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | flags, mode);
  if (descriptor < 0) return errno;
  const int code = fill(descriptor);
  const int closed = ::close(descriptor) == 0 ? 0 : errno;
  return code != 0 ? code : closed;
}

// The mode last, because a change of the owner takes bits from it.
void keep_rights(const fs::path& old, const fs::path& draft) {
  struct stat status {};
  if (::stat(old.c_str(), &status) != 0) return;
  const bool owned = ::lchown(draft.c_str(), status.st_uid, status.st_gid) == 0 ||
                     ::lchown(draft.c_str(), static_cast<uid_t>(-1), status.st_gid) == 0;
  (void)::chmod(draft.c_str(), status.st_mode & (owned ? 07777U : 0777U));
}

}  // namespace

Result<OutputFile> OutputFile::at(const std::string& name, OutputKind kind, bool force) {
  const auto cannot = [&](std::string_view why, std::string remedy) {
    return failure(ErrorCode::usage, fmt::format("cannot write '{}': {}", name, why), std::move(remedy));
  };
  const auto path = followed(name);
  if (!path) return cannot(std::strerror(ELOOP), "give the name of a file");
  std::error_code error;
  const fs::file_status status = fs::status(*path, error);
  if (fs::is_directory(status) || !path->has_filename())
    return cannot("it is a folder", "give the name of a file");
  const bool is_new = !fs::exists(status);
  const bool is_stream = !is_new && (!fs::is_regular_file(status) || names_descriptor(*path));
  if (!is_new && !is_stream && !force)
    if (auto checked = check_replaceable(name, *path, kind); !checked) return base::relay(checked);
  return OutputFile(name, *path, is_stream, is_new);
}

base::Failure OutputFile::cannot(const std::string& why) const {
  return failure(ErrorCode::usage, fmt::format("cannot write '{}': {}", name_, why),
                 "choose a file in a folder that exists and that you may write to");
}

Result<void> OutputFile::write(std::string_view text) const {
  const auto fill = [&](int descriptor) { return write_to(descriptor, text); };
  if (is_stream_) {
    if (const int code = written(path_, O_APPEND, fill); code != 0) return cannot(std::strerror(code));
    return {};
  }
  const fs::path draft = path_.parent_path() / fmt::format(".coalescope-{}.tmp", ::getpid());
  base::ScopeExit remove([&] { ::unlink(draft.c_str()); });  // after a rename there is none
  const mode_t mode = is_new_ ? 0666 : 0600;                 // what is replaced may be for few eyes
  if (const int code = written(draft, O_CREAT | O_EXCL, fill, mode); code != 0)
    return cannot(std::strerror(code));
  return take(draft);
}

Result<void> OutputFile::take(const fs::path& draft) const {
  int code = 0;
  if (is_stream_) {
    code = written(path_, O_APPEND, [&](int descriptor) { return copy_to(descriptor, draft); });
  } else if (is_new_) {
    code = rename_to_free_name(draft, path_);
  } else {
    keep_rights(path_, draft);
    code = ::rename(draft.c_str(), path_.c_str()) == 0 ? 0 : errno;
  }
  if (code != 0) return cannot(std::strerror(code));
  return {};
}

Result<std::optional<OutputFile>> report_file(const std::optional<std::string>& name, bool force) {
  if (!name) return std::nullopt;
  return OutputFile::at(*name, OutputKind::report, force).map([](OutputFile file) {
    return std::optional<OutputFile>(std::move(file));
  });
}

Result<void> put(const std::optional<OutputFile>& file, std::string_view text) {
  if (!file) return write_all(stdout, text, "to stdout");
  return file->write(text).map([&] { base::log_note("wrote {}", file->name()); });
}

int rename_to_free_name(const fs::path& from, const fs::path& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  std::error_code error;
  if (fs::exists(to, error)) return EEXIST;
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

}  // namespace coalescope::tool
