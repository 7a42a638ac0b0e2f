#pragma once
// What the settings of the recorder may say (options.h names them), read in one place: the tool refuses what
// cannot be read here, and the recorder uses what was read. std::nullopt: it is no such value.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/model/enums.h"

namespace coalescope::model {

// How much longer the run may take: `grant_ns`, and a share of its time so far. What has not been measured at
// all may take `first_share` of that time instead where this is more, up to `most_first_ns`.
struct Budget {
  double share = 0.05;
  std::int64_t grant_ns = 1'000'000'000;  // pays the first configuration: 0.2 to 0.7 s on an H100
  double first_share = 0;
  std::int64_t most_first_ns = 0;

  [[nodiscard]] std::int64_t allowed_ns(std::int64_t run_ns) const;
  [[nodiscard]] std::int64_t allowed_for_first_ns(std::int64_t run_ns) const;  // never less
};
// A program of 15 to 60 s compiles or loads for most of it, and its kernels are many or long: one second and
// 5 % left out lines of a quarter of the kernels' time (docs/performance.md).
inline constexpr Budget kDefaultBudget{0.05, 1'000'000'000, 0.12, 4'000'000'000};

// "auto", the default; "none", which is no limit; "10%", which comes with a second, too; "2s".
struct BudgetSetting {
  std::optional<Budget> limit;
};
[[nodiscard]] std::optional<BudgetSetting> read_budget(std::string_view text);

// A list of phases, "counters" among them; the trace is always on, and replay is a setting of its own.
using Phases = std::array<bool, kPhaseNames.size()>;
[[nodiscard]] std::optional<Phases> read_phases(std::string_view text);

// "all", or at least one.
struct TraceSetting {
  std::optional<std::int64_t> most_listed;
};
[[nodiscard]] std::optional<TraceSetting> read_trace(std::string_view text);

[[nodiscard]] std::optional<std::int64_t> read_number(std::string_view text, std::int64_t least);

// Which stacks are looked at: none, those of Python alone, or those of native code, too.
enum class Stacks { none, python, all };
[[nodiscard]] std::optional<Stacks> read_stacks(std::string_view text);

// One of two words.
struct Choice {
  std::string_view yes, no;
};
inline constexpr Choice kReplayChoice{"kernel", "none"}, kFromStartChoice{"on", "off"};
inline constexpr Choice kTimedChoice{"measure", "avoid"}, kGraphsChoice{"node", "graph"};
// Whose allocations are followed beside CUDA's: "pytorch".
[[nodiscard]] bool is_allocations(std::string_view text);
[[nodiscard]] std::optional<bool> read_choice(std::string_view text, const Choice& choice);

}  // namespace coalescope::model
