#include "injection/cupti/module_store.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "core/base/lock_until.h"
#include "core/base/mixed.h"

namespace coalescope::cupti {
namespace {

// Large frameworks load hundreds of megabytes; this bounds the disk that a run may take.
constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 30;

// Of all threads that load modules, in a run.
constexpr std::chrono::seconds kMostWaiting{3};
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

}  // namespace

ModuleStore::ModuleStore(ring::RingWriter& ring) : ring_(ring), patience_(kMostWaiting) {}

// What a module waits for room is taken from what is left for the others.
bool ModuleStore::send(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto piece = bytes.first(std::min(bytes.size(), kPieceBytes));
    const auto began = std::chrono::steady_clock::now();
    if (!ring_.push(ring::FrameKind::code, piece, patience_)) return false;
    const auto waited = std::chrono::steady_clock::now() - began;
    patience_ -= std::min(patience_, std::chrono::duration_cast<std::chrono::milliseconds>(waited));
    bytes = bytes.subspan(piece.size());
  }
  return true;
}

base::Result<void> ModuleStore::add(const void* cubin, std::size_t bytes) {
  const auto lock = base::lock_until(mutex_, std::chrono::steady_clock::now() + kMostWaiting);
  if (!lock || off_ || cubin == nullptr || bytes == 0) return {};
  // Some gigabytes a second: it runs in the thread that loads the module.
  if (!kept_.emplace(bytes, base::mixed(bytes, cubin, bytes)).second) return {};
  const auto size = static_cast<std::uint64_t>(bytes);
  const bool fits = sent_bytes_ + size <= kMostBytes;
  if (fits && send(std::as_bytes(std::span(&size, 1))) &&
      send({static_cast<const std::byte*>(cubin), bytes})) {
    sent_bytes_ += size;
    return {};
  }
  off_ = true;
  return base::failure(base::ErrorCode::failed,
                       std::string("the code of loaded modules was not kept any more: ") +
                           (fits ? "it could not be written as fast as it came" : "it has reached 4 GiB"),
                       "instructions of later modules will have no source line");
}

}  // namespace coalescope::cupti
