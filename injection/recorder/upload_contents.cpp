#include "injection/recorder/upload_contents.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <sys/uio.h>
#include <unistd.h>

#include "injection/recorder/xxh3.h"

namespace coalescope::recorder {
namespace {

constexpr std::uint64_t kFirstLooks = 8;
constexpr std::size_t kMostSites = 4096;
constexpr std::size_t kBlockBytes = 1024, kBufferBytes = 65'536;
constexpr std::int64_t kPartOfTime = 100;

std::int64_t steady_ns() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Blocks of the program's memory one after the other, as one call to the system: it refuses where a read of
// our own would end the program.
ssize_t read_own(const std::vector<iovec>& from, std::byte* to, std::size_t bytes) {
  const iovec into{to, bytes};
  return ::process_vm_readv(::getpid(), &into, 1, from.data(), from.size(), 0);
}

// Up to kMostWhole bytes: all of it, or blocks that lie evenly in it, the last one at its end.
std::vector<iovec> blocks_of(const HostBytes& upload) {
  const bool whole = upload.bytes <= UploadContents::kMostWhole;
  const std::uint64_t block = whole ? kBufferBytes : kBlockBytes;
  const std::uint64_t count =
      whole ? (upload.bytes + block - 1) / block : UploadContents::kMostWhole / kBlockBytes;
  std::vector<iovec> blocks;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t at = whole ? i * block : (upload.bytes - block) * i / (count - 1);
    blocks.push_back({reinterpret_cast<void*>(upload.address + at),  // NOLINT: an address it is
                      static_cast<std::size_t>(std::min(block, upload.bytes - at))});
  }
  return blocks;
}

}  // namespace

Content UploadContents::look(model::CallSiteId site, const HostBytes& upload) {
  const std::lock_guard lock(mutex_);
  if (stopped_ || upload.bytes == 0 || comes_from_device(upload)) return Content::not_compared;
  auto found = sites_.find({site.value, upload.bytes});
  if (found == sites_.end()) {
    if (sites_.size() == kMostSites) return Content::not_compared;
    found = sites_.try_emplace({site.value, upload.bytes}).first;
  }
  const std::int64_t before_ns = steady_ns();
  if (!began_ns_) began_ns_ = before_ns;
  if (!may_look(found->second, before_ns)) return Content::not_compared;
  const auto hash = hash_of(upload);
  spent_ns_ += steady_ns() - before_ns;
  return hash ? compare(found->second, *hash) : Content::not_compared;
}

void UploadContents::downloaded(const HostBytes& bytes) {
  const std::lock_guard lock(mutex_);
  const auto same = std::ranges::find(downloads_, bytes.address, &HostBytes::address);
  (same != downloads_.end() ? *same : downloads_[next_download_++ % kDownloads]) = bytes;
}

bool UploadContents::comes_from_device(const HostBytes& upload) const {
  return std::ranges::any_of(downloads_, [&](const HostBytes& each) {
    return upload.address < each.address + each.bytes && each.address < upload.address + upload.bytes;
  });
}

void UploadContents::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
}

// Ever more seldom, and not at powers of two: batches in turn are often as many as one, and would always be
// met at the same place.
bool UploadContents::may_look(OfSite& known, std::int64_t now_ns) const {
  if (++known.copies < known.next_look) return false;
  known.next_look = known.copies < kFirstLooks ? known.copies + 1 : 2 * known.copies + 1;
  return (spent_ns_ - grant_ns_) * kPartOfTime <= now_ns - *began_ns_;
}

std::optional<std::uint64_t> UploadContents::hash_of(const HostBytes& upload) {
  buffer_.resize(kBufferBytes);
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  const std::vector<iovec> blocks = blocks_of(upload);
  for (auto next = blocks.begin(); next != blocks.end();) {
    std::vector<iovec> together;
    std::size_t bytes = 0;
    for (; next != blocks.end() && bytes + next->iov_len <= kBufferBytes; ++next) {
      together.push_back(*next);
      bytes += next->iov_len;
    }
    const auto done = read_own(together, buffer_.data(), bytes);
    if (done < 0 && errno != EFAULT) stopped_ = true;
    if (done != static_cast<ssize_t>(bytes)) return std::nullopt;
    XXH3_64bits_update(&state, buffer_.data(), bytes);
  }
  return XXH3_64bits_digest(&state);
}

Content UploadContents::compare(OfSite& known, std::uint64_t hash) {
  auto& [copies, next_look, contents, hashes] = known;
  const auto end =
      hashes.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(contents, kRemembered));
  if (std::find(hashes.begin(), end, hash) != end) return Content::repeated;
  hashes[contents % kRemembered] = hash;
  return contents++ == 0 ? Content::not_compared : Content::other;
}

}  // namespace coalescope::recorder
