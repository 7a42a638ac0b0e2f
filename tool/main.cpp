// The command line of coalescope: what can be asked, and who does it.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>

#include "core/base/log.h"
#include "tool/bare.h"
#include "tool/calibrate.h"
#include "tool/check.h"
#include "tool/cli_pages.h"
#include "tool/diff.h"
#include "tool/doctor.h"
#include "tool/exit_status.h"
#include "tool/explain.h"
#include "tool/merge.h"
#include "tool/metrics.h"
#include "tool/process.h"
#include "tool/record.h"
#include "tool/recover.h"
#include "tool/report.h"
#include "tool/resolve.h"
#include "tool/rules.h"
#include "tool/version.h"

namespace {

using namespace coalescope;
using Words = std::vector<std::string>;

constexpr const char* kAbout =
    "Finds the memory traffic that a CUDA program wastes.\n\n"
    "  coalescope PROGRAM ARGUMENTS      record the program, then print the report on stderr\n"
    "  coalescope -- PROGRAM ARGUMENTS   the same for a program that is called like a subcommand\n"
    "  coalescope SUBCOMMAND --help      more on one of the subcommands below\n";

struct Requests {
  tool::RecordOptions record;
  tool::ReportOptions report;
  tool::DiffOptions diff;
  tool::CheckOptions check;
  tool::CalibrateOptions calibrate;
  tool::MergeOptions merge;
  tool::RecoverOptions recover;
  tool::ResolveOptions resolve;
  tool::RulesOptions rules;
  tool::ExplainOptions explain;
  tool::DoctorOptions doctor;
  tool::MetricsOptions metrics;
  tool::PagesOptions pages;
};

void declare_force(CLI::App& command, bool& force) {
  command.add_flag("--force", force, "Replace a file that coalescope would not: one that is of another kind");
}

void declare_setting(CLI::App& command, const tool::Setting& setting, tool::RecordOptions& options) {
  const std::string flags(setting.flags), help(setting.help);
  if (!setting.flag.empty()) {
    command.add_flag_callback(
        flags, [&options, &setting] { options.settings[setting.variable] = setting.flag; }, help);
    return;
  }
  command.add_option_function<std::string>(
      flags,
      [&options, variable = setting.variable](const std::string& value) {
        options.settings[variable] = value;
      },
      help);
}

void declare_record(CLI::App& app, tool::RecordOptions& options) {
  CLI::App& command = *app.add_subcommand("record", "Run a program once and write a capture of it");
  command.footer(
      "The program and its arguments stand last: coalescope record [OPTIONS] [--] PROGRAM ARGUMENTS");
  command.add_option("-o,--output", options.output,
                     "The capture; if not given, PROGRAM-YYYYmmdd-HHMMSS.coal. %h is the host's name, %p a "
                     "process number, %q{NAME} an environment variable");
  declare_force(command, options.force);
  command.add_flag("--no-source", options.no_source, "Keep the program's source lines out of the capture");
  command.add_flag("--rerun", options.rerun,
                   "Run the program again for each thing to measure, so that kernels launched once have all");
  for (const tool::Setting& setting : tool::settings()) declare_setting(command, setting, options);
  command.prefix_command();  // from the first word that is no option on, everything is the program's
}

// One format at a time; without any the report is text.
void declare_formats(CLI::App& command, tool::ReportOptions& options) {
  CLI::Option* html =
      command.add_option("--html", options.html, "Write one self-contained page to this file");
  const std::vector<CLI::Option*> formats{
      html,
      command.add_flag("--json", options.json, "The report as data: docs/report.schema.json"),
      command.add_option("--csv", options.csv, "One table for spreadsheets and data frames")
          ->check(CLI::IsMember(tool::csv_tables())),
      command.add_flag("--markdown", options.markdown, "For comments and summaries, as GitHub renders it"),
      command.add_flag("--sarif", options.sarif, "The findings for tools of code review: SARIF 2.1.0"),
      command
          .add_option(
              "--folded", options.folded,
              "Call stacks for flame graphs, weighted by GPU time, or by the time that repairs would save")
          ->check(CLI::IsMember(tool::folded_weights()))};
  command
      .add_option("--by", options.by,
                  "Add times up along the stacks: by call site, module (of PyTorch, recorded with --modules; "
                  "else file), "
                  "kernel or NVTX range")
      ->check(CLI::IsMember(tool::sum_names()))
      ->excludes(formats[0])
      ->excludes(formats[1])
      ->excludes(formats[2])
      ->excludes(formats[3])
      ->excludes(formats[4]);
  CLI::Option* section =
      command.add_option("--section", options.section, "Print this part of the verbose text, whole")
          ->check(CLI::IsMember(tool::section_names()));
  section->excludes(command.get_option("--by"));
  for (CLI::Option* one : formats) section->excludes(one);
  for (CLI::Option* one : formats)
    for (CLI::Option* other : formats)
      if (one != other) one->excludes(other);
  command.add_option("-o,--output", options.output, "Write to this file instead of stdout")->excludes(html);
  declare_force(command, options.force);
}

void declare_sources(CLI::App& command, tool::ReportOptions& options) {
  CLI::Option* none = command.add_flag("--no-source", options.no_source, "Show no source lines");
  command
      .add_option("--source-root", options.source_roots,
                  "Read source that the capture does not carry below this folder, too; else only below the "
                  "current one")
      ->check(CLI::ExistingDirectory)
      ->allow_extra_args(false)
      ->excludes(none);
}

// Whose code the frames of a stack are.
void declare_ownership(CLI::App& command, analysis::CodeOwnership& ownership) {
  command
      .add_option("--root", ownership.roots,
                  "Take only files in this folder for your own; else all that belong to no package or system")
      ->allow_extra_args(false);
  command.add_option("--hide", ownership.hidden, "Take no file for your own whose path contains this text")
      ->allow_extra_args(false);
}

void declare_report(CLI::App& app, tool::ReportOptions& options) {
  CLI::App& command = *app.add_subcommand("report", "Show a capture");
  command.add_option("FILE", options.capture, "The capture")->required();
  declare_formats(command, options);
  declare_sources(command, options);
  declare_ownership(command, options.ownership);
  command.add_flag("--verbose", options.verbose, "Print everything, not only what matters most");
  command
      .add_option("--color", options.colour,
                  "Emphasise lines of text: auto is on a terminal, unless NO_COLOR is set")
      ->check(CLI::IsMember(tool::colour_choices()))
      ->capture_default_str();
  command.add_option("--sort", options.sort, "Order the rows by this, the worst first")
      ->check(CLI::IsMember(tool::sort_keys()));
  command.add_option(
      "--kernel", options.kernel,
      "Show only kernels whose name matches this regular expression, and what belongs to them");
  command.add_option("--rule", options.rules, "Show only findings of these rules, such as G01,T01")
      ->delimiter(',')
      ->allow_extra_args(false);  // or it would take the capture's name for a rule
  command.add_flag(
      "--all", options.all,
      "Show also findings inside kernels of libraries and tools, those of less than 0.5 % of the run, "
      "and notes");
  command.add_option("--limit", options.limit, "Show so many rows of each table at most")
      ->check(CLI::Range(1, 1'000'000'000));
  command.add_option("--memory", options.memory_mib, "Take so many MiB of memory at most")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 30))
      ->capture_default_str();
  command
      .add_option("--min-share-of-run", options.thresholds.share_of_run,
                  "Leave out findings that would save less than this share of the run's GPU time, and ...")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command
      .add_option("--min-share-of-kernel", options.thresholds.share_of_subject,
                  "... less than this share of their kernel's or transfers' own")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
}

void declare_diff(CLI::App& app, tool::DiffOptions& options) {
  CLI::App& command =
      *app.add_subcommand("diff", "Compare two captures of a program, before and after a change");
  command.add_option("BEFORE", options.before, "The capture before the change")->required();
  command.add_option("AFTER", options.after, "The capture after it")->required();
  CLI::Option* html =
      command.add_option("--html", options.html, "Write one self-contained page to this file");
  CLI::Option* json =
      command.add_flag("--json", options.json, "The comparison as data: docs/comparison.schema.json")
          ->excludes(html);
  command.add_flag("--markdown", options.markdown, "For comments and summaries, as GitHub renders it")
      ->excludes(html)
      ->excludes(json);
  command.add_option("-o,--output", options.output, "Write to this file instead of stdout")->excludes(html);
  declare_force(command, options.force);
  command.add_flag("--verbose", options.verbose, "Print every number that differs");
  command
      .add_option("--fail-on", options.fail_on,
                  "Exit with status 1 if something got worse, or if anything is different")
      ->check(CLI::IsMember(tool::fail_choices()));
  declare_ownership(command, options.ownership);
}

void declare_check_formats(CLI::App& command, tool::CheckOptions& options) {
  const std::vector<CLI::Option*> formats{
      command.add_flag("--json", options.json, "The answer as data: docs/check.schema.json"),
      command.add_flag("--markdown", options.markdown, "For comments and summaries, as GitHub renders it"),
      command.add_flag("--junit", options.junit, "For what shows the results of tests: JUnit's XML"),
      command.add_flag("--sarif", options.sarif, "For tools of code review: SARIF 2.1.0")};
  for (CLI::Option* one : formats)
    for (CLI::Option* other : formats)
      if (one != other) one->excludes(other);
  command.add_option("-o,--output", options.output, "Write to this file instead of stdout");
  declare_force(command, options.force);
}

void declare_check(CLI::App& app, tool::CheckOptions& options) {
  CLI::App& command = *app.add_subcommand("check", "Judge a capture by what its repository demands, for CI");
  command.add_option("FILE", options.capture, "The capture")->required();
  command.add_option("--config", options.config,
                     "What is demanded; if not given, .coalescope.toml of this folder or the repository");
  command.add_option("--baseline", options.baseline,
                     "A capture that is known to be good: only what is worse than that counts");
  command.add_option("--min-degree", options.min_degree,
                     "The least degree of coalescing of your own kernels, such as 50%");
  command.add_option("--max-lost-time", options.max_lost_time,
                     "The most time that all findings may be predicted to cost: a share such as 5%, or 2ms");
  command.add_option("--max-regression", options.max_regression,
                     "How much worse than the baseline's a count may be, such as 2%; else no worse at all");
  command.add_option("--min-coverage", options.min_coverage,
                     "The least share of the kernels' GPU time that must have been measured; else 50%");
  command.add_option("--rule", options.rules, "How grave a rule is: ID=error, ID=warn or ID=off")
      ->delimiter(',')
      ->allow_extra_args(false);
  declare_check_formats(command, options);
  declare_ownership(command, options.ownership);
}

void declare_calibrate(CLI::App& app, tool::CalibrateOptions& options) {
  CLI::App& command = *app.add_subcommand("calibrate", "Compare what this GPU counts with known answers");
  command.add_option(
      "-o,--output", options.output,
      "The capture to keep the results in (calibration.coal); with --twins the folder (twins)");
  command
      .add_option("--family", options.families, "Families of reference kernels, such as A3,D1; default: all")
      ->delimiter(',');
  command.add_flag("--quick", options.quick, "Fewer launches, points and repetitions: under 20 s");
  command.add_flag("--twins", options.twins,
                   "Time and record pairs of programs that compute the same with and without a fault");
  command.add_flag("--list", options.list, "Name what would run, and run nothing");
  command.add_option("--html", options.html, "Write the page of the capture to this file, too");
  declare_force(command, options.force);
}

void declare_merge(CLI::App& app, tool::MergeOptions& options) {
  CLI::App& command =
      *app.add_subcommand("merge", "Make one capture of several, such as those of a job's ranks");
  command.add_option("-o,--output", options.output, "The capture to write")->required();
  command.add_option("FILES", options.captures, "The captures to unite")->required();
  declare_force(command, options.force);
}

void declare_recover(CLI::App& app, tool::RecoverOptions& options) {
  CLI::App& command =
      *app.add_subcommand("recover", "Make a capture of what a recording has left that was killed");
  command.add_option(
      "FOLDER", options.folder,
      "What it left, such as .NAME.coal.parts-XXXXXX; if not given, all in the current folder");
  command.add_option("-o,--output", options.output,
                     "The capture to write; if not given, the recording's own");
  declare_force(command, options.force);
}

void declare_resolve(CLI::App& app, tool::ResolveOptions& options) {
  CLI::App& command = *app.add_subcommand(
      "resolve", "Find the source lines that were not found while recording, on a machine with CUPTI");
  command.add_option("FILE", options.capture, "The capture, which is changed")->required();
}

void declare_rules(CLI::App& app, tool::RulesOptions& options) {
  CLI::App& command = *app.add_subcommand("rules", "List what reports look for");
  command.add_flag("--json", options.json, "Print the list as data");
}

void declare_explain(CLI::App& app, tool::ExplainOptions& options) {
  CLI::App& command = *app.add_subcommand("explain", "Show what a rule means and what to change");
  command.add_option("RULE", options.rule, "Its id, such as G01")->required();
}

void declare_doctor(CLI::App& app, tool::DoctorOptions& options) {
  CLI::App& command = *app.add_subcommand("doctor", "Say whether recording works here, and what mends it");
  command.add_option("PROGRAM", options.program, "Look at this program, too: whether it has lines to name");
  command.add_flag("--json", options.json, "Print the checks as data: docs/doctor.md");
}

void declare_metrics(CLI::App& app, tool::MetricsOptions& options) {
  CLI::App& command =
      *app.add_subcommand("metrics", "List what the installed CUPTI counts on each chip; takes no GPU");
  command.add_option("--chip", options.chip, "Name every metric of this chip, such as GH100");
}

void declare_pages(CLI::App& app, tool::PagesOptions& options) {
  CLI::App& command =
      *app.add_subcommand("pages", "Print the manual page, or what completes this command in a shell");
  command.add_option("FORM", options.form, "The manual page, or the shell")
      ->required()
      ->check(CLI::IsMember(tool::page_forms()));
}

// What a validator of choices says of itself: "{man,bash,zsh}".
Words choices_of(const std::string& type) {
  const auto begin = type.find('{'), end = type.find('}');
  if (begin == std::string::npos || end == std::string::npos) return {};
  return CLI::detail::split(type.substr(begin + 1, end - begin - 1), ',');
}

tool::CliOption described(const CLI::Option& option) {
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

tool::CliCommand described(const CLI::App& command, const std::string& name) {
  tool::CliCommand page{name, command.get_description(), command.get_footer(), {}};
  for (const CLI::Option* option : command.get_options()) page.options.push_back(described(*option));
  return page;
}

tool::CliPages described(const CLI::App& app) {
  tool::CliPages pages{described(app, "")};
  for (const CLI::App* command : app.get_subcommands({}))
    pages.push_back(described(*command, command->get_name()));
  return pages;
}

Words subcommand_names(const CLI::App& app) {
  Words names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

// CLI11 takes a second "--" for its own, so what stands behind the first one never reaches it.
int run_record(CLI::App& app, tool::RecordOptions& options, Words words) {
  const auto mark = std::find(words.begin(), words.end(), "--");
  Words behind_mark(mark, words.end());
  words.erase(mark, words.end());
  std::reverse(words.begin(), words.end());  // CLI11's parse(vector) wants the last word first
  app.parse(std::move(words));
  options.command = app.get_subcommand("record")->remaining();
  const bool unknown_option = !options.command.empty() && options.command.front().starts_with('-');
  if (unknown_option) throw CLI::ExtrasError("record", {options.command.front()});
  const auto first = behind_mark.begin() + (options.command.empty() && !behind_mark.empty() ? 1 : 0);
  options.command.insert(options.command.end(), first, behind_mark.end());
  return tool::run(options);
}

int run(CLI::App& app, Requests& requests, Words words) {
  const Words names = subcommand_names(app);
  if (words.empty()) return tool::run_bare({}, names);
  const bool is_subcommand = std::count(names.begin(), names.end(), words.front()) != 0;
  if (words.front() == "--") return tool::run_bare({words.begin() + 1, words.end()}, names);
  if (!is_subcommand && !words.front().starts_with('-')) return tool::run_bare(std::move(words), names);
  if (is_subcommand && words.front() == "record") return run_record(app, requests.record, std::move(words));
  std::reverse(words.begin(), words.end());
  app.parse(std::move(words));
  if (app.got_subcommand("check")) return tool::run(requests.check);
  if (app.got_subcommand("diff")) return tool::run(requests.diff);
  if (app.got_subcommand("calibrate")) return tool::run(requests.calibrate);
  if (app.got_subcommand("merge")) return tool::run(requests.merge);
  if (app.got_subcommand("recover")) return tool::run(requests.recover);
  if (app.got_subcommand("resolve")) return tool::run(requests.resolve);
  if (app.got_subcommand("rules")) return tool::run(requests.rules);
  if (app.got_subcommand("explain")) return tool::run(requests.explain);
  if (app.got_subcommand("doctor")) return tool::run(requests.doctor);
  if (app.got_subcommand("pages")) return tool::run(requests.pages, described(app));
  if (app.got_subcommand("metrics")) return tool::run(requests.metrics);
  return tool::run(requests.report);
}

int answer(const Words& words) {
  CLI::App app{kAbout, "coalescope"};
  Requests requests;
  declare_record(app, requests.record);
  declare_report(app, requests.report);
  declare_diff(app, requests.diff);
  declare_check(app, requests.check);
  declare_calibrate(app, requests.calibrate);
  declare_merge(app, requests.merge);
  declare_recover(app, requests.recover);
  declare_resolve(app, requests.resolve);
  declare_rules(app, requests.rules);
  declare_explain(app, requests.explain);
  declare_doctor(app, requests.doctor);
  declare_metrics(app, requests.metrics);
  declare_pages(app, requests.pages);
  app.set_version_flag("--version", tool::version_text, "Say which version this is, with all parts");
  app.require_subcommand(1, 1);
  try {
    return run(app, requests, words);
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
