#pragma once
// Finds the kernel group of a launch and gives new ones their ids. Shared by the launch callbacks, which know
// groups by the driver's function handle, and the writer thread, which knows them by name.

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/model/ids.h"
#include "core/model/kernel.h"
#include "core/model/launch.h"
#include "injection/recorder/graph_launches.h"
#include "injection/recorder/launch_info.h"
#include "injection/recorder/pending_launches.h"
#include "injection/recorder/records.h"
#include "injection/recorder/scheduler.h"
#include "injection/recorder/variants.h"

namespace coalescope::recorder {

// Whether a kernel is measured, by its name.
struct Verdict {
  Verdict(model::CoverageReason why, bool never_ends = false, bool times = false)
      : reason(why), may_never_end(never_ends), begins_timing(times) {}
  model::CoverageReason reason;  // measured, or why it is only traced
  bool may_never_end;            // it may run for as long as the program does, or wait for the host
  bool begins_timing;            // an autotuner launches it before what it times
};

// What each launch looks at comes first, and together: programs empty the caches between two launches.
struct alignas(64) Group {
  // Of its kernel and shape, this group among them; nullptr: its parameters are not known (yet).
  std::atomic<Variants*> variants{nullptr};
  // Of its function, which has many; nullptr: few, or the group is in it already.
  std::atomic<SharedNeeds*> size_class{nullptr};
  std::atomic<std::int64_t> launches_seen{0};
  model::CoverageReason reason = model::CoverageReason::measured;  // otherwise why it is never measured
  bool may_never_end = false;
  bool begins_timing = false;
  bool found_by_name = true;                  // by the trace: the first of that name and shape
  std::atomic<bool> satisfied{false};         // nothing left to measure: the launch path's one question
  std::atomic<bool> taken_apart{false};       // it was launched by itself instead of in a graph
  std::atomic<bool> cooperative{false};       // some launch of it was: those are never measured
  std::atomic<bool> pointers_asked{false};    // where its pointer parameters point to
  std::atomic<bool> parameters_asked{false};  // where its parameters lie
  std::atomic<int> launches_avoided{0};       // timed ones in a row that were not measured
  std::atomic<int> launches_since_load{0};
  std::atomic<std::int64_t> loads{0};  // of code at run time, as its last launch found them
  GroupNeeds needs;                    // changed only by the gate's owner
  model::KernelGroup row;
  std::atomic<std::int64_t> launches_in_stream_capture{
      0};  // recorded into a graph by a stream capture, not run
  std::atomic<std::int64_t> launches_in_graph{0};
  std::atomic<std::int64_t> launches_timed{0};
  std::atomic<std::int64_t> launches_untraced{0};  // timed by an autotuner, and without a record for that
  std::atomic<std::uint64_t> pair{0};              // of events, in which it was launched last
  std::atomic<int> launches_in_pair{0};            // in that one
  std::atomic<std::int64_t> avoided_since_ns{0};
  // This and the next three are the writer thread's.
  std::int64_t launches_listed = 0;  // rows of `launch`
  model::LaunchTotal unlisted;       // the other launches
  bool unlisted_timed = false;       // one of them was timed since its total was written
  std::array<model::Coverage, kPhaseCount> coverage_written;  // the rows as they were last sent
  TrafficSeen traffic;                                        // the variants'
};

class GroupTable {
 public:
  // Called once for each new row, before anything can refer to it; must only queue.
  using NewKernel = std::function<void(const model::Kernel&)>;
  using NewGroup = std::function<void(const model::KernelGroup&)>;
  using Judge = std::function<Verdict(std::string_view kernel_name)>;

  GroupTable(NewKernel new_kernel, NewGroup new_group, Judge judge);

