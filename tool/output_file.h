#pragma once
// A file that a command writes, as a shell's > would find it: links are followed, and devices and pipes are
// written to. What it replaces goes only when the new file is whole, and only if it is of the same kind.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace coalescope::tool {

enum class OutputKind { report, capture };

class OutputFile {
 public:
  // Refuses folders, and, without `force`, an existing file that is neither empty nor of this kind.
  [[nodiscard]] static base::Result<OutputFile> at(const std::string& name, OutputKind kind, bool force);

  const std::string& name() const { return name_; }
  const std::filesystem::path& path() const { return path_; }  // links followed
  // A device, a pipe, or one of our own descriptors (/dev/stdout): it stays what it is and is written to.
  bool is_stream() const { return is_stream_; }

  [[nodiscard]] base::Result<void> write(std::string_view text) const;
  // Makes the finished file `draft`, which lies in the same folder unless this is a stream, the output. It
  // gets the mode of the file that it replaces, and its owner where the system allows that.
  [[nodiscard]] base::Result<void> take(const std::filesystem::path& draft) const;

 private:
  OutputFile(std::string name, std::filesystem::path path, bool is_stream, bool is_new)
      : name_(std::move(name)), path_(std::move(path)), is_stream_(is_stream), is_new_(is_new) {}
  [[nodiscard]] base::Failure cannot(const std::string& why) const;

  std::string name_;  // as it was given, for messages
  std::filesystem::path path_;
  bool is_stream_;
  bool is_new_;
};

// Where a report goes: nullopt is stdout.
[[nodiscard]] base::Result<std::optional<OutputFile>> report_file(const std::optional<std::string>& name,
                                                                  bool force);
// A note says which file was written.
[[nodiscard]] base::Result<void> put(const std::optional<OutputFile>& file, std::string_view text);

// rename() that fails with EEXIST where the new name exists, as far as the file system can do that; 0 or the
// error's number.
[[nodiscard]] int rename_to_free_name(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace coalescope::tool
