#include "kernels/curves/experiment.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace coalescope::kernels {
namespace {

constexpr std::array kExperiments{
    Experiment{"E1", "ceilings", "what a kernel gets from DRAM and L2 that reads, writes, copies"},
    Experiment{"E1", "sectors", "DRAM and L2 over the sectors of a request"},
    Experiment{"E2", "launches", "what a launch costs"},
    Experiment{"B1", "shared_conflicts", "shared memory over the degree of bank conflicts"},
    Experiment{"B5", "constant_loads", "constant memory over the distinct addresses of a warp"},
    Experiment{"B7", "atomics", "atomics over the distinct addresses of a warp"},
    Experiment{"C1", "footprint", "an array that is read again and again, over its size"},
    Experiment{"C1", "hit_rate", "what L1 gets over the share that L2 holds"},
    Experiment{"C2", "residency", "a region that L2 keeps beside a stream, over its size, hitRatio 1.0"},
    Experiment{"C3", "residency_tuned", "the same with hitRatio = set-aside / region"},
    Experiment{"C4", "after_use", "a later kernel, after each way to give persisting lines back"},
    Experiment{"C5", "concurrent_windows", "L2 windows on concurrent streams beyond the set-aside"},
    Experiment{"C5", "graph_window", "an L2 window on the kernel node of a graph"},
    Experiment{"D1", "copy_calls", "copies as the host sees them, over their size"},
    Experiment{"D1", "copy_both_ways", "copies in both directions at once"},
    Experiment{"D2", "small_copies", "16 MiB in pieces, over the size of a piece"},
    Experiment{"D3", "idle_gpu", "how long the GPU waits for copies"},
    Experiment{"D4", "staged", "copy and compute staged over 1, 2, 4, 8 streams"},
    Experiment{"D5", "round_trip", "data that goes through the host between two kernels"},
    Experiment{"D6", "touches", "host memory in place against copy and kernel, over the times it is read"},
    Experiment{"D7", "managed", "managed memory: first touch, prefetch, ping-pong, read-mostly"},
    Experiment{"D8", "pointer_kinds", "what the driver says of each kind of pointer"},
    Experiment{"D8", "peer_copies", "copies between two GPUs with and without peer access"},
};

std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text)
    if (c == '"' || c == '\\')
      result += {'\\', c};
    else if (static_cast<unsigned char>(c) < 0x20)
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      result += c;
  return result + '"';
}

// Numbers that JSON cannot hold were not measured.
std::string number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? fmt::format("{}", *value) : "null";
}

}  // namespace

std::span<const Experiment> experiments() {
  return kExperiments;
}

bool stands_for(std::string_view wanted, std::string_view family) {
  return wanted.size() == 1 ? family.starts_with(wanted) : family == wanted;
}

std::vector<const Experiment*> select_experiments(std::span<const std::string> families) {
  std::vector<const Experiment*> selected;
  for (const Experiment& experiment : kExperiments)
    if (families.empty() ||
        std::ranges::any_of(families, [&](const std::string& f) { return stands_for(f, experiment.family); }))
      selected.push_back(&experiment);
  return selected;
}

std::string to_json_line(const Measurement& measurement) {
  const model::Calibration& row = measurement.row;
  return fmt::format(
      R"({{"family":{},"case":{},"quantity":{},"unit":{},"x":{},"expected":{},"measured":{},"spread":{},)"
      R"("verdict":{},"kernel":{},"note":{}}})"
      "\n",
      in_quotes(row.family), in_quotes(row.case_id), in_quotes(row.quantity), in_quotes(row.unit),
      number(row.abscissa), number(row.expected), number(row.measured), number(measurement.spread),
      in_quotes(name_of(row.verdict)), in_quotes(measurement.kernel),
      row.note ? in_quotes(*row.note) : "null");
}

}  // namespace coalescope::kernels
