// Order of events, for each part: look up source lines in it, read who wrote it, merge it. Then the text of
// these lines, the capture row and the remarks, and the file is sealed. A step that fails for one part leaves
// a remark and goes on to the next: the rest of a recording is worth having.
#include "tool/collect.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <signal.h>
#include <span>

#include "core/base/log.h"
#include "core/capture/merge.h"
#include "core/capture/reader.h"
#include "core/capture/seal.h"
#include "core/capture/writer.h"
#include "core/model/diagnostic_kinds.h"
#include "core/ring/note.h"
#include "core/ring/part_writer.h"
#include "tool/helper.h"
#include "tool/keep_sources.h"
#include "tool/output_name.h"
#include "tool/program.h"
#include "tool/writer_process.h"

namespace coalescope::tool {

namespace {

namespace fs = std::filesystem;
using base::Result;
using model::Diagnostic;
using model::Severity;
using ring::kPartEnding;

struct Part {
  fs::path path;
  std::int64_t run = 0;
};

// Run by run, so that the first run's rows come first.
std::vector<Part> parts_in(const fs::path& folder) {
  std::vector<Part> parts;
  for (std::int64_t run = 0; run == 0 || fs::is_directory(run_folder(folder, run)); ++run) {
    std::vector<fs::path> paths;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(run_folder(folder, run), ignored))
      if (entry.path().string().ends_with(kPartEnding) && fs::is_regular_file(entry.symlink_status(ignored)))
        paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    for (fs::path& path : paths) parts.push_back({std::move(path), run});
  }
  return parts;
}

void remove_part(const fs::path& part) {
  const std::string name = part.string();
  const std::string stem = name.substr(0, name.size() - kPartEnding.size());
  std::error_code ignored;
  for (const std::string& file : {name, name + "-wal", name + "-shm", stem + std::string(ring::kCodeEnding)})
    fs::remove(file, ignored);
}

std::string name_of(const model::Process& process) {
  const std::string rank = process.rank ? fmt::format(", rank {}", *process.rank) : "";
  const std::string run = process.run > 0 ? fmt::format(", run {}", process.run + 1) : "";
  return fmt::format("Process {} ({}{}{})", process.pid, process.executable, rank, run);
}

// A process that was killed, that left by _exit(), that replaced itself, or that is running on.
std::optional<Diagnostic> remark_on(const model::Process& process, const std::string& this_host) {
  if (process.ended_ns) return std::nullopt;
  const std::string name = name_of(process);
  if (!process.host.empty() && process.host != this_host)  // its number means nothing here
    return make_diagnostic(
        model::diagnostic_kind("record", "no_orderly_end"),
        {fmt::format("{} on {} did not end in order, or was still running when the program had ended", name,
                     process.host)});
  if (::kill(static_cast<pid_t>(process.pid), 0) == 0)
    return make_diagnostic(model::diagnostic_kind("record", "still_running"), {name});
  return make_diagnostic(model::diagnostic_kind("record", "no_orderly_end"),
                         {name + " ended without running its exit handlers (it was killed, left by _exit, or "
                                 "replaced itself by exec)"});
}

// Processes that began to use CUDA and could not be recorded left a note.
void remark_on_unrecorded(const fs::path& folder, std::vector<Diagnostic>& remarks) {
  for (std::int64_t run = 0; run == 0 || fs::is_directory(run_folder(folder, run)); ++run)
    for (std::string& text : ring::read_notes(run_folder(folder, run).string()))
      remarks.push_back(make_diagnostic(model::diagnostic_kind("record", "not_recorded"), {text}));
}

// No process left a part: say so, and why that may be.
void remark_on_silence(std::vector<Diagnostic>& remarks) {
  remarks.push_back(make_diagnostic(model::diagnostic_kind("record", "no_cuda")));
  std::error_code ignored;
  if (!fs::exists("/proc/driver/nvidia/version", ignored) && !fs::exists("/dev/dxg", ignored))
    remarks.push_back(make_diagnostic(model::diagnostic_kind("record", "no_driver")));
}

// Finds the source lines of the instructions in a part. Without them the report names offsets in the code.
void resolve(const fs::path& part, std::span<const model::Process> processes, Parts origin, Carried carried,
             std::vector<Diagnostic>& remarks) {
  HelperArguments arguments{part.string()};
  if (origin == Parts::of_this_run && !processes.empty() && processes.front().cupti_path)
    arguments.push_back(*processes.front().cupti_path);
  const auto resolved = find_companion("coalescope_resolve").and_then([&](const fs::path& program) {
    return run_helper(program, arguments);
  });
  if (resolved) return;
  const auto& kind = carried.code ? model::diagnostic_kind("resolve", "unresolved")
                                  : model::diagnostic_kind("resolve", "code_left_out");
  const auto whose =
      processes.empty() ? std::string("a process")
                        : fmt::format("process {} ({})", processes.front().pid, processes.front().executable);
  remarks.push_back(make_diagnostic(kind, {whose, resolved.error().text()}));
}

Diagnostic unreadable(const fs::path& part, const base::Error& error) {
  return make_diagnostic(model::diagnostic_kind("record", "unreadable_part"), {error.text(), part.string()});
}

// A recorder does not know of other runs than its own.
Result<void> note_run(const fs::path& part, std::vector<model::Process>& processes, std::int64_t run) {
  if (run == 0) return {};
  return capture::Writer::open(part.string()).and_then([&](capture::Writer writer) -> Result<void> {
    for (model::Process& process : processes) {
      process.run = run;
      if (auto replaced = writer.replace(process); !replaced) return base::relay(replaced);
    }
    return writer.commit();
  });
}

// Removes the code of what still waits for its source line.
Result<void> leave_out_code(const fs::path& part) {
  const auto modules = capture::Reader::open(part.string()).and_then([](capture::Reader reader) {
    return reader.rows<model::Module>();
  });
  if (!modules) return base::relay(modules);
  return capture::Writer::open(part.string()).and_then([&](capture::Writer writer) -> Result<void> {
    for (model::Module row : *modules) {
      if (!row.code) continue;
      row.code.reset();
      if (auto replaced = writer.replace(row); !replaced) return base::relay(replaced);
    }
    return writer.commit();
  });
}

// Merges one part; its processes are those that it says it holds.
Result<std::vector<model::Process>> take(const Part& part, const fs::path& draft, Parts origin,
                                         Carried carried, std::vector<Diagnostic>& remarks) {
  auto processes = capture::Reader::open(part.path.string()).and_then([](capture::Reader reader) {
    return reader.rows<model::Process>();
  });
  if (!processes) return base::relay(processes);
  resolve(part.path, *processes, origin, carried, remarks);
  auto merged = note_run(part.path, *processes, part.run)
                    .and_then([&] { return carried.code ? Result<void>() : leave_out_code(part.path); })
                    .and_then([&] { return capture::merge_into(draft.string(), part.path.string()); });
  if (!merged) return base::relay(merged);
  return processes;
}

Result<capture::Writer> begin_draft(const fs::path& draft, const model::Capture& row) {
  return capture::Writer::create_draft(draft.string()).and_then([&](capture::Writer writer) {
    return writer.insert(row).and_then([&] { return writer.commit(); }).map([&] {
      return std::move(writer);
    });
  });
}

Result<std::int64_t> highest_diagnostic(const fs::path& draft) {
  return capture::Reader::open(draft.string())
      .and_then([](capture::Reader reader) { return reader.rows<Diagnostic>(); })
      .map([](const std::vector<Diagnostic>& rows) { return rows.empty() ? 0 : rows.back().id; });
}

// What the machine has to change, the gravest first: `coalescope doctor` has the command for it.
constexpr std::array kObstacleCodes{std::string_view("other_tool"), std::string_view("not_started"),
                                    std::string_view("not_subscribed")};

Result<bool> lacks_permission(capture::Reader& reader) {
  return reader.rows<model::Coverage>().map([](const std::vector<model::Coverage>& rows) {
    return std::ranges::any_of(
        rows, [](const model::Coverage& row) { return row.reason == model::CoverageReason::no_permission; });
  });
}

// The first text with a code; empty: none has it.
std::string text_with(std::span<const Diagnostic> rows, std::string_view code) {
  const auto found = std::ranges::find(rows, code, &Diagnostic::code);
  return found == rows.end() ? "" : found->text;
}

std::string obstacle(const fs::path& draft, std::span<const Diagnostic> remarks) {
  auto reader = capture::Reader::open(draft.string());
  if (!reader) return text_with(remarks, "other_tool");
  const auto recorded = reader->rows<Diagnostic>().value_or(std::vector<Diagnostic>());
  for (const std::string_view code : kObstacleCodes)
    for (const auto rows : {remarks, std::span<const Diagnostic>(recorded)})
      if (std::string text = text_with(rows, code); !text.empty()) return text;
  return lacks_permission(*reader).value_or(false) ? text_with(recorded, "phase_off") : "";
}

Result<void> end_draft(capture::Writer& writer, const model::Capture& row, std::span<Diagnostic> remarks,
                       std::int64_t highest_id) {
  if (auto replaced = writer.replace(row); !replaced) return base::relay(replaced);
  for (Diagnostic& each : remarks) {
    each.id = ++highest_id;
    if (auto inserted = writer.insert(each); !inserted) return base::relay(inserted);
  }
  return writer.seal();
}

bool nothing_wrong(std::span<const Diagnostic> remarks) {
  return std::none_of(remarks.begin(), remarks.end(),
                      [](const Diagnostic& row) { return row.severity == Severity::error; });
}

}  // namespace

