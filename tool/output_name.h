#pragma once
// Names of captures that differ from process to process, so that each rank of a job can wrap itself:
// `mpirun -n 2 coalescope record -o out-%q{OMPI_COMM_WORLD_RANK}.coal app`. The marks are Nsight's.

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace coalescope::tool {

struct NameMarks {
  std::string host;                                                        // %h
  std::string pid;                                                         // %p: coalescope's own
  std::function<std::optional<std::string>(const std::string&)> variable;  // %q{NAME}
};

// Of this process.
NameMarks name_marks();

// %% is a percent sign; one that begins none of these stays as it is. A variable that is not set is an error,
// because all ranks would then write the same file.
[[nodiscard]] base::Result<std::string> expand_name(std::string_view pattern, const NameMarks& marks);

}  // namespace coalescope::tool
