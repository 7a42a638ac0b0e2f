#pragma once
// Whether copies to the device move the same bytes again and again. Of the copies of one size by one call
// site the first eight are looked at, then the 17th, 35th, 71st, ...: their bytes are read in the
// moment of the call, and compared by a hash with those that were looked at before.
//
// Of more than 1 MiB blocks of 1 KiB are read that lie evenly in it, 1 MiB together.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core/model/ids.h"

namespace coalescope::recorder {

// What a copy to the device reads, or one to the host writes.
struct HostBytes {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

enum class Content : std::uint32_t {
  not_compared = 0,  // not looked at, or the first
  other = 1,         // none before had these bytes
  repeated = 2,      // one before had them
};

// By any thread.
class UploadContents {
 public:
  static constexpr std::size_t kMostWhole = std::size_t{1} << 20U;  // bytes that are read of one copy

  // What looking may take: 1 % of the time since the first look, and so much besides.
  explicit UploadContents(std::int64_t grant_ns = 20'000'000) : grant_ns_(grant_ns) {}

  // Of a copy that is about to be made. Memory that cannot be read is not looked at.
  [[nodiscard]] Content look(model::CallSiteId site, const HostBytes& upload);
  // What comes from the device may come only after its call has returned: copies back are not looked at.
  void downloaded(const HostBytes& bytes);
  // The program has managed memory: to read it from the host could move it.
  void stop();

 private:
  static constexpr std::size_t kDownloads = 64;  // that are remembered
  static constexpr std::size_t kRemembered = 8;  // contents; of a ninth the oldest is forgotten
  struct OfSite {
    std::uint64_t copies = 0, next_look = 1;
    std::uint64_t contents = 0;  // that were new
    std::array<std::uint64_t, kRemembered> hashes{};
  };

  [[nodiscard]] bool comes_from_device(const HostBytes& upload) const;
  [[nodiscard]] bool may_look(OfSite& known, std::int64_t now_ns) const;
  [[nodiscard]] std::optional<std::uint64_t> hash_of(const HostBytes& upload);
  [[nodiscard]] static Content compare(OfSite& known, std::uint64_t hash);

  const std::int64_t grant_ns_;
  std::mutex mutex_;
  std::map<std::pair<std::int64_t, std::uint64_t>, OfSite> sites_;  // by the site and the size
  std::array<HostBytes, kDownloads> downloads_{};
  std::size_t next_download_ = 0;
  std::vector<std::byte> buffer_;
  std::optional<std::int64_t> began_ns_;  // of the first look
  std::int64_t spent_ns_ = 0;
  bool stopped_ = false;  // or the system does not let this process ask for memory of its own
};

}  // namespace coalescope::recorder
