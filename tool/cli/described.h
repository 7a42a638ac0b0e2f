#pragma once
// What the command line declares, for the manual page and the shells' completions.

#include <CLI/CLI.hpp>

#include "tool/cli_pages.h"

namespace coalescope::cli {

[[nodiscard]] tool::CliPages described(const CLI::App& app);

}  // namespace coalescope::cli
