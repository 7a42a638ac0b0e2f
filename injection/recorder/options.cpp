#include "injection/recorder/options.h"

#include <array>
#include <charconv>

#include "core/base/duration.h"
#include "core/model/options.h"

namespace coalescope::recorder {
namespace {

namespace option = model::option;
using base::ErrorCode;
using base::failure;
using base::Result;
using model::Phase;

template <class Number>
bool parse(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

tl::unexpected<base::Error> not_understood(std::string_view name, std::string_view text, const char* remedy) {
  return failure(ErrorCode::usage, std::string(name) + "='" + std::string(text) + "' is not understood",
                 remedy);
}

Result<void> read_phases(std::string_view list, RecorderOptions& options) {
  constexpr std::array kCounters{Phase::bytes, Phase::traffic, Phase::hits};
  auto& enabled = options.scheduling.enabled;
  enabled.fill(false);
  enabled[index_of(Phase::trace)] = true;
  while (!list.empty()) {
    const auto comma = list.find(',');
    const auto name = list.substr(0, comma);
    list = comma == std::string_view::npos ? std::string_view{} : list.substr(comma + 1);
    bool known = name.empty() || name == "counters";
    for (const auto phase : kCounters) enabled[index_of(phase)] |= name == "counters";
    for (const auto& entry : model::kPhaseNames) {
      if (entry.name != name || entry.value == Phase::replay) continue;
      known = enabled[index_of(entry.value)] = true;
    }
    if (!known)
      return not_understood(option::kPhases, name, "use bytes, lines, traffic, hits, counters or trace");
  }
  return {};
}

Result<void> read_budget(std::string_view text, RecorderOptions& options) {
  auto& budget = options.scheduling.budget;
  if (text == "none") {
    budget = std::nullopt;
    return {};
  }
  if (const auto length = base::parse_duration_ns(text)) {
    budget = Budget{0, *length};
    return {};
  }
  double percent = 0;
  if (!text.ends_with('%') || !parse(text.substr(0, text.size() - 1), percent) || percent < 0)
    return not_understood(option::kBudget, text,
                          "write a share of the run such as 10%, a time such as 2s, or none");
  budget = Budget{};
  budget->share = percent / 100;
  if (percent == 0) budget->grant_ns = 0;
  return {};
}

Result<void> read_replay(std::string_view text, RecorderOptions& options) {
  if (text != "kernel" && text != "none")
    return not_understood(option::kReplay, text, "write kernel, or none");
  if (text == "none") return {};
  // One launch then gives what the three phases would take three for.
  auto& enabled = options.scheduling.enabled;
  enabled[index_of(Phase::replay)] =
      enabled[index_of(Phase::bytes)] || enabled[index_of(Phase::traffic)] || enabled[index_of(Phase::hits)];
  for (const auto phase : {Phase::bytes, Phase::traffic, Phase::hits}) enabled[index_of(phase)] = false;
  return {};
}

template <class Number>
Result<void> read_number(std::string_view name, std::string_view text, Number& value, Number least) {
  if (parse(text, value) && value >= least) return {};
  return not_understood(name, text, "write a whole number");
}

Result<void> read_count(std::string_view name, std::string_view text, std::optional<std::int64_t>& value) {
  return read_number<std::int64_t>(name, text, value.emplace(), 1);
}

Result<void> read_trace(std::string_view text, RecorderOptions& options) {
  // What the user asked for holds however fast the launches follow.
  options.most_listed_busy = std::nullopt;
  if (text != "all") return read_count(option::kTrace, text, options.most_listed);
  options.most_listed = std::nullopt;
  return {};
}

Result<void> read_duration(std::string_view name, std::string_view text, std::int64_t& value) {
  const auto length = base::parse_duration_ns(text);
  if (!length) return not_understood(name, text, "write a time such as 30s or 500ms");
  value = *length;
  return {};
}

Result<void> read_from_start(std::string_view text, RecorderOptions& options) {
  if (text != "on" && text != "off") return not_understood(option::kFromStart, text, "write on or off");
  options.selection.from_start = text == "on";
  return {};
}

Result<void> read_timed(std::string_view text, RecorderOptions& options) {
  if (text != "avoid" && text != "measure")
    return not_understood(option::kTimed, text, "write avoid or measure");
  options.measure_timed = text == "measure";
  return {};
}

Result<void> read_graphs(std::string_view text, RecorderOptions& options) {
  if (text != "node" && text != "graph") return not_understood(option::kGraphs, text, "write node or graph");
  options.graph_nodes = text == "node";
  return {};
}

struct Reader {
  std::string_view name;
  Result<void> (*read)(std::string_view text, RecorderOptions& options);
};
// In the order in which they are applied: replay looks at the phases.
constexpr std::array kReaders{
    Reader{option::kStartedNs,
           [](std::string_view text, RecorderOptions& to) {
             return read_number<std::int64_t>(option::kStartedNs, text, to.started_unix_ns, 0);
           }},
    Reader{option::kTrace, read_trace},
    Reader{option::kTimed, read_timed},
    Reader{option::kGraphs, read_graphs},
    Reader{option::kSamples,
           [](std::string_view text, RecorderOptions& to) {
             return read_number(option::kSamples, text, to.scheduling.samples, 1);
           }},
    Reader{option::kPhases, read_phases},
    Reader{option::kBudget, read_budget},
    Reader{option::kReplay, read_replay},
    Reader{option::kSkip,
           [](std::string_view text, RecorderOptions& to) {
             return read_number<std::int64_t>(option::kSkip, text, to.selection.skip, 0);
           }},
    Reader{option::kLaunches,
           [](std::string_view text, RecorderOptions& to) {
             return read_count(option::kLaunches, text, to.selection.launches);
           }},
    Reader{option::kAfter,
           [](std::string_view text, RecorderOptions& to) {
             return read_duration(option::kAfter, text, to.selection.after_ns);
           }},
    Reader{option::kFor,
           [](std::string_view text, RecorderOptions& to) {
             return read_duration(option::kFor, text, to.selection.for_ns.emplace());
           }},
    Reader{option::kFromStart, read_from_start},
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
    if (auto done = reader.read(*text, options); !done) return tl::unexpected(done.error());
  }
  options.selection.kernel = read(option::kKernel).value_or("");
  options.selection.exclude = read(option::kExclude).value_or("");
  options.selection.range = read(option::kRange).value_or("");
  options.ring = read(option::kRing).value_or("");
  options.cupti_folder = read(option::kCuptiPath).value_or("");
  return options;
}

}  // namespace coalescope::recorder
