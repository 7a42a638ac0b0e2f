#pragma once
// One kernel and shape may do several things: add arrays in the order in which they lie in memory or across
// it, read the GPU's memory or the host's. Their parameters distinguish launches, as variants, and so do
// their call sites where launches with the same parameters differ; their sectors tell which variants do the
// same. Those share what is measured; one that does something else is measured by itself. Launches that do
// different things never share a row.

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/model/kernel.h"
#include "injection/recorder/parameter_words.h"
#include "injection/recorder/phase_probe.h"
#include "injection/recorder/scheduler.h"

namespace coalescope::recorder {

struct Group;

// Whether two do the same, by the counters that both have; unknown: these say little.
enum class Likeness { unknown, same, different };

// What the measured launches of a group did.
class TrafficSeen {
 public:
  void add(const std::vector<MetricValue>& values);
  void add(const TrafficSeen& other);
  [[nodiscard]] bool any() const { return any_; }
  [[nodiscard]] Likeness like(const TrafficSeen& other) const;
  // Its launches differ among each other.
  [[nodiscard]] bool varies() const;

 private:
  struct Range {
    std::int64_t least = 0, greatest = 0;  // of one launch
  };
  [[nodiscard]] double most_sectors() const;  // of any counter
  static constexpr std::size_t kCounters = 6;
  std::array<std::optional<Range>, kCounters> ranges_;
  bool any_ = false;
};

// By any thread.
class Variants {
 public:
  // A group beside the first, with the same shape.
  using AddGroup = std::function<Group&()>;

  Variants(Group& first, std::vector<ParameterPlace> places, const HostMemory& host_memory)
      : words_(std::move(places), host_memory), groups_{&first} {}

  [[nodiscard]] Group& of(const LaunchInfo& launch, std::optional<model::CallSiteId> call_site,
                          const AddGroup& add);
  // A launch of the group was measured; under the launch gate.
  void measured(Group& group, const std::vector<MetricValue>& values);
  // All share what is measured of a size from now on, and further launches are the first's. False, and
  // nothing happens, if they have done different things.
  [[nodiscard]] bool become_one(SharedNeeds& sizes);
  // The groups' rows as they are to be written, where they are not known yet.
  [[nodiscard]] std::vector<model::KernelGroup> take_changed_rows();
  // The same of how many values their parameters had.
  [[nodiscard]] std::vector<model::ParameterValues> take_changed_values();

 private:
  struct Behaviour {
    SharedNeeds needs;
  };
  // What a row says of it.
  struct Told {
    std::optional<model::GroupId> same_as;
    std::optional<std::int64_t> variant;
    std::optional<std::string> parameters;
    bool operator==(const Told&) const = default;
  };

  // True if any group moved to another behaviour.
  bool settle();
  void move(Group& group, Behaviour& from, Behaviour& to);
  [[nodiscard]] Behaviour& behaviour_of(const Group& group);
  [[nodiscard]] Behaviour& behaviour_for(Group& group);
  // Those that share these needs.
  [[nodiscard]] Likeness like_others(const Group& group, const SharedNeeds* needs) const;
  [[nodiscard]] std::vector<std::size_t> rows() const;

  [[nodiscard]] Group& look_up(const LaunchInfo& launch, std::optional<model::CallSiteId> call_site,
                               const AddGroup& add);

  std::mutex mutex_;
  ParameterWords words_;
  bool uses_call_sites_ = false;
  std::vector<Group*> groups_;  // by the variant's number, as the next
  std::vector<Told> told_;
  std::vector<model::ParameterValues> told_values_;
  std::deque<Behaviour> behaviours_;
  bool is_one_ = false;
};

}  // namespace coalescope::recorder
