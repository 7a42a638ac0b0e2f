#include "injection/recorder/launch_sites.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/mixed.h"
#include "injection/recorder/instance_number.h"
#include "injection/recorder/part_file.h"
#include "injection/recorder/thread_table.h"

namespace coalescope::recorder {
namespace {

constexpr std::size_t kMostSiteNodes = 1'000'000;
// Records come in batches. Work that becomes a node of a graph has none.
constexpr std::size_t kMostAddresses = 100'000;
// A recording has some 100,000 sites at most.
constexpr std::uint32_t kSiteBits = 30;

// As CachedGroup.
struct CachedEntry {
  std::uint64_t key = 0;
  std::atomic<std::int64_t>* launches = nullptr;
};
using CachedEntries = ThreadTable<CachedEntry, 1024, 4>;

}  // namespace

LaunchSites::LaunchSites() : number_(next_instance_number()), slots_(std::make_unique<Slots>()) {}

void LaunchSites::called(std::uint32_t correlation, model::CallSiteId site, Content content) {
  if (correlation == 0) return;
  const auto said = static_cast<std::uint32_t>(content) << kSiteBits | static_cast<std::uint32_t>(site.value);
  (*slots_)[correlation % kSlots].store(std::uint64_t{correlation} << 32U | said, std::memory_order_release);
}

void LaunchSites::names(std::uint32_t correlation, std::uint64_t address) {
  const std::lock_guard lock(mutex_);
  if (addresses_.size() >= kMostAddresses) addresses_.clear();
  addresses_[correlation] = address;
}

std::optional<std::int64_t> LaunchSites::taken_address(std::uint32_t correlation) {
  const std::lock_guard lock(mutex_);
  const auto found = addresses_.extract(correlation);
  return found ? std::optional(static_cast<std::int64_t>(found.mapped())) : std::nullopt;
}

std::optional<LaunchSites::Called> LaunchSites::call_of(std::uint32_t correlation) const {
  const std::uint64_t slot = (*slots_)[correlation % kSlots].load(std::memory_order_acquire);
  if (correlation == 0 || slot >> 32U != correlation) return std::nullopt;
  const auto said = static_cast<std::uint32_t>(slot);
  return Called{model::CallSiteId{said & ((1U << kSiteBits) - 1)}, static_cast<Content>(said >> kSiteBits)};
}

LaunchSites::Entry& LaunchSites::entry(model::GroupId group, model::CallSiteId site, model::SiteRole role) {
  const std::lock_guard lock(mutex_);
  auto [found, is_new] = index_.try_emplace({group.value, site.value, role}, nullptr);
  if (is_new) {
    found->second = &entries_.emplace_back();
    found->second->row.group_id = group;
    found->second->row.call_site_id = site;
    found->second->row.role = role;
  }
  return *found->second;
}

void LaunchSites::launched(model::GroupId group, model::CallSiteId site, model::SiteRole role,
                           std::int64_t kernels) {
  std::uint64_t key = base::mixed(number_, static_cast<std::uint64_t>(role));
  key = base::mixed(base::mixed(key, static_cast<std::uint64_t>(group.value)),
                    static_cast<std::uint64_t>(site.value));
  CachedEntry none;
  CachedEntry* const own =
      CachedEntries::find(key, [key](const CachedEntry& each) { return each.key == key; });
  CachedEntry& cached = own != nullptr ? *own : none;
  if (cached.key != key || cached.launches == nullptr) cached = {key, &entry(group, site, role).launches};
  cached.launches->fetch_add(kernels, std::memory_order_relaxed);
}

void LaunchSites::waited(const model::Synchronization& wait, model::CallSiteId site) {
  const std::lock_guard lock(mutex_);
  model::SynchronizationSite& row = waits_[{wait.kind, site}];
  row.process_id = model::ProcessId{1};
  row.kind = wait.kind;
  row.call_site_id = site;
  ++row.calls;
  row.wait_ns += wait.wait_ns;
  waits_changed_ = true;
}

void LaunchSites::node_made(std::uint64_t node, model::CallSiteId site) {
  const std::lock_guard lock(mutex_);
  if (node != 0 && nodes_.size() < kMostSiteNodes) nodes_[node] = site;
}

std::optional<model::CallSiteId> LaunchSites::maker_of(std::uint64_t node) {
  const std::lock_guard lock(mutex_);
  const auto found = nodes_.find(node);
  return found == nodes_.end() ? std::nullopt : std::optional(found->second);
}

void LaunchSites::timed(const KernelRun& run, Entry& entry, bool counted) {
  if (run.graph_id && !counted) entry.launches.fetch_add(1, std::memory_order_relaxed);
  if (!run.gpu_ns) return;
  ++entry.row.timed_launches;
  entry.row.gpu_ns += *run.gpu_ns;
  entry.written = -1;
}

void LaunchSites::ran(const KernelRun& run, model::GroupId group, bool counted) {
  using model::SiteRole;
  if (const auto call = call_of(run.correlation))
    timed(run, entry(group, call->site, run.graph_id ? SiteRole::graph_launch : SiteRole::launch), counted);
  if (!run.graph_id) return;
  if (const auto made = maker_of(run.graph_node))
    timed(run, entry(group, *made, SiteRole::graph_node), counted);
}

void LaunchSites::ran(model::Transfer& transfer, std::uint32_t correlation) {
  const auto call = call_of(correlation);
  if (!call) return;
  transfer.call_site_id = call->site;
  const bool is_named = transfer.direction == model::Direction::set ||
                        transfer.direction == model::Direction::device_to_device ||
                        transfer.direction == model::Direction::host_to_device;
  if (is_named && !transfer.graph_id) transfer.address = taken_address(correlation);
  const std::int64_t size = model::size_class(transfer.bytes);
  model::TransferSite& row =
      transfers_[{transfer.device_id, transfer.direction, transfer.source_memory, transfer.destination_memory,
                  transfer.asynchronous, size, call->site}];
  row.process_id = model::ProcessId{1};
  row.device_id = transfer.device_id;
  row.direction = transfer.direction;
  row.source_memory = transfer.source_memory;
  row.destination_memory = transfer.destination_memory;
  row.asynchronous = transfer.asynchronous;
  row.size_class = size;
  row.call_site_id = call->site;
  ++row.transfers;
  if (call->content != Content::not_compared) {
    row.compared = row.compared.value_or(0) + 1;
    row.repeated = row.repeated.value_or(0) + (call->content == Content::repeated ? 1 : 0);
  }
  row.bytes += transfer.bytes;
  row.gpu_ns += std::max<std::int64_t>(0, transfer.gpu_ns);
  transfers_changed_ = true;
}

void LaunchSites::write(PartFile& file) {
  std::vector<Entry*> entries;
  std::map<WaitKey, model::SynchronizationSite> waits;
  {
    const std::lock_guard lock(mutex_);
    for (Entry& each : entries_) entries.push_back(&each);
    if (std::exchange(waits_changed_, false)) waits = waits_;
  }
  for (Entry* const each : entries) {
    const std::int64_t launches = each->launches.load(std::memory_order_relaxed);
    if (each->written == launches) continue;
    each->row.launches = each->written = launches;
    file.put(each->row);
  }
  for (const auto& [key, row] : waits) file.put(row);
  if (!std::exchange(transfers_changed_, false)) return;
  for (const auto& [key, row] : transfers_) file.put(row);
}

}  // namespace coalescope::recorder
