#include "injection/cupti/module_store.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace coalescope::cupti {
namespace {

// Large frameworks load hundreds of megabytes; this bounds the disk that a run may take.
constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 30;

// Some gigabytes a second: it runs in the thread that loads the module.
std::uint64_t hash_of(const void* data, std::size_t bytes) {
  const auto* position = static_cast<const char*>(data);
  std::uint64_t hash = bytes;
  for (; bytes > 0;) {
    std::uint64_t word = 0;
    const std::size_t taken = std::min(bytes, sizeof word);
    std::memcpy(&word, position, taken);
    hash = (hash ^ word) * 0x9E3779B97F4A7C15U;
    hash ^= hash >> 32U;
    position += taken;
    bytes -= taken;
  }
  return hash;
}

}  // namespace

ModuleStore::~ModuleStore() {
  if (file_ >= 0) close(file_);
}

bool ModuleStore::append(const void* data, std::size_t bytes) {
  const auto* position = static_cast<const char*>(data);
  while (bytes > 0) {
    const auto done = write(file_, position, bytes);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    position += done;
    bytes -= static_cast<std::size_t>(done);
  }
  return true;
}

base::Result<void> ModuleStore::add(const void* cubin, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (off_ || cubin == nullptr || bytes == 0) return {};
  if (!kept_.emplace(bytes, hash_of(cubin, bytes)).second) return {};
  if (file_ < 0) file_ = open(path_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  const auto size = static_cast<std::uint64_t>(bytes);
  const bool fits = written_bytes_ + size <= kMostBytes;
  if (file_ >= 0 && fits && append(&size, sizeof size) && append(cubin, bytes)) {
    written_bytes_ += size;
    return {};
  }
  off_ = true;
  return base::failure(base::ErrorCode::failed,
                       "the code of loaded modules could not be kept in '" + path_ +
                           "': " + (fits ? std::strerror(errno) : "it has reached 4 GiB"),
                       "instructions of later modules will have no source line");
}

}  // namespace coalescope::cupti
