#pragma once
// The subcommands as CLI11 reads them: what can be asked of each, and who does it.

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace coalescope::cli {

using Words = std::vector<std::string>;

struct Subcommand {
  CLI::App* declared;
  // Once the words are parsed: its exit status. The words behind "--" are the program's; CLI11 never sees
  // them.
  std::function<int(const Words& behind_mark)> run;
};

// In the order of the help.
[[nodiscard]] std::vector<Subcommand> declare_subcommands(CLI::App& app);

}  // namespace coalescope::cli
