#pragma once
// The manual page and the shells' completions, from what the command line itself declares
// (cli/described.cpp).

#include <string>
#include <string_view>
#include <vector>

namespace coalescope::tool {

struct CliOption {
  std::vector<std::string> names;  // "-o", "--output"; of a place in the line: "FILE"
  std::string help;
  std::vector<std::string> choices;  // all that it may be; empty: anything
  bool takes_value = false;
  bool is_place = false;  // no option: a word at its place in the line
};

struct CliCommand {
  std::string name;  // empty: coalescope itself
  std::string help;
  std::string footer;
  std::vector<CliOption> options;
};

// The first is coalescope itself.
using CliPages = std::vector<CliCommand>;

[[nodiscard]] std::string manual_page(const CliPages& pages, std::string_view version);
[[nodiscard]] std::string bash_completion(const CliPages& pages);
[[nodiscard]] std::string zsh_completion(const CliPages& pages);
[[nodiscard]] std::string fish_completion(const CliPages& pages);

struct PagesOptions {
  std::string form;  // one of page_forms()
};
[[nodiscard]] std::vector<std::string> page_forms();
int run(const PagesOptions& options, const CliPages& pages);

}  // namespace coalescope::tool
