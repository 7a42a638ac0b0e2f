#include "reports/analysis/view/device_names.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "reports/analysis/rows/process_names.h"

namespace coalescope::analysis {

DeviceNames device_names(const Report& report) {
  const auto& devices = report.devices;
  const bool one_process = std::ranges::all_of(devices, [&](const DeviceRow& row) {
    return row.properties.process_id == devices.front().properties.process_id;
  });
  const auto processes = names_of_processes(report.processes);
  DeviceNames names;
  for (const DeviceRow& row : devices) {
    std::string name = fmt::format("GPU {}", row.properties.ordinal);
    const std::int64_t process_id = row.properties.process_id.value;
    if (const auto process = processes.find(process_id); !one_process)
      name = (process == processes.end() ? fmt::format("process {}", process_id) : process->second) + ", " +
             name;
    names.emplace(row.properties.id.value, std::move(name));
  }
  return names;
}

std::string device_name(const DeviceNames& names, std::int64_t device_id) {
  const auto found = names.find(device_id);
  return found == names.end() ? "a GPU that is not known" : found->second;
}

std::vector<std::string> gpus_in_words(const Report& report, std::span<const std::string> texts) {
  std::vector<std::string> different;
  std::map<std::string, std::set<std::string>> gpus;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    auto& uuids = gpus[texts[i]];
    if (uuids.empty()) different.push_back(texts[i]);
    uuids.insert(report.devices[i].properties.uuid);
  }
  for (std::string& text : different)
    if (const auto count = gpus[text].size(); count > 1) text = fmt::format("{} x {}", count, text);
  return different;
}

}  // namespace coalescope::analysis
