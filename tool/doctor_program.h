#pragma once
// The checks of `doctor` about the program that shall be recorded.

#include "tool/doctor_check.h"

namespace coalescope::tool {

// Whether it can be recorded, and which lines can be named. `cuobjdump`: lists the code of its kernels;
// empty: there is none. A program of Python's is judged by its interpreter.
[[nodiscard]] Checks check_program(const Machine& machine, const std::string& program,
                                   const std::filesystem::path& cuobjdump);

}  // namespace coalescope::tool
