#pragma once
// Runs one case: launches, times, and compares its output with what the host computes.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/program/arrays.cuh"

namespace coalescope::kernels {

struct Family {
  std::string_view name;
  bool needs_pinned;
  bool needs_pageable;
  std::vector<Pattern> (*patterns)();
};

// In the order of the cases.
std::span<const Family> families();

struct Outcome {
  double median_us = 0;
  std::optional<std::string> mistake;  // the first wrong word
};

// Every launch is waited for, so that a recorder can give each to another phase.
Outcome run_case(const Pattern& pattern, const Arrays& arrays, int launches);

}  // namespace coalescope::kernels
