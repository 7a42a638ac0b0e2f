#pragma once
// What a recording leaves in its folder before the program starts: all that a capture needs besides the
// parts, and a lock that goes with the last process that records. If coalescope is killed, `coalescope
// recover` makes a capture of the folder.

#include <filesystem>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/model/run.h"

namespace coalescope::tool {

class RecordingMark {
 public:
  // `keeps_code`: the capture may carry machine code.
  [[nodiscard]] static base::Result<RecordingMark> leave(const std::filesystem::path& folder,
                                                         const model::Capture& capture, bool keeps_code);
  // ErrorCode::busy: the recording goes on; not_found: no recording has left this folder; not_permitted: it
  // is another user's.
  [[nodiscard]] static base::Result<RecordingMark> take_over(const std::filesystem::path& folder);
  RecordingMark(RecordingMark&& other) noexcept;
  RecordingMark& operator=(RecordingMark&&) = delete;
  ~RecordingMark();  // gives the lock up; the mark stays

  const model::Capture& capture() const { return capture_; }  // without its end
  bool keeps_code() const { return keeps_code_; }

 private:
  explicit RecordingMark(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
  model::Capture capture_;
  bool keeps_code_ = true;
};

// What lies in the folder is in a capture now.
void remove_mark(const std::filesystem::path& folder);

// The folders of recordings, running or cut off, that lie in this one.
[[nodiscard]] std::vector<std::filesystem::path> recordings_in(const std::filesystem::path& folder);

}  // namespace coalescope::tool
