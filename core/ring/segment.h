#pragma once
// A piece of System V shared memory. It is the one kind that a process can map without a descriptor, not even
// for a moment: one that the recorded program closes, or meets under a number of its own, would be its
// undoing.

#include <cstddef>
#include <utility>

#include "core/base/error.h"

namespace coalescope::ring {

class Segment {
 public:
  // Zeroed, and for this user alone. It goes away with the last process that maps it.
  [[nodiscard]] static base::Result<Segment> create(std::size_t bytes);
  // One of exactly this size that another process made. An id says nothing of whose it is: check what it
  // holds before writing.
  [[nodiscard]] static base::Result<Segment> attach(int id, std::size_t bytes);

  Segment(Segment&& other) noexcept
      : id_(other.id_), bytes_(other.bytes_), data_(std::exchange(other.data_, nullptr)) {}
  Segment& operator=(Segment&& other) noexcept;
  ~Segment() { detach(); }

  void detach() noexcept;  // one system call: allowed in a forked child
  [[nodiscard]] bool attached() const { return data_ != nullptr; }
  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] int id() const { return id_; }
  // How often it is mapped, by all processes together; 0 where the system does not tell.
  [[nodiscard]] std::size_t holders() const;

 private:
  Segment(int id, std::size_t bytes, void* data) : id_(id), bytes_(bytes), data_(data) {}

  int id_ = -1;
  std::size_t bytes_ = 0;
  void* data_ = nullptr;
};

}  // namespace coalescope::ring
