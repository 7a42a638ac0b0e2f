#pragma once
// Names the functions that a part's call sites lie in, and finds the call that is the program's own: the
// recorder knows modules and offsets, for in the program that is recorded no file may be opened.

#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/symbols/look_up.h"

namespace coalescope::resolve {

// A function of CUDA's runtime, by its mangled name.
[[nodiscard]] bool is_runtime_function(std::string_view symbol);

// On the machine that recorded the part, soon after: the files must be those that ran. What is not found
// stays as the recorder wrote it. Done again it changes nothing.
[[nodiscard]] base::Result<void> name_call_sites(const std::string& part,
                                                 const symbols::LookUpOptions& options = {});

}  // namespace coalescope::resolve
