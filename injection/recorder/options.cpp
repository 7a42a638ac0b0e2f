#include "injection/recorder/options.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

#include "core/base/duration.h"
#include "core/model/setting_values.h"

namespace coalescope::recorder {
namespace {

namespace option = model::option;
using base::ErrorCode;
using base::failure;
using base::Result;
using model::Phase;
using model::read_choice;
using model::read_number;

constexpr std::int64_t kMostSamples = 1'000'000;

// Into `to`; false: it was not understood.
template <class Value, class Target>
bool take(const std::optional<Value>& value, Target& to) {
  if (value) to = static_cast<Target>(*value);
  return value.has_value();
}

bool take_trace(std::string_view text, RecorderOptions& options) {
  const auto setting = model::read_trace(text);
  // What the user asked for holds however fast the launches follow.
  options.most_listed_busy = std::nullopt;
  if (setting) options.most_listed = setting->most_listed;
  return setting.has_value();
}

bool take_budget(std::string_view text, RecorderOptions& options) {
  const auto setting = model::read_budget(text);
  if (setting) options.scheduling.budget = setting->limit;
  return setting.has_value();
}

bool take_samples(std::string_view text, RecorderOptions& options) {
  const auto samples = read_number(text, 1);
  if (samples) options.scheduling.samples = static_cast<int>(std::min(*samples, kMostSamples));
  return samples.has_value();
}

// One launch then gives what the three phases would take three for.
bool take_replay(std::string_view text, RecorderOptions& options) {
  const auto replays = read_choice(text, model::kReplayChoice);
  if (!replays.value_or(false)) return replays.has_value();
  auto& enabled = options.scheduling.enabled;
  for (const Phase phase : kReplayed)
    if (std::exchange(enabled[index_of(phase)], false)) enabled[index_of(Phase::replay)] = true;
  return true;
}

struct Reader {
  std::string_view name;
  bool (*take)(std::string_view text, RecorderOptions& to);
};
// In the order in which they are applied: replay looks at the phases.
constexpr std::array kReaders{
    Reader{option::kStartedNs,
           [](auto text, auto& to) { return take(read_number(text, 0), to.started_unix_ns); }},
    Reader{option::kTrace, take_trace},
    Reader{
        option::kTimed,
        [](auto text, auto& to) { return take(read_choice(text, model::kTimedChoice), to.measure_timed); }},
    Reader{option::kGraphs,
           [](auto text, auto& to) { return take(read_choice(text, model::kGraphsChoice), to.graph_nodes); }},
    Reader{option::kStacks, [](auto text, auto& to) { return take(model::read_stacks(text), to.stacks); }},
    Reader{option::kAllocations,
           [](auto text, auto& to) {
             to.torch_allocations = model::is_allocations(text);
             return to.torch_allocations;
           }},
    Reader{option::kSamples, take_samples},
    Reader{option::kPhases,
           [](auto text, auto& to) { return take(model::read_phases(text), to.scheduling.enabled); }},
    Reader{option::kBudget, take_budget},
    Reader{option::kReplay, take_replay},
    Reader{option::kSkip, [](auto text, auto& to) { return take(read_number(text, 0), to.selection.skip); }},
    Reader{option::kLaunches,
           [](auto text, auto& to) { return take(read_number(text, 1), to.selection.launches); }},
    Reader{option::kAfter,
           [](auto text, auto& to) { return take(base::parse_duration_ns(text), to.selection.after_ns); }},
    Reader{option::kFor,
           [](auto text, auto& to) { return take(base::parse_duration_ns(text), to.selection.for_ns); }},
    Reader{option::kFromStart,
           [](auto text, auto& to) {
             return take(read_choice(text, model::kFromStartChoice), to.selection.from_start);
           }},
};

}  // namespace

Result<std::optional<RecorderOptions>> read_options(const ReadVariable& read) {
  RecorderOptions options;
  const auto directory = read(option::kDirectory);
  if (!directory || directory->empty()) return std::nullopt;
  options.directory = *directory;
  for (const auto& reader : kReaders) {
    const auto text = read(reader.name);
    if (!text) continue;
    if (!reader.take(*text, options))
      return failure(ErrorCode::usage, fmt::format("{}='{}' is not understood", reader.name, *text),
                     "'coalescope record --help' lists what its settings take");
  }
  options.selection.kernel = read(option::kKernel).value_or("");
  options.selection.exclude = read(option::kExclude).value_or("");
  options.selection.range = read(option::kRange).value_or("");
  options.ring = read(option::kRing).value_or("");
  return options;
}

}  // namespace coalescope::recorder
