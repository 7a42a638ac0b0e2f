// In order: choose the cases; see that there are reference kernels and a GPU; record them; read the capture;
// compare; add the results to the capture; print.
#include "tool/calibrate.h"

#include <cstdio>
#include <fmt/format.h>

#include "core/base/log.h"
#include "core/capture/reader.h"
#include "core/capture/seal.h"
#include "core/capture/writer.h"
#include "core/model/options.h"
#include "kernels/comparison.h"
#include "kernels/options.h"
#include "tool/calibrate_table.h"
#include "tool/exit_status.h"
#include "tool/helper.h"
#include "tool/program.h"
#include "tool/record.h"

namespace coalescope::tool {
namespace {

using base::Result;
using model::Calibration;

// Exactness is asked of more launches than one; the rest of the 16 that each case gets are timed.
constexpr const char* kSamples = "3";
constexpr const char* kPhases = "bytes,lines";
constexpr const char* kBudget = "none";         // a verdict on every case is what this run is for
constexpr const char* kExclude = "fill_input";  // it prepares the data, and is no case

RecordOptions recording_of(const std::string& program, const CalibrateOptions& options) {
  RecordOptions recording;
  recording.command = {program, "--quiet"};
  if (!options.families.empty()) {
    recording.command.emplace_back("--family");
    recording.command.push_back(fmt::format("{}", fmt::join(options.families, ",")));
  }
  recording.output = options.output;
  recording.settings = {{model::option::kSamples, kSamples},
                        {model::option::kPhases, kPhases},
                        {model::option::kBudget, kBudget},
                        {model::option::kExclude, kExclude}};
  return recording;
}

template <class Row>
Result<void> read_into(std::vector<Row>& rows, capture::Reader& reader) {
  auto all = reader.rows<Row>();
  if (!all) return tl::unexpected(std::move(all.error()));
  rows = std::move(*all);
  return {};
}

Result<kernels::CaptureRows> read_rows(const std::string& path) {
  auto reader = capture::Reader::open(path);
  if (!reader) return tl::unexpected(std::move(reader.error()));
  kernels::CaptureRows rows;
  const Result<void> done = read_into(rows.kernels, *reader)
                                .and_then([&] { return read_into(rows.groups, *reader); })
                                .and_then([&] { return read_into(rows.launches, *reader); })
                                .and_then([&] { return read_into(rows.readings, *reader); })
                                .and_then([&] { return read_into(rows.windows, *reader); })
                                .and_then([&] { return read_into(rows.instruction_readings, *reader); })
                                .and_then([&] { return read_into(rows.coverage, *reader); })
                                .and_then([&] { return read_into(rows.transfers, *reader); })
                                .and_then([&] { return read_into(rows.metrics, *reader); })
                                .and_then([&] { return read_into(rows.devices, *reader); });
  if (!done) return tl::unexpected(done.error());
  return rows;
}

Result<void> store(const std::string& path, std::span<const Calibration> results) {
  {
    auto writer = capture::Writer::open(path);
    if (!writer) return tl::unexpected(std::move(writer.error()));
    for (const Calibration& result : results)
      if (auto written = writer->insert(result); !written) return written;
    if (auto committed = writer->commit(); !committed) return committed;
  }
  return capture::seal(path);
}

}  // namespace

int judge(const std::string& capture_path, std::span<const kernels::Case* const> cases) {
  const auto rows = read_rows(capture_path);
  if (!rows) {
    base::log_error(rows.error());
    return kUnreadable;
  }
  const std::vector<Calibration> results = kernels::compare(cases, *rows);
  const CountVerdicts counts = verdicts(results);
  std::fputs((to_table(cases, results) + "\n" + summary(counts) + "\n").c_str(), stdout);
  if (const auto stored = store(capture_path, results); !stored) {
    base::log_error("the results could not be added to '{}': {}", capture_path, stored.error().text());
    return kUsage;
  }
  return counts.failed == 0 ? kDone : kDiffers;
}

int run(const CalibrateOptions& options) {
  kernels::Options choice;
  choice.families = options.families;
  const auto cases = kernels::select_cases(choice, kernels::cases());
  if (!cases) {
    base::log_error("{}", cases.error().message);
    return kUsage;
  }
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
  const auto outcome = record(recording_of(program->string(), options));
  if (!outcome) return not_started(outcome.error());
  if (outcome->ending.exit_status != kDone) {
    base::log_error("the reference kernels did not end well, so nothing was compared; they say why above");
    return kDiffers;
  }
  if (!outcome->capture_path) return kUsage;  // a warning said why
  return judge(*outcome->capture_path, *cases);
}

}  // namespace coalescope::tool
