#pragma once
// Names the functions and lines that a part's native call sites lie in: the recorder knows modules and
// offsets, for in the program that is recorded no file may be opened.

#include <string>

#include "core/base/error.h"
#include "core/symbols/look_up.h"

namespace coalescope::resolve {

// On the machine that recorded the part, soon after. A file whose build id is not that of the module that ran
// is not believed; of one without, it is taken that it did. What is not found stays as the recorder wrote it.
// Done again it changes nothing.
//
// Where functions were inlined, a site becomes several: itself the innermost, with the others as its callers.
[[nodiscard]] base::Result<void> name_call_sites(const std::string& part,
                                                 const symbols::LookUpOptions& options = {});

}  // namespace coalescope::resolve
