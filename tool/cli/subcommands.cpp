#include "tool/cli/subcommands.h"

#include <cstdint>
#include <memory>

#include "tool/calibrate.h"
#include "tool/check.h"
#include "tool/cli/described.h"
#include "tool/diff.h"
#include "tool/doctor.h"
#include "tool/explain.h"
#include "tool/merge.h"
#include "tool/metrics.h"
#include "tool/record.h"
#include "tool/recover.h"
#include "tool/report.h"
#include "tool/report_formats.h"
#include "tool/resolve.h"
#include "tool/rules.h"

namespace coalescope::cli {
namespace {

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

void declare_record(CLI::App& command, tool::RecordOptions& options) {
  command.footer(
      "The program and its arguments stand last: coalescope record [OPTIONS] [--] PROGRAM ARGUMENTS");
  command.add_option("-o,--output", options.output,
                     "The capture; if not given, PROGRAM-YYYYmmdd-HHMMSS.coal. %h is the host's name, %p a "
                     "process number, %q{NAME} an environment variable");
  declare_force(command, options.force);
  command.add_flag("--no-source", options.no_source, "Keep the program's source lines out of the capture");
  command.add_flag(
      "--no-code", options.no_code,
      "Keep machine code out of the capture, also of kernels whose source lines cannot be looked up here");
  command.add_flag("--rerun", options.rerun,
                   "Run the program again for each thing to measure, so that kernels launched once have all");
  for (const tool::Setting& setting : tool::settings()) declare_setting(command, setting, options);
  command.prefix_command();  // from the first word that is no option on, everything is the program's
}

void exclude_each_other(const std::vector<CLI::Option*>& options) {
  for (CLI::Option* one : options)
    for (CLI::Option* other : options)
      if (one != other) one->excludes(other);
}

CLI::Option* declare_format(CLI::App& command, const tool::ReportFormat& format,
                            tool::ReportOptions& options) {
  const std::string name(format.option), help(format.help);
  if (format.takes == tool::ReportFormat::Takes::nothing)
    return command.add_flag_callback(
        name, [&] { options.format = &format; }, help);
  CLI::Option* option = command.add_option_function<std::string>(
      name,
      [&](const std::string& word) {
        options.format = &format;
        options.format_word = word;
      },
      help);
  if (format.takes == tool::ReportFormat::Takes::choice) option->check(CLI::IsMember(format.choices()));
  return option;
}

// One format at a time; without any the report is text.
void declare_formats(CLI::App& command, tool::ReportOptions& options) {
  std::vector<CLI::Option*> ways, files;
  for (const tool::ReportFormat& format : tool::report_formats()) {
    ways.push_back(declare_format(command, format, options));
    if (format.takes == tool::ReportFormat::Takes::file) files.push_back(ways.back());
  }
  ways.push_back(
      command
          .add_option("--by", options.by,
                      "Add times up along the stacks: by call site, module (of PyTorch, recorded with "
                      "--modules; else file), kernel or NVTX range")
          ->check(CLI::IsMember(tool::sum_names())));
  ways.push_back(
      command.add_option("--section", options.section, "Print this part of the verbose text, whole")
          ->check(CLI::IsMember(tool::section_names())));
  exclude_each_other(ways);
  CLI::Option* output =
      command.add_option("-o,--output", options.output, "Write to this file instead of stdout");
  for (CLI::Option* file : files) output->excludes(file);
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

void declare_report(CLI::App& command, tool::ReportOptions& options) {
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

void declare_diff(CLI::App& command, tool::DiffOptions& options) {
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
  exclude_each_other(
      {command.add_flag("--json", options.json, "The answer as data: docs/check.schema.json"),
       command.add_flag("--markdown", options.markdown, "For comments and summaries, as GitHub renders it"),
       command.add_flag("--junit", options.junit, "For what shows the results of tests: JUnit's XML"),
       command.add_flag("--sarif", options.sarif, "For tools of code review: SARIF 2.1.0")});
  command.add_option("-o,--output", options.output, "Write to this file instead of stdout");
  declare_force(command, options.force);
}

void declare_check(CLI::App& command, tool::CheckOptions& options) {
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

void declare_calibrate(CLI::App& command, tool::CalibrateOptions& options) {
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

void declare_merge(CLI::App& command, tool::MergeOptions& options) {
  command.add_option("-o,--output", options.output, "The capture to write")->required();
  command.add_option("FILES", options.captures, "The captures to unite")->required();
  declare_force(command, options.force);
}

void declare_recover(CLI::App& command, tool::RecoverOptions& options) {
  command.add_option(
      "FOLDER", options.folder,
      "What it left, such as .NAME.coal.parts-XXXXXX; if not given, all in the current folder");
  command.add_option("-o,--output", options.output,
                     "The capture to write; if not given, the recording's own");
  declare_force(command, options.force);
}

void declare_resolve(CLI::App& command, tool::ResolveOptions& options) {
  command.add_option("FILE", options.capture, "The capture, which is changed")->required();
}

void declare_rules(CLI::App& command, tool::RulesOptions& options) {
  command.add_flag("--json", options.json, "Print the list as data");
}

void declare_explain(CLI::App& command, tool::ExplainOptions& options) {
  command.add_option("RULE", options.rule, "Its id, such as G01")->required();
}

void declare_doctor(CLI::App& command, tool::DoctorOptions& options) {
  command.add_option("PROGRAM", options.program, "Look at this program, too: whether it has lines to name");
  command.add_flag("--json", options.json, "Print the checks as data: docs/doctor.md");
}

void declare_metrics(CLI::App& command, tool::MetricsOptions& options) {
  command.add_option("--chip", options.chip, "Name every metric of this chip, such as GH100");
}

void declare_pages(CLI::App& command, tool::PagesOptions& options) {
  command.add_option("FORM", options.form, "The manual page, or the shell")
      ->required()
      ->check(CLI::IsMember(tool::page_forms()));
}

// A subcommand runs with nothing but its options, unless an overload says otherwise.
template <class Options>
int run(Options& options, const CLI::App& /*command*/, const Words& /*behind_mark*/) {
  return tool::run(options);
}

int run(tool::RecordOptions& options, const CLI::App& command, const Words& behind_mark) {
  options.command = command.remaining();
  const bool unknown_option = !options.command.empty() && options.command.front().starts_with('-');
  if (unknown_option) throw CLI::ExtrasError("record", {options.command.front()});
  const auto first = behind_mark.begin() + (options.command.empty() && !behind_mark.empty() ? 1 : 0);
  options.command.insert(options.command.end(), first, behind_mark.end());
  return tool::run(options);
}

int run(tool::PagesOptions& options, const CLI::App& command, const Words& /*behind_mark*/) {
  return tool::run(options, described(*command.get_parent()));
}

template <class Options>
Subcommand subcommand(CLI::App& app, const char* name, const char* about,
                      void (*declare)(CLI::App& command, Options& options)) {
  CLI::App* command = app.add_subcommand(name, about);
  const auto options = std::make_shared<Options>();
  declare(*command, *options);
  return {command, [=](const Words& behind_mark) { return run(*options, *command, behind_mark); }};
}

}  // namespace

std::vector<Subcommand> declare_subcommands(CLI::App& app) {
  return {
      subcommand(app, "record", "Run a program once and write a capture of it", declare_record),
      subcommand(app, "report", "Show a capture", declare_report),
      subcommand(app, "diff", "Compare two captures of a program, before and after a change", declare_diff),
      subcommand(app, "check", "Judge a capture by what its repository demands, for CI", declare_check),
      subcommand(app, "calibrate", "Compare what this GPU counts with known answers", declare_calibrate),
      subcommand(app, "merge", "Make one capture of several, such as those of a job's ranks", declare_merge),
      subcommand(app, "recover", "Make a capture of what a recording has left that was killed",
                 declare_recover),
      subcommand(app, "resolve",
                 "Find the source lines that were not found while recording, on a machine with CUPTI",
                 declare_resolve),
      subcommand(app, "rules", "List what reports look for", declare_rules),
      subcommand(app, "explain", "Show what a rule means and what to change", declare_explain),
      subcommand(app, "doctor", "Say whether recording works here, and what mends it", declare_doctor),
      subcommand(app, "metrics", "List what the installed CUPTI counts on each chip; takes no GPU",
                 declare_metrics),
      subcommand(app, "pages", "Print the manual page, or what completes this command in a shell",
                 declare_pages),
  };
}

}  // namespace coalescope::cli
