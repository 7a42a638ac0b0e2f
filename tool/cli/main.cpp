// The command line of coalescope: which words are its own, and which are a program to record.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>

#include "core/base/log.h"
#include "tool/bare.h"
#include "tool/cli/subcommands.h"
#include "tool/exit_status.h"
#include "tool/process.h"
#include "tool/version.h"

namespace {

using namespace coalescope;
using cli::Subcommand;
using cli::Words;

constexpr const char* kAbout =
    "Finds the memory traffic that a CUDA program wastes.\n\n"
    "  coalescope PROGRAM ARGUMENTS      record the program, then print the report on stderr\n"
    "  coalescope -- PROGRAM ARGUMENTS   the same for a program that is called like a subcommand\n"
    "  coalescope SUBCOMMAND --help      more on one of the subcommands below\n";

// Takes what stands behind the first "--" out of the words of `record`: CLI11 would take a second one for its
// own.
Words take_behind_mark(Words& words) {
  const auto mark = words.front() == "record" ? std::find(words.begin(), words.end(), "--") : words.end();
  Words behind_mark(mark, words.end());
  words.erase(mark, words.end());
  return behind_mark;
}

int run(CLI::App& app, const std::vector<Subcommand>& subcommands, Words words) {
  Words names;
  for (const Subcommand& each : subcommands) names.push_back(each.declared->get_name());
  if (words.empty()) return tool::run_bare({}, names);
  if (words.front() == "--") return tool::run_bare({words.begin() + 1, words.end()}, names);
  const bool is_subcommand = std::count(names.begin(), names.end(), words.front()) != 0;
  if (!is_subcommand && !words.front().starts_with('-')) return tool::run_bare(std::move(words), names);
  const Words behind_mark = take_behind_mark(words);
  std::reverse(words.begin(), words.end());  // CLI11's parse(vector) wants the last word first
  app.parse(std::move(words));
  const auto asked =
      std::ranges::find_if(subcommands, [](const Subcommand& each) { return each.declared->parsed(); });
  return asked->run(behind_mark);  // the parser demands one
}

int answer(const Words& words) {
  CLI::App app{kAbout, "coalescope"};
  const std::vector<Subcommand> subcommands = cli::declare_subcommands(app);
  app.set_version_flag("--version", tool::version_text, "Say which version this is, with all parts");
  app.require_subcommand(1, 1);
  try {
    return run(app, subcommands, words);
  } catch (const CLI::Success& help_or_version) {
    return app.exit(help_or_version);
  } catch (const CLI::ParseError& error) {
    base::log_error("{}; 'coalescope --help' lists commands and options", error.what());
    return tool::kUsage;
  }
}

}  // namespace

int main(int argc, char** argv) {
  tool::occupy_standard_descriptors();
  try {
    return answer(Words(argv + 1, argv + argc));
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "coalescope: fatal: %s; this is a fault of coalescope, please report it\n",
                 exception.what());
    return tool::kBug;
  }
}
