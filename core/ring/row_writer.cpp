#include "core/ring/row_writer.h"

namespace coalescope::ring {
namespace {

// Our own thread waits, and while it does, what the program does is kept in its queue.
constexpr std::chrono::seconds kRoomPatience{8};

}  // namespace

base::Result<void> RowWriter::refuse() {
  rows_.take_back();
  return base::failure(base::ErrorCode::usage, "a row was longer than 4 MiB and was left out");
}

base::Result<void> RowWriter::send(FrameKind kind) {
  if (!lost_ && (begun_ || !rows_.bytes().empty())) lost_ = !ring_->push(kind, rows_.bytes(), kRoomPatience);
  begun_ = kind == FrameKind::rows_begun;
  rows_.clear();
  if (lost_)
    return base::failure(base::ErrorCode::failed,
                         "coalescope takes no more rows of this process: it was ended, or cannot write");
  return {};
}

}  // namespace coalescope::ring
