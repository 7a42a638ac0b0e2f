#include "core/ring/ring.h"

#include <algorithm>
#include <thread>

#include "core/base/lock_until.h"

namespace coalescope::ring {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

struct FrameHeader {
  std::uint32_t bytes;
  FrameKind kind;
};

// Frames begin at multiples of their header's size, so that no header is cut in two.
constexpr std::size_t space_of(std::size_t payload_bytes) {
  constexpr std::size_t kStep = sizeof(FrameHeader);
  return sizeof(FrameHeader) + (payload_bytes + kStep - 1) / kStep * kStep;
}

std::byte* bytes_at(void* segment, std::uint64_t position) {
  return static_cast<std::byte*>(segment) + kRingHeaderBytes + position % kRingBytes;
}

std::size_t room_to_the_end(std::uint64_t position) {
  return kRingBytes - static_cast<std::size_t>(position % kRingBytes);
}

}  // namespace

bool RingWriter::has_reader() const {
  return segment_.attached() && header().closed.load(std::memory_order_relaxed) == 0 &&
         segment_.holders() != 1;
}

void RingWriter::copy_in(std::uint64_t position, const void* from, std::size_t bytes) {
  const std::size_t first = std::min(bytes, room_to_the_end(position));
  const auto* begin = static_cast<const std::byte*>(from);
  // Not memcpy, which takes no null pointer even for no bytes.
  std::copy_n(begin, first, bytes_at(segment_.data(), position));
  std::copy_n(begin + first, bytes - first, bytes_at(segment_.data(), 0));
}

bool RingWriter::push(FrameKind kind, std::span<const std::byte> payload, Patience patience) {
  if (payload.size() > kMostFrameBytes || !has_reader()) return false;
  const auto deadline = Clock::now() + patience;
  const auto lock = base::lock_until(mutex_, deadline);
  if (!lock) return false;
  const std::uint64_t head = header().head.load(std::memory_order_relaxed);
  const std::size_t space = space_of(payload.size());
  while (head + space - header().tail.load(std::memory_order_acquire) > kRingBytes) {
    if (Clock::now() >= deadline || !has_reader()) return false;
    std::this_thread::sleep_for(500us);
  }
  const FrameHeader frame{static_cast<std::uint32_t>(payload.size()), kind};
  copy_in(head, &frame, sizeof frame);
  copy_in(head + sizeof frame, payload.data(), payload.size());
  header().head.store(head + space, std::memory_order_release);
  return true;
}

void RingReader::copy_out(std::uint64_t position, void* to, std::size_t bytes) const {
  const std::size_t first = std::min(bytes, room_to_the_end(position));
  std::byte* rest = std::copy_n(bytes_at(segment_.data(), position), first, static_cast<std::byte*>(to));
  std::copy_n(bytes_at(segment_.data(), 0), bytes - first, rest);
}

std::optional<Frame> RingReader::next() {
  if (damaged_) return std::nullopt;
  const std::uint64_t waiting = header().head.load(std::memory_order_acquire) - tail_;
  if (waiting == 0) return std::nullopt;
  FrameHeader frame{};
  if (waiting <= kRingBytes && waiting % sizeof frame == 0) copy_out(tail_, &frame, sizeof frame);
  if (frame.kind < FrameKind::begin || frame.kind > FrameKind::code || frame.bytes > kMostFrameBytes ||
      space_of(frame.bytes) > waiting) {
    damaged_ = true;
    close();
    return std::nullopt;
  }
  Frame found{frame.kind, std::vector<std::byte>(frame.bytes)};
  copy_out(tail_ + sizeof frame, found.payload.data(), found.payload.size());
  tail_ += space_of(frame.bytes);
  header().tail.store(tail_, std::memory_order_release);
  return found;
}

}  // namespace coalescope::ring
