#pragma once
// Which code of the program's author a library's template was given: "Less" of
// "thrust::..._kernel_agent<...MergeAgent<Entity*, long, Less>...>". It tells him which call of his it is.

#include <string>
#include <string_view>

namespace coalescope::analysis {

// From a function with its template arguments; "lambda in step" for a lambda; empty where all is the
// library's.
[[nodiscard]] std::string users_functor(std::string_view function);

}  // namespace coalescope::analysis
