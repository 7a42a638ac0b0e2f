#include "tool/doctor_machine.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <sstream>

namespace coalescope::tool {

namespace {

namespace fs = std::filesystem;

enum class Container { none, docker, podman, kubernetes, apptainer };

Container container_of(const Machine& machine) {
  std::error_code ignored;
  if (machine.environment("KUBERNETES_SERVICE_HOST")) return Container::kubernetes;
  if (machine.environment("APPTAINER_CONTAINER") || machine.environment("SINGULARITY_CONTAINER"))
    return Container::apptainer;
  if (fs::exists(machine.at("run/.containerenv"), ignored)) return Container::podman;
  if (fs::exists(machine.at(".dockerenv"), ignored)) return Container::docker;
  return Container::none;
}

// What stands behind "NAME:" in a file of such lines; empty: no such line.
std::string setting(const std::string& text, std::string_view name) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(name) || line.size() <= name.size() || line[name.size()] != ':') continue;
    const auto value = line.find_first_not_of(" \t", name.size() + 1);
    return value == std::string::npos ? "" : line.substr(value);
  }
  return {};
}

// CAP_SYS_ADMIN, which the driver asks for.
bool is_administrator(const Machine& machine) {
  constexpr int kHex = 16;
  constexpr std::uint64_t kSysAdmin = std::uint64_t{1} << 21U;
  const std::string held = setting(machine.text_of("proc/self/status"), "CapEff");
  return (std::strtoull(held.c_str(), nullptr, kHex) & kSysAdmin) != 0;
}

std::size_t mig_instances(const Machine& machine) {
  std::error_code ignored;
  std::size_t count = 0;
  for (const auto& gpu : fs::directory_iterator(machine.at("proc/driver/nvidia/capabilities"), ignored))
    for (const auto& each : fs::directory_iterator(gpu.path() / "mig", ignored))
      if (each.path().filename().string().starts_with("gi")) ++count;
  return count;
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

}  // namespace

std::string kernel_module_version(const Machine& machine) {
  // "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build ..."
  std::istringstream words(setting(machine.text_of("proc/driver/nvidia/version"), "NVRM version"));
  for (std::string word; words >> word;)
    if (std::isdigit(static_cast<unsigned char>(word[0])) != 0 && word.find('.') != std::string::npos)
      return word;
  return {};
}

bool is_wsl(const Machine& machine) {
  return lower(machine.text_of("proc/version")).find("microsoft") != std::string::npos;
}

std::string how_to_permit(const Machine& machine) {
  switch (container_of(machine)) {
    case Container::docker:
      return "docker run --cap-add=SYS_ADMIN ..., as root in the container";
    case Container::podman:
      return "podman run --cap-add=SYS_ADMIN ..., as root in the container";
    case Container::kubernetes:
      return "add SYS_ADMIN to securityContext.capabilities.add of the container, and run as root in it";
    case Container::apptainer:
    case Container::none:
      break;
  }
  if (is_wsl(machine))
    return "on Windows: NVIDIA Control Panel, Developer, Manage GPU Performance Counters, Allow access to "
           "all "
           "users";
  return "sudo coalescope ..., or for every user: echo 'options nvidia "
         "NVreg_RestrictProfilingToAdminUsers=0' | sudo tee /etc/modprobe.d/coalescope.conf, then reboot";
}

std::string how_to_get_a_gpu(const Machine& machine) {
  switch (container_of(machine)) {
    case Container::docker:
      return "docker run --gpus all ...";
    case Container::podman:
      return "podman run --device nvidia.com/gpu=all ...";
    case Container::kubernetes:
      return "request nvidia.com/gpu in resources.limits of the container";
    case Container::apptainer:
      return "apptainer exec --nv ...";
    case Container::none:
      break;
  }
  return "install NVIDIA's driver, or use a machine that has a GPU; reports need none";
}

std::optional<Check> check_permission(const Machine& machine) {
  const std::string restricted =
      setting(machine.text_of("proc/driver/nvidia/params"), "RmProfilingAdminOnly");
  if (restricted.empty()) return std::nullopt;
  Check check{"permission", CheckState::ok, "every user may read the GPU's counters"};
  if (restricted == "0") return check;
  if (is_administrator(machine)) {
    check.text = "only administrators may read the GPU's counters, and this process is one (CAP_SYS_ADMIN)";
    return check;
  }
  check.state = CheckState::missing;
  check.text = "only administrators may read the GPU's counters: nothing but times can be recorded";
  check.mend = how_to_permit(machine);
  return check;
}

std::vector<std::string> counter_holders(const Machine& machine) {
  // As the kernel cuts names: 15 letters.
  constexpr std::array<std::string_view, 6> kKnown{"nv-hostengine", "dcgm-exporter",   "ncu",
                                                   "nsys",          "coalescope-part", "nvidia-dcgm"};
  std::vector<std::string> found;
  std::error_code ignored;
  for (const auto& each : fs::directory_iterator(machine.at("proc"), ignored)) {
    const std::string pid = each.path().filename().string();
    if (!std::ranges::all_of(pid, [](unsigned char c) { return std::isdigit(c) != 0; })) continue;
    std::string name = machine.text_of("proc/" + pid + "/comm");
    while (!name.empty() && name.back() == '\n') name.pop_back();
    if (std::ranges::find(kKnown, name) != kKnown.end())
      found.push_back(fmt::format("{} (pid {})", name, pid));
  }
  std::ranges::sort(found);
  return found;
}

Check check_other_tool(const Machine& machine) {
  for (const char* variable : {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"}) {
    const std::string tool = machine.variable(variable);
    if (tool.empty()) continue;
    const bool driver = std::string_view(variable) == "CUDA_INJECTION64_PATH";
    return {"other-tool", driver ? CheckState::missing : CheckState::degraded,
            fmt::format("{} is '{}': {}", variable, tool,
                        driver ? "the driver loads that tool and has no room for a second one"
                               : "NVTX ranges go to that tool, and are not recorded"),
            fmt::format("unset {}", variable)};
  }
  return {"other-tool", CheckState::ok, "no other tool is injected"};
}

Check check_mig(const Machine& machine) {
  if (const auto instances = mig_instances(machine); instances > 0)
    return {"mig", CheckState::degraded,
            fmt::format("GPUs are divided into {} MIG instance{}: an instance may refuse counters of what "
                        "it shares, such as L2 and DRAM",
                        instances, instances == 1 ? "" : "s"),
            "sudo nvidia-smi -mig 0, on a GPU that nobody else uses"};
  return {"mig", CheckState::ok, "no GPU is divided into MIG instances"};
}

Check check_mps(const Machine& machine) {
  std::string folder = machine.variable("CUDA_MPS_PIPE_DIRECTORY");
  if (folder.empty()) folder = "/tmp/nvidia-mps";
  std::error_code ignored;
  if (fs::exists(machine.at(folder.substr(1)) / "control", ignored))
    return {
        "mps", CheckState::degraded,
        fmt::format("an MPS daemon serves '{}': programs share one context on the GPU, so counters may be "
                    "refused or hold the work of others",
                    folder),
        "echo quit | nvidia-cuda-mps-control"};
  return {"mps", CheckState::ok, "no MPS daemon serves CUDA programs here"};
}

Check check_wsl(const Machine& machine) {
  if (is_wsl(machine))
    return {"wsl", CheckState::degraded,
            "this is WSL: counters need Windows 11, and a permission that is given on Windows",
            how_to_permit(machine)};
  return {"wsl", CheckState::ok, "this is not WSL"};
}

}  // namespace coalescope::tool
