#pragma once
// Adds up launches, transfers and waits by the call site that they came from. Calls are known by their
// correlation id: the program's threads say which site a call came from, and the trace's records, which come
// later and on another thread, what it did.

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "core/model/call_site.h"
#include "core/model/transfer.h"
#include "injection/recorder/records.h"
#include "injection/recorder/upload_contents.h"

namespace coalescope::recorder {

class PartFile;

class LaunchSites {
 public:
  LaunchSites();

  // From the program's threads.
  // `content`: of a copy to the device.
  void called(std::uint32_t correlation, model::CallSiteId site, Content content = Content::not_compared);
  // The memory that such a call sets, or copies to another place of the device, begins there.
  void names(std::uint32_t correlation, std::uint64_t address);
  void launched(model::GroupId group, model::CallSiteId site, model::SiteRole role = model::SiteRole::launch,
                std::int64_t kernels = 1);
  void waited(const model::Synchronization& wait, model::CallSiteId site);
  // A node of a graph was made there; records call it by this id.
  void node_made(std::uint64_t node, model::CallSiteId site);
  [[nodiscard]] std::optional<model::CallSiteId> maker_of(std::uint64_t node);

  // From the writer thread.
  // `counted`: launched() was called for it.
  void ran(const KernelRun& run, model::GroupId group, bool counted);
  // Adds what its call said.
  void ran(model::Transfer& transfer, std::uint32_t correlation);
  void write(PartFile& file);

 private:
  // By the correlation id modulo their number: this id, and below it the content and the site's id.
  static constexpr std::size_t kSlots = std::size_t{1} << 18;
  using Slots = std::array<std::atomic<std::uint64_t>, kSlots>;
  struct Entry {
    model::LaunchSite row;  // the writer thread's, but for the launches
    std::atomic<std::int64_t> launches{0};
    std::int64_t written = -1;  // launches, when it was written last
  };
  using Key = std::tuple<std::int64_t, std::int64_t, model::SiteRole>;
  using TransferKey = std::tuple<model::DeviceId, model::Direction, model::MemoryKind, model::MemoryKind,
                                 bool, std::int64_t, model::CallSiteId>;
  using WaitKey = std::pair<model::SynchronizationKind, model::CallSiteId>;

  struct Called {
    model::CallSiteId site;
    Content content = Content::not_compared;
  };
  [[nodiscard]] std::optional<Called> call_of(std::uint32_t correlation) const;
  [[nodiscard]] Entry& entry(model::GroupId group, model::CallSiteId site, model::SiteRole role);
  static void timed(const KernelRun& run, Entry& entry, bool counted);
  [[nodiscard]] std::optional<std::int64_t> taken_address(std::uint32_t correlation);

  const std::uint64_t number_;  // as in CallSiteTable
  std::unique_ptr<Slots> slots_;
  std::mutex mutex_;  // of the index, the nodes, the addresses and the waits
  std::map<Key, Entry*> index_;
  std::deque<Entry> entries_;
  std::unordered_map<std::uint64_t, model::CallSiteId> nodes_;
  std::unordered_map<std::uint32_t, std::uint64_t> addresses_;  // by correlation, until the call's work ran
  std::map<WaitKey, model::SynchronizationSite> waits_;
  bool waits_changed_ = false;
  std::map<TransferKey, model::TransferSite> transfers_;  // the writer thread's
  bool transfers_changed_ = false;
};

}  // namespace coalescope::recorder
