#include "tests/web/sample_reports.h"

#include <fmt/format.h>

#include "reports/analysis/rows/kernel_families.h"
#include "tests/web/sample_rows.h"

namespace coalescope::samples {

using analysis::Access;
using analysis::KernelRow;
using analysis::Level;
using analysis::Report;
using model::CoverageReason;
using model::Direction;
using model::MemoryKind;
using model::Phase;

namespace {

analysis::DeviceRow h100() {
  model::Device device;
  device.ordinal = 0;
  device.uuid = "GPU-5b1c2f0e-6d83-4a8e-9a53-0f2f7c1d9e44";
  device.name = "NVIDIA H100 80GB HBM3";
  device.chip = "GH100";
  device.pci_bus_id = "0000:1b:00.0";
  device.compute_capability_major = 9;
  device.compute_capability_minor = 0;
  device.multiprocessors = 132;
  device.clock_khz = 1'980'000;
  device.memory_bytes = 85'045'084'160;
  device.memory_clock_khz = 2'619'000;
  device.memory_bus_bits = 5120;
  device.ecc = 1;
  device.l2_bytes = 52'428'800;
  device.persisting_l2_max_bytes = 32'768'000;
  device.access_policy_max_window_bytes = 134'213'632;
  device.constant_bytes = 65'536;
  device.shared_bytes_per_block = 49'152;
  device.shared_bytes_per_block_optin = 232'448;
  device.shared_bytes_per_multiprocessor = 233'472;
  device.registers_per_multiprocessor = 65'536;
  device.max_threads_per_multiprocessor = 2048;
  device.warp_size = 32;
  device.copy_engines = 3;
  device.integrated = 0;
  device.can_map_host_memory = 1;
  device.unified_addressing = 1;
  device.managed_memory = 1;
  device.concurrent_managed_access = 1;
  device.pageable_memory_access = 0;
  device.host_native_atomics = 0;
  return {device,
          3.352e12,
          {{"DRAM", 2.79e12, "measured by calibration on this machine"},
           {"pinned host to device", 55.0e9, "the fastest pinned copy of this capture"},
           {"pinned device to host", 54.6e9, "the fastest pinned copy of this capture"}}};
}

Report base() {
  Report report;
  report.capture_path = "/home/user/stencil/stencil.coal";
  report.capture.tool_version = "0.1.0";
  report.capture.options = R"({"budget_percent":10,"launches_per_group":3})";
  report.capture.working_directory = "/home/user/stencil";
  report.capture.started_unix_ns = 1'763'641'392'000'000'000;
  report.capture.duration_ns = 4'212'345'678;
  report.capture.exit_status = 0;
  report.capture.clean = true;
  report.totals.wall_ns = 4'212'345'678;
  report.processes = {process()};
  report.devices = {h100()};
  return report;
}

void add_count(Report& report, const std::string& family, const std::string& id, const std::string& key,
               std::optional<double> abscissa, double expected, double measured) {
  report.calibration.push_back(
      {0, family, id, key, key.ends_with("bytes") ? "bytes" : "sectors", abscissa, expected, measured,
       expected == measured ? model::Verdict::pass : model::Verdict::fail, std::nullopt});
}

void add_point(Report& report, const std::string& family, const std::string& series, double abscissa,
               double gb_s) {
  report.calibration.push_back({0, family, fmt::format("{}/{}", series, abscissa), "bandwidth_gb_s", "GB/s",
                                abscissa, std::nullopt, gb_s, model::Verdict::measured, std::nullopt});
}

void add_time(Report& report, const std::string& family, const std::string& id,
              std::optional<double> abscissa, double ns, std::optional<double> expected_ns) {
  report.calibration.push_back(
      {0, family, id, "time_ns", "ns", abscissa, expected_ns, ns, model::Verdict::measured, std::nullopt});
  report.calibration.push_back({0, family, id, "time_ns_spread", "ns", abscissa, std::nullopt, 0.06 * ns,
                                model::Verdict::measured, std::nullopt});
}

// Curves as calibrate times them: with a model, with a spread, of cases without a parameter, and what was
// skipped.
void add_experiments(Report& report) {
  for (const double mib : {8.0, 16.0, 32.0, 64.0, 128.0}) {
    const double bytes = mib * 1024 * 1024;
    add_point(report, "C1", "footprint", bytes, mib < 40 ? 5500 : 2600);
    report.calibration.push_back({0, "C1", fmt::format("footprint/{}", bytes), "l2_hit_rate", "", bytes,
                                  std::nullopt, mib < 40 ? 0.99 : 0.1, model::Verdict::measured,
                                  std::nullopt});
  }
  add_time(report, "C4", "after_no_window", std::nullopt, 31'000, std::nullopt);
  add_time(report, "C4", "after_use_never_reset", std::nullopt, 74'000, std::nullopt);
  add_time(report, "C4", "after_use_reset", std::nullopt, 31'500, std::nullopt);
  for (const int streams : {1, 2, 4, 8}) {
    const double expected = 1.2e6 + 0.6e6 / streams;
    add_time(report, "D4", fmt::format("staged_transfer_bound/{}", streams), streams, 1.03 * expected,
             expected);
  }
  report.calibration.push_back({0, "D8", "peer_copy", "bandwidth_gb_s", "", std::nullopt, std::nullopt,
                                std::nullopt, model::Verdict::skipped,
                                "one GPU is visible, and peer copies need two"});
}

}  // namespace

Report rich() {
  Report report = base();
  report.command = {"./build/stencil", "--size", "4096", "--label", "first try"};
  report.kernels = kernels();
  report.transfers = transfers();
  report.findings = findings();
  report.lines = lines();
  report.sources = sources();
  report.time_line = time_line();
  report.program = program();
  report.findings[3].facts = {{"sectors_per_request", 8, "sectors"},
                              {"needed_sectors_per_request", 4, "sectors"}};
  report.findings[0].advice_id = "R01.tune_hit_ratio";
  report.findings[0].advice_parameters = {{"num_bytes", 67'108'864, "bytes"}, {"hit_ratio", 0.47, "share"}};
  report.totals.untimed_groups = 1;
  report.notices.push_back(
      {.text = "1 of 11 kernel groups has no time: all of its launches ran inside CUDA graphs."});
  report.phases = {{Phase::trace, CoverageReason::measured, 1, 3'253, 0},
                   {Phase::bytes, CoverageReason::measured, 4, 27, 171'300'000},
                   {Phase::lines, CoverageReason::measured, 9, 9, 3'400'000},
                   {Phase::traffic, CoverageReason::measured, 3, 18, 96'000'000},
                   {Phase::hits, CoverageReason::measured, 2, 16, 41'000'000},
                   {Phase::traffic, CoverageReason::window_discarded, 1, 2, 17'000'000}};
  report.diagnostics = {
      {0,
       {},
       model::Severity::data_loss,
       "bytes",
       "window_zero",
       1,
       "One window of the phase bytes read zero for every counter and was discarded: another tool may use "
       "the counters."},
      {0,
       {},
       model::Severity::info,
       "resolve",
       "no_line_info",
       1,
       "libtorch_cuda.so was built without -lineinfo: the lines of its kernels are not known."},
      {0,
       {},
       model::Severity::info,
       "resolve",
       "file_changed",
       2,
       "2 source files are not readable on this machine; their lines are shown without text."}};
  rank(report);
  return report;
}

Report calibration() {
  Report report = base();
  report.command = {"coalescope_kernels", "--all"};
  for (int k : {0, 1, 2, 3, 4, 5})
    add_count(report, "A6", fmt::format("shared_word/{}", 1 << k), "global_load_sectors", 1 << k,
              k < 3 ? 32'768 >> k : 8'192, k < 3 ? 32'768 >> k : 8'192);
  const double offset_us[] = {61.6, 64.1, 64.0, 63.9, 63.8, 63.8, 63.7, 63.7, 63.6, 63.7, 63.6,
                              63.6, 63.5, 63.5, 63.4, 63.4, 63.3, 63.4, 63.5, 63.5, 63.6, 63.6,
                              63.6, 63.7, 63.5, 63.6, 63.6, 63.7, 63.7, 63.7, 63.7, 63.7};
  for (int offset = 0; offset < 32; ++offset) {
    const double sectors = offset % 8 == 0 ? 2'097'152 : 2'621'440;
    add_count(report, "A3", fmt::format("offset_copy/{}", offset), "global_load_sectors", offset, sectors,
              offset == 31 ? sectors + 1 : sectors);
    add_point(report, "A3", "offset_copy", offset, 2.0 * 67.108864e6 / offset_us[offset] / 1e3);
  }
  const std::pair<int, double> strides[] = {{1, 11.0}, {2, 12.3},  {4, 38.5},
                                            {8, 71.4}, {16, 98.6}, {32, 136.5}};
  for (const auto& [stride, us] : strides) {
    add_count(report, "A4", fmt::format("stride_copy/{}", stride), "global_load_sectors", stride,
              65'536.0 * std::min(4 * stride, 32), 65'536.0 * std::min(4 * stride, 32));
    add_count(report, "A4", fmt::format("stride_copy/{}", stride), "global_load_requests", stride, 65'536.0,
              65'536.0);
    add_point(report, "A4", "stride_copy", stride, 2.0 * 8.388608e6 / us / 1e3);
  }
  const std::pair<double, std::array<double, 4>> sizes[] = {{4096, {1.1, 1.6, 0.9, 1.5}},
                                                            {65'536, {4.9, 13.1, 4.1, 12.8}},
                                                            {1'048'576, {6.1, 43.2, 7.7, 42.6}},
                                                            {16'777'216, {7.4, 53.7, 9.9, 53.1}},
                                                            {134'217'728, {7.8, 55.0, 10.6, 54.6}}};
  for (const auto& [size, gb_s] : sizes) {
    add_point(report, "D1", "pageable_to_device", size, gb_s[0]);
    add_point(report, "D1", "pinned_to_device", size, gb_s[1]);
    add_point(report, "D1", "device_to_pageable", size, gb_s[2]);
    add_point(report, "D1", "device_to_pinned", size, gb_s[3]);
  }
  add_experiments(report);
  report.calibration.push_back({0, "D6", "zero_copy/strided", "bandwidth_gb_s", "GB/s", 8, std::nullopt, 6.4,
                                model::Verdict::measured, "useful bytes, not bytes over the bus"});
  report.calibration.push_back({0, "D6", "zero_copy/written", "global_store_sectors", "sectors", std::nullopt,
                                4'194'304, std::nullopt, model::Verdict::skipped,
                                "the counter is not there on this chip"});
  rank(report);
  return report;
}

Report empty() {
  Report report = base();
  report.command = {"/bin/true"};
  report.devices.clear();
  report.processes.clear();
  report.notices.push_back({.text = "The program made no CUDA call, so there is nothing to measure."});
  return report;
}

Report unmeasured() {
  Report report = base();
  report.command = {"./stencil"};
  report.capture.clean = false;
  report.capture.exit_status = {};
  report.capture.exit_signal = 11;
  report.kernels = {kernels()[0], kernels()[9]};
  without_counts(
      report.kernels[0], CoverageReason::no_permission,
      "the driver lets only administrators read counters; ask for NVreg_RestrictProfilingToAdminUsers=0");
  report.notices.push_back({.text = "The program was ended by signal 11: what it did last may be missing."});
  report.diagnostics = {
      {0, {}, model::Severity::error, "bytes", "cupti_35", 1, "The driver refused access to the counters."}};
  rank(report);
  return report;
}

Report hostile() {
  const std::string attack =
      "\"'><script>window.pwned = 1</script><img src=x onerror=\"window.pwned = "
      "1\"></style></title><!--{{style}}";
  const std::string bytes = std::string("\x00\x01\x1b[31m", 7) +
                            "\xff\xc0\xaf\xed\xa0\x80 \xe2\x80\xae"
                            "txt.exe \xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d";
  const std::string text = attack + bytes;
  Report report = rich();
  report.capture_path = text;
  report.command = {text, text};
  report.notices.push_back({.text = text});
  report.capture.options = report.capture.working_directory = report.capture.tool_version = text;
  for (auto& row : report.kernels) row.name = row.full_name = row.mangled_name = text;
  report.kernel_families = analysis::kernel_families(report.kernels);
  for (auto& row : report.kernels)
    for (auto& gap : row.unmeasured) gap.text = text;
  for (auto& row : report.findings) {
    row.title = row.subject = row.evidence = row.advice = row.basis = row.rule = text;
    row.file = text;
  }
  for (auto& row : report.lines) {
    row.kernel_name = text;
    row.text = row.file = text;
  }
  for (auto& source : report.sources) {
    source.file = text;
    for (auto& line : source.lines) line.text = text;
  }
  for (auto& row : report.transfers) row.reference = text;
  for (auto& row : report.diagnostics) row.text = row.origin = row.code = text;
  for (auto& row : report.time_line.ranges) row.name = text;
  for (auto& row : report.program.allocation_places) row.place = text;
  for (auto& row : report.processes) row.executable = row.host = text;
  for (auto& row : report.devices) {
    row.properties.name = row.properties.uuid = text;
    row.properties.chip = row.properties.pci_bus_id = text;
    for (auto& ceiling : row.ceilings) ceiling.path = ceiling.source = text;
  }
  report.calibration = calibration().calibration;
  for (auto& row : report.calibration) row.family = row.case_id = row.quantity = row.unit = text;
  return report;
}

namespace {

// `count` different kernels of an application.
Report of_kernels(std::int64_t count) {
  Report report = base();
  report.command = {"python", "train.py"};
  const std::vector<KernelRow> some = kernels();
  for (std::int64_t id = 1; id <= count; ++id) {
    KernelRow row = some[static_cast<std::size_t>(id) % 8];
    row.id = id;
    row.name += fmt::format("<{}>", id);
    row.full_name = row.mangled_name = row.name;
    row.median_gpu_ns = 1'000'000 / id + 2'000;
    row.gpu_ns = *row.median_gpu_ns * row.launches;
    report.kernels.push_back(std::move(row));
  }
  rank(report);
  return report;
}

}  // namespace

Report large() {
  return of_kernels(5000);
}

Report many() {
  return of_kernels(300);
}

}  // namespace coalescope::samples
