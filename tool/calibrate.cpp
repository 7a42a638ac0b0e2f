// In order: choose the cases; see that there are reference kernels and a GPU; record them; time the
// experiments without the recorder; read the capture; compare; add the results to the capture; print; keep
// the profile.
#include "tool/calibrate.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <iterator>

#include "core/base/log.h"
#include "core/capture/reader.h"
#include "core/capture/seal.h"
#include "core/capture/writer.h"
#include "core/model/options.h"
#include "core/profile/sources.h"
#include "kernels/answers/comparison.h"
#include "kernels/program/options.h"
#include "tool/calibrate_curves.h"
#include "tool/calibrate_table.h"
#include "tool/calibrate_twins.h"
#include "tool/exit_status.h"
#include "tool/helper.h"
#include "tool/output_file.h"
#include "tool/program.h"
#include "tool/record.h"
#include "tool/report.h"
#include "tool/report_formats.h"

namespace coalescope::tool {
namespace {

using base::Result;
using model::Calibration;

constexpr const char* kBudget = "none";  // a verdict on every case is what this run is for
// They prepare the data, and are no cases.
constexpr const char* kExclude = "fill_input|fill_words";

// Exactness is asked of more launches than one; the rest of those that each case gets are timed. How far the
// recorded part is of the whole, in per cent, is what it took on an H100.
struct Effort {
  const char* samples;
  const char* phases;
  const char* launches;
  int recorded_percent;
};
constexpr Effort kWhole{"3", "bytes,lines,traffic,hits", "18", 80};
constexpr Effort kQuick{"1", "bytes,lines", "6", 55};

const Effort& effort_of(const CalibrateOptions& options) {
  return options.quick ? kQuick : kWhole;
}

std::vector<std::string> family_arguments(const CalibrateOptions& options) {
  if (options.families.empty()) return {};
  return {"--family", fmt::format("{}", fmt::join(options.families, ","))};
}

RecordOptions recording_of(const std::string& program, const CalibrateOptions& options) {
  const Effort& effort = effort_of(options);
  RecordOptions recording;
  recording.command = {program,         "--quiet",    "--launches",
                       effort.launches, "--progress", fmt::format("0:{}", effort.recorded_percent)};
  if (!options.quick) recording.command.emplace_back("--with-curves");
  std::ranges::move(family_arguments(options), std::back_inserter(recording.command));
  recording.output = output_of(options);
  recording.force = options.force;
  recording.settings = {
      {model::option::kSamples, effort.samples},
      {model::option::kPhases, effort.phases},
      {model::option::kBudget, kBudget},
      {model::option::kTimed, "measure"},  // what the program prints of its times is not shown
      {model::option::kGraphs, "graph"},   // their branches run side by side, which is what is shown
      {model::option::kExclude, kExclude}};
  return recording;
}

// Natively: the recorder would be part of every time.
Result<std::vector<kernels::Measurement>> curves_of(const std::filesystem::path& program,
                                                    const CalibrateOptions& options) {
  if (kernels::select_experiments(options.families).empty()) return std::vector<kernels::Measurement>();
  std::vector<std::string> arguments = family_arguments(options);
  arguments.emplace_back("--progress");
  arguments.push_back(fmt::format("{}:100", effort_of(options).recorded_percent));
  if (options.quick) arguments.emplace_back("--brief");
  return measure_curves(program, std::move(arguments));
}

template <class Row>
Result<void> read_into(std::vector<Row>& rows, capture::Reader& reader) {
  return reader.rows<Row>().map([&](std::vector<Row>&& all) { rows = std::move(all); });
}

Result<kernels::CaptureRows> read_rows(const std::string& path) {
  auto reader = capture::Reader::open(path);
  if (!reader) return base::relay(reader);
  kernels::CaptureRows rows;
  return read_into(rows.kernels, *reader)
      .and_then([&] { return read_into(rows.groups, *reader); })
      .and_then([&] { return read_into(rows.launches, *reader); })
      .and_then([&] { return read_into(rows.readings, *reader); })
      .and_then([&] { return read_into(rows.windows, *reader); })
      .and_then([&] { return read_into(rows.instruction_readings, *reader); })
      .and_then([&] { return read_into(rows.coverage, *reader); })
      .and_then([&] { return read_into(rows.transfers, *reader); })
      .and_then([&] { return read_into(rows.metrics, *reader); })
      .and_then([&] { return read_into(rows.devices, *reader); })
      .map([&] { return std::move(rows); });
}

Result<void> store(const std::string& path, std::span<const Calibration> results) {
  {
    auto writer = capture::Writer::open(path);
    if (!writer) return base::relay(writer);
    for (const Calibration& result : results)
      if (auto written = writer->insert(result); !written) return base::relay(written);
    if (auto committed = writer->commit(); !committed) return base::relay(committed);
  }
  return capture::seal(path);
}

Result<profile::MachineProfile> profile_in(const std::string& path) {
  auto reader = capture::Reader::open(path);
  if (!reader) return base::relay(reader);
  std::vector<model::Device> devices;
  std::vector<model::Process> processes;
  std::vector<model::Capture> captures;
  std::vector<Calibration> results;
  const Result<void> done = read_into(devices, *reader)
                                .and_then([&] { return read_into(processes, *reader); })
                                .and_then([&] { return read_into(captures, *reader); })
                                .and_then([&] { return read_into(results, *reader); });
  if (!done) return base::relay(done);
  // The kernels run on the first device that they see.
  if (devices.empty() || processes.empty() || captures.empty())
    return base::failure(base::ErrorCode::damaged, "the capture names no GPU");
  return profile::derive(results, devices.front(), processes.front(), captures.front());
}

Result<std::filesystem::path> stored_profile(const std::string& capture_path, bool quick) {
  auto fresh = profile_in(capture_path);
  if (!fresh) return base::relay(fresh);
  const auto folder = profile::profile_folder();
  if (!folder)
    return base::failure(base::ErrorCode::not_found, "there is no folder for it",
                         "set HOME or XDG_DATA_HOME");
  // One that cannot be read, or that another driver gave, is replaced.
  const auto old = profile::stored(fresh->gpu_uuid, *folder);
  if (!old || !*old || (*old)->driver_version != fresh->driver_version)
    return profile::store(*fresh, *folder);
  if (!quick) return profile::store(profile::united(std::move(*fresh), **old), *folder);
  profile::MachineProfile kept = **old;
  return profile::store(profile::united(std::move(kept), *fresh), *folder);
}

int list(const CalibrateOptions& options, std::span<const kernels::Case* const> cases) {
  std::fputs(to_list(cases, kernels::select_experiments(options.families)).c_str(), stdout);
  return kDone;
}

int list_twins(const CalibrateOptions& options) {
  for (const kernels::Twin* twin : select_twins(options.families))
    fmt::print("{:<3} {:<26} {:<4} {:<9} {}\n", twin->family, twin->id, twin->rule, name_of(twin->verdict),
               twin->title);
  return kDone;
}

int finish(const CalibrateOptions& options, const std::string& capture_path,
           std::span<const kernels::Case* const> cases, const std::filesystem::path& program) {
  const auto curves = curves_of(program, options);
  if (!curves) base::log_error("the curves are missing: {}", curves.error().text());
  const int judged = judge(capture_path, cases, curves.value_or(std::vector<kernels::Measurement>()));
  if (judged != kDone && judged != kDiffers) return judged;
  keep_profile(capture_path, options.quick);
  if (options.html) {
    ReportOptions page;
    page.capture = capture_path;
    page.format = report_format("--html");
    page.format_word = *options.html;
    page.force = options.force;
    if (const int written = run(page); written != kDone) return written;
  }
  return curves ? judged : kDiffers;
}

}  // namespace

int judge(const std::string& capture_path, std::span<const kernels::Case* const> cases,
          std::span<const kernels::Measurement> measurements) {
  const auto rows = read_rows(capture_path);
  if (!rows) {
    base::log_error(rows.error());
    return kUnreadable;
  }
  std::vector<Calibration> results = kernels::compare(cases, *rows);
  std::vector<Calibration> curves = rows_of(measurements, *rows);
  std::ranges::move(levels_of(cases, *rows), std::back_inserter(curves));
  std::string text = to_table(cases, results);
  if (!curves.empty()) text += (text.empty() ? "" : "\n") + to_curve_table(curves);
  std::ranges::move(curves, std::back_inserter(results));
  for (std::size_t i = 0; i < results.size(); ++i) results[i].id = static_cast<std::int64_t>(i + 1);
  const CountVerdicts counts = verdicts(results);
  std::fputs((text + "\n" + summary(counts) + "\n").c_str(), stdout);
  if (const auto stored = store(capture_path, results); !stored) {
    base::log_error("the results could not be added to '{}': {}", capture_path, stored.error().text());
    return kUsage;
  }
  return counts.failed == 0 ? kDone : kDiffers;
}

void keep_profile(const std::string& capture_path, bool quick) {
  const auto path = stored_profile(capture_path, quick);
  if (path)
    base::log_note("wrote the machine profile {}", path->string());
  else
    base::log_warning("no machine profile was stored: {}; the capture has all of it", path.error().text());
}

std::string output_of(const CalibrateOptions& options) {
  return options.output.value_or(options.twins ? "twins" : "calibration.coal");
}

int run(const CalibrateOptions& options) {
  if (options.twins && options.list) return list_twins(options);
  kernels::Options choice;
  choice.families = options.families;
  const auto cases = kernels::select_cases(choice, kernels::cases());
  if (!cases) {
    base::log_error("{}", cases.error().message);
    return kUsage;
  }
  if (options.list) return list(options, *cases);
  const auto program = find_companion("coalescope_kernels");
  if (!program) {
    base::log_error("cannot calibrate: {}; build coalescope where nvcc is installed",
                    program.error().message);
    return kUsage;
  }
  if (const auto gpu = run_helper(*program, {"--probe"}); !gpu) {
    base::log_error(gpu.error());
    return kNoGpu;
  }
  if (options.twins) return run_twins(*program, output_of(options), options.families);
  if (options.html)  // before minutes of work
    if (const auto page = OutputFile::at(*options.html, OutputKind::report, options.force); !page) {
      base::log_error(page.error());
      return kUsage;
    }
  const auto outcome = record(recording_of(program->string(), options));
  if (!outcome) return not_started(outcome.error());
  if (outcome->ending.exit_status != kDone) {
    base::log_error("the reference kernels did not end well, so nothing was compared; they say why above");
    return kDiffers;
  }
  if (!outcome->capture_path) return kUsage;  // a warning said why
  return finish(options, *outcome->capture_path, *cases, *program);
}

}  // namespace coalescope::tool
