#pragma once
// Where a capture is made: a hidden folder beside its final name. The name itself is touched once, at the
// end, when a complete capture takes it; whatever goes wrong before leaves an older capture as it was.

#include <filesystem>
#include <optional>
#include <string>

#include "core/base/error.h"

namespace coalescope::tool {

class Workspace {
 public:
  // Without `output` the capture is called PROGRAM-YYYYmmdd-HHMMSS.coal and lies in the current folder.
  // Refuses to write over a file that is no capture.
  [[nodiscard]] static base::Result<Workspace> make(const std::optional<std::string>& output,
                                                    const std::string& program);
  Workspace(Workspace&& other) noexcept;
  Workspace& operator=(Workspace&&) = delete;
  ~Workspace();  // removes the folder, unless keep() was called

  const std::filesystem::path& folder() const { return folder_; }           // absolute
  std::filesystem::path draft() const { return folder_ / "capture.coal"; }  // what publish() moves
  void keep() { kept_ = true; }

  // Gives the draft its final name and returns that name. A dated name that was taken meanwhile gets a
  // number.
  [[nodiscard]] base::Result<std::string> publish();

 private:
  Workspace(std::filesystem::path capture, std::filesystem::path folder, bool replaces)
      : capture_(std::move(capture)), folder_(std::move(folder)), replaces_(replaces) {}

  std::filesystem::path capture_;
  std::filesystem::path folder_;
  bool replaces_ = false;
  bool kept_ = false;
};

}  // namespace coalescope::tool
