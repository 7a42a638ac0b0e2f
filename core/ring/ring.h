#pragma once
// The way of one process's rows and code to the writer process: a ring of bytes in shared memory, cut into
// frames. The process that is recorded may scribble on it: the reader trusts nothing that it finds there, and
// works on copies. Neither side ever waits without a limit for the other.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "core/ring/segment.h"

namespace coalescope::ring {

inline constexpr std::size_t kRingBytes = std::size_t{16} << 20;  // only pages that were written to are real
inline constexpr std::size_t kMostFrameBytes = kRingBytes / 4;

enum class FrameKind : std::uint32_t {
  begin = 1,   // the names of this process's files begin with this
  rows,        // what was written up to here belongs together with nothing that is still to come
  rows_begun,  // what follows belongs to them
  code         // for the file of the modules' code, as it is
};

struct RingHeader {
  std::atomic<std::uint64_t> head;              // bytes that the process has written
  alignas(64) std::atomic<std::uint64_t> tail;  // bytes that were taken
  std::atomic<std::uint32_t> closed;            // nothing more is taken
};
inline constexpr std::size_t kRingHeaderBytes = 4096;
static_assert(sizeof(RingHeader) <= kRingHeaderBytes);
inline constexpr std::size_t kRingSegmentBytes = kRingHeaderBytes + kRingBytes;

// In the process that is recorded; any of its threads.
class RingWriter {
 public:
  using Patience = std::chrono::milliseconds;
  explicit RingWriter(Segment segment) : segment_(std::move(segment)) {}

  // False: it did not fit within that time, or nobody reads any more.
  [[nodiscard]] bool push(FrameKind kind, std::span<const std::byte> payload, Patience patience);
  [[nodiscard]] bool has_reader() const;
  void detach() noexcept { segment_.detach(); }

 private:
  [[nodiscard]] RingHeader& header() const { return *static_cast<RingHeader*>(segment_.data()); }
  void copy_in(std::uint64_t position, const void* from, std::size_t bytes);

  Segment segment_;
  std::mutex mutex_;
};

struct Frame {
  FrameKind kind;
  std::vector<std::byte> payload;
};

// In the writer process.
class RingReader {
 public:
  explicit RingReader(Segment segment) : segment_(std::move(segment)) {}

  // The next frame, if there is one.
  [[nodiscard]] std::optional<Frame> next();
  // What it holds cannot be what a recorder wrote; nothing more is read from it.
  [[nodiscard]] bool damaged() const { return damaged_; }
  // Is it mapped by anybody else? After a no, what next() finds is all that ever comes.
  [[nodiscard]] bool has_writer() const { return segment_.holders() != 1; }
  void close() { header().closed.store(1); }

 private:
  [[nodiscard]] RingHeader& header() const { return *static_cast<RingHeader*>(segment_.data()); }
  void copy_out(std::uint64_t position, void* to, std::size_t bytes) const;

  Segment segment_;
  std::uint64_t tail_ = 0;  // ours; the one in the memory is for the writer
  bool damaged_ = false;
};

}  // namespace coalescope::ring
