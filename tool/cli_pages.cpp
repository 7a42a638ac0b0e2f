#include "tool/cli_pages.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/log.h"
#include "tool/exit_status.h"
#include "tool/output.h"
#include "tool/version.h"

namespace coalescope::tool {

namespace {

// troff takes a hyphen for a dash, and a point or an apostrophe at the beginning of a line for a request.
std::string roff(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\\')
      safe += "\\e";
    else if (c == '-')
      safe += "\\-";
    else if ((c == '.' || c == '\'') && (safe.empty() || safe.back() == '\n'))
      safe += std::string("\\&") + c;
    else
      safe += c;
  }
  return safe;
}

// Inside of '...' of a shell.
std::string quoted(const std::string& text) {
  std::string safe = "'";
  for (const char c : text)
    if (c == '\'')
      safe += "'\\''";
    else
      safe += c;
  return safe + "'";
}

std::string roff_option(const CliOption& option) {
  const std::string value =
      !option.takes_value || option.is_place ? ""
      : option.choices.empty()
          ? " \\fIVALUE\\fR"
          : fmt::format(" \\fI{}\\fR", roff(fmt::format("{}", fmt::join(option.choices, "|"))));
  return fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", roff(fmt::format("{}", fmt::join(option.names, ", "))), value,
                     roff(option.help));
}

std::vector<std::string> flags_of(const CliCommand& command) {
  std::vector<std::string> flags;
  for (const CliOption& option : command.options)
    if (!option.is_place) flags.insert(flags.end(), option.names.begin(), option.names.end());
  return flags;
}

std::vector<std::string> names_of(const CliPages& pages) {
  std::vector<std::string> names;
  for (const CliCommand& command : pages)
    if (!command.name.empty()) names.push_back(command.name);
  return names;
}

// The choices of the option before the word that is completed.
std::string bash_values(const CliCommand& command) {
  std::string text;
  for (const CliOption& option : command.options)
    if (option.takes_value && !option.is_place && !option.choices.empty())
      text += fmt::format("        {}) COMPREPLY=($(compgen -W {} -- \"$word\")); return ;;\n",
                          fmt::join(option.names, "|"),
                          quoted(fmt::format("{}", fmt::join(option.choices, " "))));
  return text.empty() ? "" : fmt::format("      case $before in\n{}      esac\n", text);
}

// "--flag[help]:value:(a b)", as _arguments wants it; its own signs in the help are kept from it.
std::string zsh_option(const CliOption& option) {
  std::string help;
  for (const char c : option.help)
    if (c == '[' || c == ']' || c == ':')
      help += std::string("\\") + c;
    else
      help += c;
  const std::string values = !option.takes_value ? ""
                             : option.choices.empty()
                                 ? ":value:_files"
                                 : fmt::format(":value:({})", fmt::join(option.choices, " "));
  std::string text;
  for (const std::string& name : option.names) text += " " + quoted(name + "[" + help + "]" + values);
  return text;
}

constexpr std::string_view kBashBegin = R"(# bash completion of coalescope; made by 'coalescope pages bash'.
_coalescope() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=
  [ "$COMP_CWORD" -eq 1 ] || command=${COMP_WORDS[1]}
  case $command in
)";

constexpr std::string_view kZshBegin = R"(#compdef coalescope
# zsh completion of coalescope; made by 'coalescope pages zsh'.
_coalescope() {
  local -a commands
)";

}  // namespace

std::string manual_page(const CliPages& pages, std::string_view version) {
  std::string text = fmt::format(
      ".TH COALESCOPE 1 \"\" \"coalescope {}\" \"User Commands\"\n.SH NAME\ncoalescope \\- find the memory "
      "traffic "
      "that a CUDA program wastes\n.SH SYNOPSIS\n.B coalescope\n.I PROGRAM ARGUMENTS\n.br\n.B coalescope\n.I "
      "SUBCOMMAND\n[\\fIOPTIONS\\fR]\n",
      version);
  for (const CliCommand& command : pages) {
    text += command.name.empty() ? std::string(".SH OPTIONS\n")
                                 : fmt::format(".SH COALESCOPE {}\n", roff(command.name));
    if (!command.name.empty()) text += roff(command.help) + ".\n";
    for (const CliOption& option : command.options) text += roff_option(option);
    if (!command.footer.empty()) text += ".PP\n" + roff(command.footer) + "\n";
  }
  return text;
}

std::string bash_completion(const CliPages& pages) {
  std::string text(kBashBegin);
  for (const CliCommand& command : pages) {
    const bool top = command.name.empty();
    std::vector<std::string> words = flags_of(command);
    if (top) std::ranges::copy(names_of(pages), std::back_inserter(words));
    text += fmt::format("    {})\n{}", top ? "''" : command.name, bash_values(command));
    text +=
        fmt::format("      [[ $word != -* && -n $command ]] || COMPREPLY=($(compgen -W {} -- \"$word\"))\n",
                    quoted(fmt::format("{}", fmt::join(words, " "))));
    text += "      ;;\n";
  }
  return text + "  esac\n}\ncomplete -o bashdefault -o default -F _coalescope coalescope\n";
}

std::string zsh_completion(const CliPages& pages) {
  std::string text = std::string(kZshBegin) + "  commands=(";
  for (const CliCommand& command : pages)
    if (!command.name.empty()) text += " " + quoted(command.name + ":" + command.help);
  text +=
      " )\n  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then\n    _describe command commands\n"
      "    _command_names -e\n    return\n  fi\n  case $words[2] in\n";
  for (const CliCommand& command : pages) {
    text += command.name.empty()
                ? "    -*) _arguments"
                : fmt::format("    {}) shift words; (( CURRENT-- )); _arguments", command.name);
    for (const CliOption& option : command.options)
      if (!option.is_place) text += zsh_option(option);
    text += " '*:file:_files' ;;\n";
  }
  return text + "  esac\n}\n_coalescope \"$@\"\n";
}

std::string fish_completion(const CliPages& pages) {
  std::string text = "# fish completion of coalescope; made by 'coalescope pages fish'.\n";
  for (const CliCommand& command : pages) {
    const std::string when =
        command.name.empty() ? "__fish_use_subcommand" : "__fish_seen_subcommand_from " + command.name;
    if (!command.name.empty())
      text += fmt::format("complete -c coalescope -n __fish_use_subcommand -a {} -d {}\n", command.name,
                          quoted(command.help));
    for (const CliOption& option : command.options) {
      if (option.is_place) continue;
      text += fmt::format("complete -c coalescope -n {}", quoted(when));
      for (const std::string& name : option.names)
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (option.takes_value) text += " -r";
      if (!option.choices.empty())
        text += " -fa " + quoted(fmt::format("{}", fmt::join(option.choices, " ")));
      text += " -d " + quoted(option.help) + "\n";
    }
  }
  return text;
}

std::vector<std::string> page_forms() {
  return {"man", "bash", "zsh", "fish"};
}

int run(const PagesOptions& options, const CliPages& pages) {
  const std::string text = options.form == "man"    ? manual_page(pages, version())
                           : options.form == "bash" ? bash_completion(pages)
                           : options.form == "zsh"  ? zsh_completion(pages)
                                                    : fish_completion(pages);
  const auto written = write_all(stdout, text, "to stdout");
  if (!written) base::log_error(written.error());
  return written ? kDone : kUsage;
}

}  // namespace coalescope::tool
