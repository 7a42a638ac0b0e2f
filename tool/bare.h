#pragma once
// `coalescope PROGRAM ARGUMENTS`: record, then the text report, without a word about files and options.

#include <span>
#include <string>
#include <vector>

namespace coalescope::tool {

// Ends as the program did. The report goes to stderr: stdout is the program's, and may be a pipe to another.
// Returns only if the program was not started; a mistyped one of `subcommands` gets a hint.
int run_bare(std::vector<std::string> command, std::span<const std::string> subcommands);

}  // namespace coalescope::tool
