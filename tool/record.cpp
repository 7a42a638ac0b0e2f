// Order of events: everything that can be refused is refused before the target starts. From then on the
// target's fate is all that counts: our own troubles become warnings and rows of the capture.
#include "tool/record.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "core/base/log.h"
#include "core/model/options.h"
#include "tool/apart.h"
#include "tool/collect.h"
#include "tool/exit_status.h"
#include "tool/libraries.h"
#include "tool/output_name.h"
#include "tool/program.h"
#include "tool/recording_mark.h"
#include "tool/recover.h"
#include "tool/rerun.h"
#include "tool/version.h"
#include "tool/workspace.h"
#include "tool/writer_process.h"

namespace coalescope::tool {

namespace {

namespace fs = std::filesystem;
namespace option = model::option;
using base::Error;
using base::ErrorCode;
using base::failure;
using base::Result;

Result<std::optional<std::string>> expanded(const std::optional<std::string>& output) {
  if (!output) return std::nullopt;
  return expand_name(*output, name_marks()).map([](std::string name) {
    return std::optional<std::string>(std::move(name));
  });
}

Settings with_place(Settings settings, const fs::path& folder, const std::string& ring,
                    const std::string& library, std::int64_t started_unix_ns) {
  settings[option::kDirectory] = folder.string();
  settings[option::kRing] = ring;
  settings[option::kStartedNs] = std::to_string(started_unix_ns);
  settings[option::kLibrary] = library;
  settings.merge(injection_settings(library));
  return settings;
}

// A capture's reader takes no text of more than 1 MiB, and nobody reads a tenth of that.
constexpr std::size_t kMostOfCommand = 100'000;

std::vector<std::string> without_the_rest(const std::vector<std::string>& command) {
  std::vector<std::string> kept;
  std::size_t bytes = 0;
  for (const std::string& word : command) {
    bytes += word.size() + 3;  // with quotes and comma
    if (bytes > kMostOfCommand) break;
    kept.push_back(word);
  }
  if (kept.size() < command.size()) kept.push_back(fmt::format("... {} more", command.size() - kept.size()));
  return kept;
}

// Text that is not UTF-8 cannot stand in JSON; its odd bytes are replaced.
std::string command_json(const std::vector<std::string>& words) {
  const std::vector<std::string> command = without_the_rest(words);
  return nlohmann::json(command).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string working_directory() {
  std::error_code ignored;
  return fs::current_path(ignored).string();
}

// Even a fault of ours must not hide how the target ended.
Result<Collected> collect_or_say(const Workspace& workspace, const model::Capture& capture,
                                 std::vector<model::Diagnostic> remarks, Carried carried) {
  try {
    return collect(workspace.folder(), workspace.draft(), capture, std::move(remarks), carried);
  } catch (const std::exception& exception) {
    return failure(ErrorCode::failed, exception.what());
  }
}

// After the target's end: nothing here may change what the caller sees of it.
// Returns where the capture lies; empty: it could not be written, and a warning said why.
std::string finish(Workspace workspace, const model::Capture& capture, std::vector<model::Diagnostic> remarks,
                   Carried carried) {
  const auto collected = collect_or_say(workspace, capture, std::move(remarks), carried);
  const auto published = collected.and_then([&](const Collected&) { return workspace.publish(); });
  if (!published) {
    workspace.keep();
    base::log_warning(
        "no capture was written: {}; what was recorded lies in '{}', and 'coalescope recover' makes a "
        "capture of it",
        published.error().text(), workspace.folder().string());
    return {};
  }
  remove_mark(workspace.folder());
  if (collected->parts_left) {
    remove_parts(*collected);
    workspace.keep();
  }
  say_outcome(*collected, *published);
  return *published;
}

// A merge may take more than the caller's limits leave to a process of ours.
std::optional<std::string> finish_apart(Workspace& workspace, const model::Capture& capture,
                                        const std::vector<model::Diagnostic>& remarks, Carried carried) {
  const auto path = run_apart([&] { return finish(std::move(workspace), capture, remarks, carried); });
  workspace.keep();  // it is removed, or holds what was recorded
  if (!path)
    base::log_warning(
        "the capture was not finished: {}; what was recorded lies in '{}', and 'coalescope recover' makes a "
        "capture of it",
        path.error().text(), workspace.folder().string());
  return path && !path->empty() ? std::optional(*path) : std::nullopt;
}

std::int64_t unix_now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

model::Capture begun_capture(const RecordOptions& options) {
  model::Capture capture;
  capture.tool_version = version();
  capture.command = command_json(options.command);
  capture.working_directory = working_directory();
  capture.options = settings_json(target_environment(environ, options.settings, {}));
  capture.started_unix_ns = unix_now_ns();
  return capture;
}

std::vector<Run> plan(const RecordOptions& options) {
  if (options.rerun) return plan_runs(target_environment(environ, options.settings, {}));
  return {Run{}};
}

Result<void> make_folders(const Workspace& workspace, std::size_t runs) {
  for (std::size_t number = 1; number < runs; ++number) {
    std::error_code error;
    const fs::path folder = run_folder(workspace.folder(), static_cast<std::int64_t>(number));
    if (!fs::create_directory(folder, error))
      return failure(ErrorCode::usage,
                     fmt::format("cannot make the folder '{}': {}", folder.string(), error.message()));
  }
  return {};
}

// What is the same for every run.
struct Runner {
  const RecordOptions& options;
  const std::string& program;
  const Libraries& libraries;
  const Settings& hooks;
  const Workspace& workspace;
  const Inheritance& inheritance;
  std::vector<model::Diagnostic>& remarks;

  Result<Ending> run(const Run& run, std::int64_t number, std::int64_t started_unix_ns) const {
    const fs::path folder = run_folder(workspace.folder(), number);
    auto writer = WriterProcess::start(folder);
    if (!writer) return base::relay(writer);
    Settings settings = options.settings;
    for (const auto& [name, value] : run.settings) settings[name] = value;
    settings = with_place(std::move(settings), folder, writer->ring(), libraries.injected, started_unix_ns);
    settings.insert(hooks.begin(), hooks.end());
    Target target{program, options.command, target_environment(environ, settings, libraries.preloaded)};
    target.discard_output = number > 0;  // whoever reads it has had it
    auto ending = run_target(target, inheritance);
    std::ranges::move(writer->stop(), std::back_inserter(remarks));
    return ending;
  }
};

}  // namespace

Result<RecordOutcome> record(const RecordOptions& options) {
  if (options.command.empty())
    return failure(ErrorCode::usage, "no program given",
                   "write 'coalescope PROGRAM ARGUMENTS', or see 'coalescope --help'");
  const auto program = find_program(options.command.front());
  if (!program) return base::relay(program);
  if (auto checked = check(options.settings); !checked) return base::relay(checked);
  const auto output = expanded(options.output);
  if (!output) return base::relay(output);
  auto workspace = Workspace::make(*output, *program, options.force);
  if (!workspace) return base::relay(workspace);
  const auto libraries = find_libraries();
  if (!libraries) return base::relay(libraries);
  const auto hooks = hook_settings(options.settings);
  if (!hooks) return base::relay(hooks);

  const auto planned = plan(options);
  if (auto made = make_folders(*workspace, planned.size()); !made) return base::relay(made);
  const auto input = options.rerun ? RepeatedInput::of_stdin().map([](RepeatedInput once_more) {
    return std::optional<RepeatedInput>(once_more);
  })
                                   : Result<std::optional<RepeatedInput>>(std::nullopt);
  if (!input) return base::relay(input);

  model::Capture capture = begun_capture(options);
  const Inheritance inheritance;  // before the first file is written: the caller's limits are the target's
  mention_leftovers(workspace->folder().parent_path());
  const Carried carried{.sources = !options.no_source, .code = !options.no_code};
  // Without it the recording can be made all the same; where nothing can be written, that is said at the end.
  const auto mark = RecordingMark::leave(workspace->folder(), capture, carried.code);

  auto remarks = remark_on_other_tool(libraries->injected);
  const Runner runner{options, *program, *libraries, *hooks, *workspace, inheritance, remarks};
  std::vector<Ended> runs;
  for (const Run& run : planned) {
    if (!runs.empty() && *input) (*input)->rewind();
    const auto number = static_cast<std::int64_t>(runs.size());
    const auto ending = runner.run(run, number, number == 0 ? capture.started_unix_ns : unix_now_ns());
    if (!ending && number == 0) return base::relay(ending);
    if (!ending) base::log_warning(ending.error());
    runs.push_back({run, ending.value_or(Ending{kNotFound, std::nullopt, {}})});
    if (runs.back().ending.signal) break;  // whoever ended it wants no more of it
  }
  const Ending ending = ending_of(runs);
  capture.duration_ns = runs.front().ending.duration.count();
  capture.exit_status = ending.exit_status;
  capture.exit_signal = ending.signal;
  if (options.rerun) std::ranges::move(remarks_on(runs, planned.size()), std::back_inserter(remarks));
  return RecordOutcome{ending, finish_apart(*workspace, capture, remarks, carried)};
}

Error without_recording(const RecordOptions& options, const Error& why) {
  if (why.code != ErrorCode::failed) return why;
  base::log_warning("{}; '{}' runs without being recorded", why.text(), options.command.front());
  const auto program = find_program(options.command.front());
  return program ? become_target({*program, options.command, {}}) : program.error();
}

int not_started(const Error& error) {
  base::log_error(error);
  if (error.code == ErrorCode::not_found) return kNotFound;
  return error.code == ErrorCode::not_permitted ? kNotExecutable : kUsage;
}

int run(const RecordOptions& options) {
  const auto outcome = record(options);
  if (!outcome) return not_started(without_recording(options, outcome.error()));
  end_like(outcome->ending);
}

}  // namespace coalescope::tool
