#pragma once
// Runs one side of a twin, as a program of its own would: prepare, compute over and over, look at the result.

#include <optional>
#include <string>

#include "kernels/twins/twin.cuh"

namespace coalescope::kernels {

struct TwinOutcome {
  double median_us = 0;  // of the GPU, for one run of the computation
  std::optional<std::string> mistake;
};

// The code of all twins; those of the table and no others.
std::vector<TwinCode> twin_code();
bool every_twin_has_code();

TwinOutcome run_side(const Twin& twin, Side side);

}  // namespace coalescope::kernels
