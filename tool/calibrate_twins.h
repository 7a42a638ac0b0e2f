#pragma once
// `coalescope calibrate --twins`: times both sides of each pair of kernels/twins/twins.h, records both, and
// keeps what the analyser is judged by in one folder.

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "kernels/twins/twins.h"

namespace coalescope::tool {

struct TwinResult {
  const kernels::Twin* twin = nullptr;
  std::optional<double> fault_us, clean_us;  // of the GPU, natively, for one run of the computation
  std::optional<std::string> skipped;        // what this machine lacks
  std::optional<std::string> failed;         // what went wrong, with the side
};

// The twins of these families ("A3", or "A" for all that begin with it); of all, if none is given.
[[nodiscard]] std::vector<const kernels::Twin*> select_twins(std::span<const std::string> families);

// What one side wrote: its time, or why it was skipped.
[[nodiscard]] base::Result<void> read_side(std::string_view json, kernels::Side side, TwinResult& result);

// {"twins": {ID: {"family", "rule", "verdict", "fault_us", "clean_us"}}, "skipped": {ID: WHY}}
[[nodiscard]] std::string to_times_json(std::span<const TwinResult> results);

// A line a pair: both times, and the share of the first that the repair saves.
[[nodiscard]] std::string to_twin_table(std::span<const TwinResult> results);

// Leaves FOLDER/ID.fault.coal, FOLDER/ID.clean.coal and FOLDER/times.json: the exit status.
[[nodiscard]] int run_twins(const std::filesystem::path& program, const std::filesystem::path& folder,
                            std::span<const std::string> families);

}  // namespace coalescope::tool
