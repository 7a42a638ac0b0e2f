#pragma once
// Sends rows through a ring, in the process that is recorded. Used by one thread only.

#include <chrono>

#include "core/base/error.h"
#include "core/ring/ring.h"
#include "core/ring/row_codec.h"

namespace coalescope::ring {

class RowWriter {
 public:
  explicit RowWriter(RingWriter& ring) : ring_(&ring) {}

  template <class Row>
  [[nodiscard]] base::Result<void> insert(const Row& row) {
    return add(row, capture::OnConflict::fail);
  }
  // Takes the place of the row with the same key, if there is one.
  template <class Row>
  [[nodiscard]] base::Result<void> replace(const Row& row) {
    return add(row, capture::OnConflict::replace);
  }
  // What was added belongs together: the capture gets all of it, or nothing. After an error nothing more
  // goes.
  [[nodiscard]] base::Result<void> publish() { return send(FrameKind::rows); }

 private:
  template <class Row>
  [[nodiscard]] base::Result<void> add(const Row& row, capture::OnConflict on_conflict) {
    rows_.add(row, on_conflict);
    if (rows_.bytes().size() > kMostFrameBytes) return refuse();
    return rows_.bytes().size() < kMostHeldBytes ? base::Result<void>{} : send(FrameKind::rows_begun);
  }
  [[nodiscard]] base::Result<void> refuse();  // the last row
  [[nodiscard]] base::Result<void> send(FrameKind kind);

  static constexpr std::size_t kMostHeldBytes = std::size_t{256} << 10;

  RingWriter* ring_;
  RowEncoder rows_;
  bool begun_ = false;  // a part of what is held was sent
  bool lost_ = false;
};

}  // namespace coalescope::ring
