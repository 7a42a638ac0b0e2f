#include "reports/analysis/view/device_names.h"

#include <gtest/gtest.h>

namespace coalescope::analysis {
namespace {

void add_device(Report& report, std::int64_t id, std::int64_t process, std::int64_t ordinal) {
  DeviceRow& row = report.devices.emplace_back();
  row.properties.id = model::DeviceId{id};
  row.properties.process_id = model::ProcessId{process};
  row.properties.ordinal = ordinal;
}

TEST(DeviceNames, AreThoseOfTheProgramAndNotTheCaptures) {
  Report report;
  add_device(report, 1, 1, 0);
  add_device(report, 2, 1, 1);
  EXPECT_EQ(device_name(device_names(report), 1), "GPU 0");
  EXPECT_EQ(device_name(device_names(report), 2), "GPU 1");
  EXPECT_EQ(device_name(device_names(report), 3), "a GPU that is not known");
}

// Each process may call its own GPU 0.
TEST(DeviceNames, OfSeveralProcessesNameTheProcess) {
  Report report;
  add_device(report, 1, 1, 0);
  add_device(report, 2, 2, 0);
  report.processes.resize(2);
  report.processes[0].id = {1};
  report.processes[0].rank = 0;
  report.processes[1].id = {2};
  report.processes[1].rank = 1;
  EXPECT_EQ(device_name(device_names(report), 2), "rank 1, GPU 0");
}

TEST(GpusInWords, CountsGpusAndNotTheProcessesThatUseThem) {
  Report report;
  for (const char* uuid : {"a", "b", "b", "c"}) report.devices.emplace_back().properties.uuid = uuid;
  const std::vector<std::string> texts{"H100", "H100", "H100", "L40S"};
  EXPECT_EQ(gpus_in_words(report, texts), (std::vector<std::string>{"2 x H100", "L40S"}));
}

}  // namespace
}  // namespace coalescope::analysis
