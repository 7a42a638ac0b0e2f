#include "reports/analysis/rows/process_names.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "core/capture/limits.h"

namespace coalescope::analysis {
namespace {

constexpr std::size_t kLongestHost = 255;  // that Linux allows is 64; each row may bear it

}  // namespace

std::vector<std::string> process_names(std::span<const model::Process> processes) {
  const auto name = [](const model::Process& process, bool with_pid, bool with_host) {
    std::string text = process.rank ? fmt::format("rank {}", *process.rank) : "";
    if (text.empty() || with_pid) text += fmt::format("{}process {}", text.empty() ? "" : ", ", process.pid);
    return with_host ? text + " on " + capture::cut(process.host, kLongestHost) : text;
  };
  // One form for all: the first in which no two are the same, else the longest.
  std::vector<std::string> names;
  for (const auto& [with_pid, with_host] : {std::pair(false, false), {true, false}, {true, true}}) {
    names.clear();
    for (const auto& process : processes) names.push_back(name(process, with_pid, with_host));
    if (std::set(names.begin(), names.end()).size() == names.size()) break;
  }
  return names;
}

NamesOfProcesses names_of_processes(std::span<const model::Process> processes) {
  const auto names = process_names(processes);
  NamesOfProcesses name_of;
  for (std::size_t i = 0; i < processes.size(); ++i) name_of[processes[i].id.value] = names[i];
  return name_of;
}

void name_processes(std::vector<KernelRow>& kernels, std::span<const model::Process> processes) {
  std::set<std::int64_t> with_kernels;
  for (const auto& row : kernels) with_kernels.insert(row.process_id);
  if (with_kernels.size() < 2) return;
  const auto name_of = names_of_processes(processes);
  for (auto& row : kernels)
    if (const auto found = name_of.find(row.process_id); found != name_of.end())
      row.name = fmt::format("{}: {}", found->second, row.name);
}

}  // namespace coalescope::analysis
