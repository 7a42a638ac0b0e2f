#pragma once
// When L2 access-policy windows were in force, and where: looked up without going over all windows again, for
// a program may set thousands.

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "core/model/ids.h"
#include "core/model/memory.h"

namespace coalescope::analysis {

// From and to; sorted by their beginnings.
using Spans = std::vector<std::pair<std::int64_t, std::int64_t>>;
[[nodiscard]] bool in_spans(const Spans& spans, std::int64_t ns);

[[nodiscard]] bool persists(const model::L2Window& window);
[[nodiscard]] double bytes_wanted(const model::L2Window& window);

// Memory that a pointer of a kernel leads into.
[[nodiscard]] bool overlap(std::int64_t address, std::int64_t bytes, const model::L2Window& window);
[[nodiscard]] std::pair<std::int64_t, std::int64_t> memory_of(const model::GroupPointer& pointer);

// The memory of several windows together.
class L2WindowMemory {
 public:
  explicit L2WindowMemory(std::span<const model::L2Window* const> windows);
  [[nodiscard]] bool holds_a_part_of(std::span<const model::GroupPointer* const> pointers) const;

 private:
  Spans spans_;  // apart
};

class L2WindowTimes {
 public:
  L2WindowTimes(std::span<const model::L2Window> windows, std::span<const model::L2Setting> settings);

  // Its successor on the same stream, or a call that gives persisting lines back.
  [[nodiscard]] std::optional<std::int64_t> end_of(const model::L2Window& window) const;
  // When it was in force; a program may set it before each launch.
  [[nodiscard]] const Spans& spans_of(const model::L2Window& window) const;
  // When its lines stopped to persist. Goes over all windows of accesses as normal ones.
  [[nodiscard]] std::vector<std::int64_t> releases_of(const model::L2Window& window) const;
  // What the program had set aside by then.
  [[nodiscard]] std::optional<std::int64_t> set_aside_before(const model::L2Window& window) const;

 private:
  using Place = std::tuple<model::ProcessId, std::optional<std::int64_t>, model::L2WindowTarget>;
  using Key = std::tuple<Place, std::int64_t, std::int64_t, double>;  // address, bytes, hit ratio
  static Place place_of(const model::L2Window& window);
  static Key key_of(const model::L2Window& window);

  using Times = std::vector<std::int64_t>;
  std::map<Place, Times> set_;
  std::map<model::ProcessId, Times> resets_;
  std::map<model::ProcessId, std::vector<std::pair<std::int64_t, std::optional<std::int64_t>>>> set_aside_;
  std::map<model::ProcessId, std::vector<const model::L2Window*>> normal_;
  std::map<Key, Spans> spans_;
};

}  // namespace coalescope::analysis
