#include "tool/cli/described.h"

namespace coalescope::cli {
namespace {

// What a validator of choices says of itself: "{man,bash,zsh}".
std::vector<std::string> choices_of(const std::string& type) {
  const auto begin = type.find('{'), end = type.find('}');
  if (begin == std::string::npos || end == std::string::npos) return {};
  return CLI::detail::split(type.substr(begin + 1, end - begin - 1), ',');
}

tool::CliOption option_page(const CLI::Option& option) {
  tool::CliOption page{{},
                       option.get_description(),
                       choices_of(option.get_type_name()),
                       option.get_expected_max() > 0,
                       option.get_positional()};
  if (page.is_place) page.names.push_back(option.get_name(true));
  for (const std::string& name : option.get_snames()) page.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) page.names.push_back("--" + name);
  return page;
}

tool::CliCommand command_page(const CLI::App& command, const std::string& name) {
  tool::CliCommand page{name, command.get_description(), command.get_footer(), {}};
  for (const CLI::Option* option : command.get_options()) page.options.push_back(option_page(*option));
  return page;
}

}  // namespace

tool::CliPages described(const CLI::App& app) {
  tool::CliPages pages{command_page(app, "")};
  for (const CLI::App* command : app.get_subcommands({}))
    pages.push_back(command_page(*command, command->get_name()));
  return pages;
}

}  // namespace coalescope::cli
