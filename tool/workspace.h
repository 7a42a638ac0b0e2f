#pragma once
// Where a capture is made: a hidden folder beside its final name. The name itself is touched once, at the
// end, when a complete capture takes it; whatever goes wrong before leaves an older capture as it was.

#include <filesystem>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "tool/output_file.h"

namespace coalescope::tool {

class Workspace {
 public:
  // Without `output` the capture is called PROGRAM-YYYYmmdd-HHMMSS.coal and lies in the current folder.
  // Refuses to write over a file that is no capture, unless `force`.
  [[nodiscard]] static base::Result<Workspace> make(const std::optional<std::string>& output,
                                                    const std::string& program, bool force = false);
  // Of a capture of this name, or with a number if the name is taken.
  [[nodiscard]] static base::Result<Workspace> beside(const std::filesystem::path& capture);
  Workspace(Workspace&& other) noexcept;
  Workspace& operator=(Workspace&&) = delete;
  ~Workspace();  // removes the folder, unless keep() was called

  const std::filesystem::path& folder() const { return folder_; }           // absolute
  std::filesystem::path draft() const { return folder_ / "capture.coal"; }  // what publish() moves
  void keep() { kept_ = true; }

  // Gives the draft its final name and returns that name, with a number if it was taken meanwhile by what it
  // must not replace.
  [[nodiscard]] base::Result<std::string> publish();

 private:
  [[nodiscard]] static base::Result<Workspace> in(const std::filesystem::path& place,
                                                  const std::filesystem::path& capture,
                                                  std::optional<OutputFile> file, bool force);
  Workspace(std::filesystem::path capture, std::filesystem::path folder, std::optional<OutputFile> file,
            bool force)
      : capture_(std::move(capture)), folder_(std::move(folder)), file_(std::move(file)), force_(force) {}
  [[nodiscard]] std::filesystem::path numbered(int number) const;

  std::filesystem::path capture_;
  std::filesystem::path folder_;
  std::optional<OutputFile> file_;  // nullopt: a dated name, which replaces nothing
  bool force_ = false;
  bool kept_ = false;
};

}  // namespace coalescope::tool