  // Groups live as long as the table; a reference stays good. Run-time compilers give many functions one
  // name: functions with different parameter layouts are different kernels. `layout` comes from layout_of();
  // 0: not known, then the first kernel of that name is meant.
  Group& find_or_add(std::string_view kernel_name, std::int32_t device, const Shape& shape,
                     std::uint64_t layout = 0);
  // Where the parameters of its kernel lie: from now on they distinguish its launches. Once a group.
  void tell_apart(Group& group, std::vector<ParameterPlace> parameters);
  // What the program has of it.
  [[nodiscard]] HostMemory& host_memory() { return host_memory_; }
  // The group of this launch, where `first` is that of its kernel and shape.
  [[nodiscard]] Group& variant_of(Group& first, const LaunchInfo& launch,
                                  std::optional<model::CallSiteId> call_site = {});
  // The launch runs natively and is traced: its record will have this correlation id. Of launches that share
  // one with others, records come in the order of the launches.
  void launched(std::uint32_t correlation, const Group& group, bool shares_id);
  // Records call a kernel of a graph by this id. False: they will not be found by it.
  bool name_node(std::uint64_t node, const Group& group);
  // The kernels of the graph that this call launches have been counted; or they belong to the groups of a
  // list.
  void graph_counted(std::uint32_t correlation);
  void graph_launched(std::uint32_t correlation, std::uint32_t list);
  // The groups of a graph's kernels whose records have ids of their own. Its number; nullopt: there are too
  // many lists.
  [[nodiscard]] std::optional<std::uint32_t> list_groups(std::vector<Group*> groups);
  // Whether a launch was counted where it was made. Otherwise this record is all that tells of it.
  [[nodiscard]] bool is_counted(const KernelRun& run) const;
  // Of a launch that the trace tells of, which knows the kernel's name. One of several kernels of that name,
  // and a variant, is known by what the launch callbacks, or the graph's nodes, have told; otherwise it is
  // the first.
  [[nodiscard]] Group& group_of(const KernelRun& run);
  // The first of that name.
  [[nodiscard]] model::KernelId kernel_id(std::string_view kernel_name);
  // An id that this table gave to a group.
  [[nodiscard]] Group& at(model::GroupId id);
  // Groups that are added meanwhile are not visited. A visit may wait: the table is not locked.
  void for_each(const std::function<void(Group&)>& visit);
  [[nodiscard]] std::vector<model::KernelGroup> take_changed_rows();
  [[nodiscard]] std::vector<model::ParameterValues> take_changed_values();

  // The trace has timed a launch; on the writer thread.
  void timed(Group& group, std::int64_t gpu_ns);
  // Of all timed launches of all groups.
  [[nodiscard]] std::int64_t gpu_ns() const { return gpu_ns_.load(std::memory_order_relaxed); }

 private:
  [[nodiscard]] std::vector<Variants*> all_variants();

  struct Key {
    std::int64_t kernel = 0;
    std::int32_t device = 0;
    Shape shape;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept;
  };
  struct NameHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const noexcept {
      return std::hash<std::string_view>{}(name);
    }
  };
  // A function with one block, in all its grids.
  struct Family {
    std::vector<Group*> shapes;
    std::int64_t last_shape = 0;  // that came to the scheduler
    std::map<int, SharedNeeds>
        classes;  // by half octaves of the number of blocks, once there are many shapes
  };
  struct KernelEntry {
    model::KernelId id;
    Verdict verdict;
    std::uint64_t layout = 0;
  };

  KernelEntry& kernel_entry(std::string_view name, std::uint64_t layout);
  Group& group(std::string_view kernel_name, std::int32_t device, const Shape& shape, std::uint64_t layout);
  void add_to_family(const Key& key, Group& group);
  Group& add_variant(const Group& first);
  void remember_launches();
  [[nodiscard]] bool is_of(const KernelRun& run, const Group& group) const;
  [[nodiscard]] std::optional<model::GroupId> launched_as(const KernelRun& run);
  [[nodiscard]] std::optional<model::GroupId> node_group(const KernelRun& run) const;
  [[nodiscard]] GraphLaunches& graph_launches();
  [[nodiscard]] std::optional<std::uint32_t> list_of(const KernelRun& run) const;

  std::mutex mutex_;
  NewKernel new_kernel_;
  NewGroup new_group_;
  Judge judge_;
  std::atomic<std::int64_t> gpu_ns_{0};
  std::unordered_map<std::string, std::vector<KernelEntry>, NameHash, std::equal_to<>> kernels_;
  std::int64_t last_kernel_ = 0;
  std::unordered_map<Key, Group*, KeyHash> index_;
  std::deque<Group> groups_;
  HostMemory host_memory_;
  std::deque<Variants> variants_;
  std::unordered_map<std::uint64_t, model::GroupId> nodes_;
  std::unordered_map<std::uint32_t, std::vector<const Group*>> sharing_;  // by their correlation id
  std::atomic<PendingLaunches*> pending_{nullptr};  // of groups that a record does not find by name and shape
  std::unique_ptr<PendingLaunches> pending_owner_;
  std::atomic<GraphLaunches*> graph_launches_{nullptr};  // most programs have no graphs
  std::unique_ptr<GraphLaunches> graph_launches_owner_;
  std::vector<std::vector<Group*>> lists_;             // of groups; the first has number 1
  std::unordered_map<Key, Family, KeyHash> families_;  // the grid is that of no shape
};

}  // namespace coalescope::recorder