fs::path run_folder(const fs::path& folder, std::int64_t run) {
  return run == 0 ? folder : folder / fmt::format("run-{}", run);
}

Result<Collected> collect(const fs::path& folder, const fs::path& draft, model::Capture capture,
                          std::vector<Diagnostic> remarks, Carried carried, Parts origin) {
  auto writer = begin_draft(draft, capture);
  if (!writer) return base::relay(writer);
  Collected collected;
  const std::vector<Part> parts = parts_in(folder);
  const std::string this_host = name_marks().host;
  bool orderly = true;
  const bool cut_off = std::ranges::any_of(remarks, [](const auto& row) { return row.code == kWriterEnded; });
  for (const Part& part : parts) {
    const auto processes = take(part, draft, origin, carried, remarks);
    if (!processes) {
      collected.parts_left = true;
      remarks.push_back(unreadable(part.path, processes.error()));
      continue;
    }
    for (const model::Process& process : *processes) {
      if (process.run == 0) ++collected.processes;
      orderly = orderly && process.clean;
      if (cut_off) continue;  // the writer's end says it for all
      if (auto row = remark_on(process, this_host)) remarks.push_back(std::move(*row));
    }
    collected.merged.push_back(part.path);
  }
  if (carried.sources && !collected.merged.empty())
    if (const auto done = keep_sources(draft, capture.working_directory); !done)
      remarks.push_back(
          make_diagnostic(model::diagnostic_kind("record", "sources_not_kept"), {done.error().text()}));
  remark_on_unrecorded(folder, remarks);
  if (parts.empty() && nothing_wrong(remarks)) remark_on_silence(remarks);

  collected.obstacle = parts.empty() ? text_with(remarks, "other_tool") : obstacle(draft, remarks);
  for (const Diagnostic& each : remarks) collected.worst = std::max(collected.worst, each.severity);
  capture.clean = orderly && collected.worst == Severity::info;
  const auto highest = parts.empty() ? Result<std::int64_t>(0) : highest_diagnostic(draft);
  if (!highest) return base::relay(highest);
  return end_draft(*writer, capture, remarks, *highest).map([&] { return collected; });
}

void say_outcome(const Collected& collected, const std::string& path) {
  const std::string what = collected.processes == 0   ? "no CUDA calls were recorded"
                           : collected.processes == 1 ? "1 process"
                                                      : fmt::format("{} processes", collected.processes);
  if (!collected.obstacle.empty())
    base::log_warning("wrote {} ({}), but: {} ('coalescope doctor' says what mends it)", path, what,
                      collected.obstacle);
  else if (collected.worst == model::Severity::info)
    base::log_note("wrote {} ({})", path, what);
  else
    base::log_warning("wrote {} ({}), but some of it is missing: 'coalescope report {}' says what", path,
                      what, path);
}

std::optional<fs::path> part_in_use(const fs::path& folder) {
  for (const Part& part : parts_in(folder))
    if (capture::is_open_elsewhere(part.path.string())) return part.path;
  return std::nullopt;
}

void remove_parts(const Collected& collected) {
  for (const fs::path& part : collected.merged) remove_part(part);
}

}  // namespace coalescope::tool
