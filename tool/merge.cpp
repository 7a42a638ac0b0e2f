// In order: read what each capture says of itself; refuse those that tell of the same process; begin the new
// one; add each; say in it what it was made of; give it its name.
#include "tool/merge.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

#include "core/base/log.h"
#include "core/capture/merge.h"
#include "core/capture/reader.h"
#include "core/capture/seal.h"
#include "core/capture/writer.h"
#include "core/model/diagnostic_kinds.h"
#include "tool/exit_status.h"
#include "tool/version.h"
#include "tool/workspace.h"

namespace coalescope::tool {

namespace {

using base::ErrorCode;
using base::failure;
using base::Result;
using model::Capture;

struct Input {
  std::string path;
  Capture row;
  std::vector<model::Process> processes;
};

Result<Input> read_input(const std::string& path) {
  auto reader = capture::Reader::open(path);
  if (!reader) return base::relay(reader);
  auto captures = reader->rows<Capture>();
  if (!captures) return base::relay(captures);
  if (captures->empty())
    return failure(ErrorCode::damaged, fmt::format("cannot read '{}': it does not say what ran", path),
                   "record the program again");
  auto processes = reader->rows<model::Process>();
  if (!processes) return base::relay(processes);
  return Input{path, std::move(captures->front()), std::move(*processes)};
}

// A process that came twice would count twice.
Result<void> check_different(const std::vector<Input>& inputs) {
  std::map<std::tuple<std::string, std::int64_t, std::int64_t>, std::string> holders;
  for (const Input& input : inputs)
    for (const model::Process& process : input.processes) {
      const auto key = std::tuple(process.host, process.pid, input.row.started_unix_ns + process.began_ns);
      const auto [holder, is_new] = holders.emplace(key, input.path);
      if (!is_new)
        return failure(ErrorCode::usage,
                       fmt::format("'{}' and '{}' both hold process {} of {}", holder->second, input.path,
                                   process.pid, process.host),
                       "name each capture once, and none that was merged from another of them");
    }
  return {};
}

model::Diagnostic remark_on_inputs(const std::vector<Input>& inputs) {
  std::string paths;
  bool same_command = true;
  for (const Input& input : inputs) {
    paths += fmt::format("{}'{}'", paths.empty() ? "" : ", ", input.path);
    same_command = same_command && input.row.command == inputs.front().row.command;
  }
  const std::string end = same_command ? "" : "; their commands differ, and that of the first is shown";
  return make_diagnostic(model::diagnostic_kind("merge", "merged"),
                         {std::to_string(inputs.size()), paths + end});
}

Result<void> begin(const std::string& draft, const Capture& row) {
  return capture::Writer::create_draft(draft).and_then(
      [&](capture::Writer writer) { return writer.insert(row).and_then([&] { return writer.commit(); }); });
}

Result<void> add_remark(const std::string& draft, model::Diagnostic row) {
  auto known = capture::Reader::open(draft).and_then(
      [](capture::Reader reader) { return reader.rows<model::Diagnostic>(); });
  if (!known) return base::relay(known);
  row.id = known->empty() ? 1 : known->back().id + 1;
  return capture::Writer::open(draft).and_then(
      [&](capture::Writer writer) { return writer.insert(row).and_then([&] { return writer.commit(); }); });
}

Result<std::string> write(const MergeOptions& options, const std::vector<Input>& inputs) {
  auto workspace = Workspace::make(options.output, options.captures.front(), options.force);
  if (!workspace) return base::relay(workspace);
  const std::string draft = workspace->draft().string();
  std::vector<Capture> rows;
  for (const Input& input : inputs) rows.push_back(input.row);
  auto done = begin(draft, united(rows));
  for (const Input& input : inputs)
    if (done) done = capture::merge_into(draft, input.path);
  if (done) done = add_remark(draft, remark_on_inputs(inputs));
  if (done) done = capture::seal(draft);
  if (!done) return base::relay(done);
  return workspace->publish();
}

int fail(const base::Error& error, int status) {
  base::log_error(error);
  return status;
}

bool ended_well(const Capture& row) {
  return !row.exit_signal && row.exit_status == 0;
}

}  // namespace

Capture united(const std::vector<Capture>& captures) {
  Capture all = captures.front();
  all.tool_version = version();
  std::int64_t last_end_ns = 0;
  bool all_ended = true;
  for (const Capture& row : captures) {
    all.started_unix_ns = std::min(all.started_unix_ns, row.started_unix_ns);
    if (ended_well(all) && !ended_well(row)) {
      all.exit_status = row.exit_status;
      all.exit_signal = row.exit_signal;
    }
    all.clean = all.clean && row.clean;
    all_ended = all_ended && row.duration_ns.has_value();
    last_end_ns = std::max(last_end_ns, row.started_unix_ns + row.duration_ns.value_or(0));
  }
  all.duration_ns.reset();
  if (all_ended) all.duration_ns = last_end_ns - all.started_unix_ns;
  return all;
}

int run(const MergeOptions& options) {
  std::vector<Input> inputs;
  for (const std::string& path : options.captures) {
    auto input = read_input(path);
    if (!input) return fail(input.error(), kUnreadable);
    inputs.push_back(std::move(*input));
  }
  if (const auto different = check_different(inputs); !different) return fail(different.error(), kUsage);
  const auto written = write(options, inputs);
  if (!written) return fail(written.error(), kUsage);
  base::log_note("wrote {} ({} captures)", *written, inputs.size());
  return kDone;
}

}  // namespace coalescope::tool
