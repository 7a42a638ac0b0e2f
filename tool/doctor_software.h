#pragma once
// The checks of `doctor` that look for other programs: Pythons and NVIDIA's disassembler.

#include "tool/doctor_check.h"

namespace coalescope::tool {

struct Python {
  std::filesystem::path path;  // as it says itself: behind a script that chooses one
  std::string implementation;  // "CPython"
  std::string version;         // "3.12.3"
  bool free_threaded = false;
  bool debug = false;
  std::string site_packages;
};

// What the interpreter says of itself, run apart from the user's settings.
[[nodiscard]] base::Result<Python> describe_python(const std::filesystem::path& path);

// The interpreter that runs `program`, if it is one or a script of one; then those of the active environment
// and of PATH. One may come twice.
[[nodiscard]] std::vector<std::filesystem::path> find_pythons(const Machine& machine,
                                                              const std::string& program);

// "python <oldest> <newest>" is what the probe says of the stacks that are read.
[[nodiscard]] Check check_python(const Python& python, const std::string& oldest, const std::string& newest);

// A program of the CUDA Toolkit: on PATH, in toolkits, in the wheels below `site_packages`; empty: none.
[[nodiscard]] std::filesystem::path find_cuda_program(const Machine& machine, const std::string& name,
                                                      const std::vector<std::string>& site_packages);
[[nodiscard]] Check check_disassembler(const Machine& machine, const std::vector<std::string>& site_packages);

}  // namespace coalescope::tool
