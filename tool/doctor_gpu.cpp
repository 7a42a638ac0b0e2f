#include "tool/doctor_gpu.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tool/doctor_machine.h"

namespace coalescope::tool {

namespace {

using Fields = std::vector<std::string>;

constexpr int kOldestCuda = 12'060;        // with the range profiler
constexpr double kOldestCapability = 7.5;  // Turing
constexpr int kCudaMajor = 1000, kCudaMinor = 10;

// The first line that begins with `word`; null: there is none.
const Fields* line(const ProbeLines& lines, std::string_view word) {
  const auto found = std::ranges::find(lines, word, [](const Fields& fields) { return fields.front(); });
  return found == lines.end() ? nullptr : &*found;
}

// What CUPTI answers of a kind that it does not know is a field less.
std::string field(const Fields& fields, std::size_t index) {
  return index < fields.size() ? fields[index] : std::string();
}

// As probe.h says it: "error <kind> <message> <remedy>".
struct Refusal {
  std::string kind, message, remedy;
};
std::optional<Refusal> refusal(const base::Result<ProbeLines>& lines) {
  if (!lines) return Refusal{"failed", lines.error().message, lines.error().remedy};
  const Fields* error = line(*lines, "error");
  if (error == nullptr) return std::nullopt;
  return Refusal{field(*error, 1), field(*error, 2), field(*error, 3)};
}

Check driver_refusal(const Machine& machine, const Refusal& why) {
  const std::string module = kernel_module_version(machine);
  if (module.empty() && !is_wsl(machine))
    return {"driver", CheckState::missing,
            "this machine has no running NVIDIA driver, so no GPU can be used here",
            how_to_get_a_gpu(machine)};
  const std::string visible = machine.variable("CUDA_VISIBLE_DEVICES");
  if (why.kind == "not_found" && machine.environment("CUDA_VISIBLE_DEVICES"))
    return {"driver", CheckState::missing,
            fmt::format("{}: no GPU is visible, and CUDA_VISIBLE_DEVICES is '{}'", why.message, visible),
            "unset CUDA_VISIBLE_DEVICES"};
  return {"driver", CheckState::missing,
          fmt::format("the kernel module {} runs, but programs cannot use it: {}", module, why.message),
          how_to_get_a_gpu(machine)};
}

Check driver_check(const Machine& machine, const ProbeLines& lines) {
  const Fields* version = line(lines, "version");
  const Fields* library = line(lines, "library");
  const int cuda = version == nullptr ? 0 : std::atoi(field(*version, 1).c_str());
  const std::string module = kernel_module_version(machine);
  Check check{"driver", CheckState::ok,
              fmt::format("{}for CUDA {}.{} ({})", module.empty() ? "" : module + " ", cuda / kCudaMajor,
                          cuda % kCudaMajor / kCudaMinor, library == nullptr ? "" : field(*library, 1))};
  if (cuda < kOldestCuda) {
    check.state = CheckState::degraded;
    check.text += ": older than CUDA 12.6, whose CUPTI is the first that measures";
    check.mend = "install driver 560 or later";
  }
  return check;
}

Checks gpu_checks(const ProbeLines& lines) {
  Checks checks;
  for (const Fields& fields : lines) {
    if (fields.front() != "gpu") continue;
    const std::string capability = field(fields, 3);
    Check check{"gpu", CheckState::ok,
                fmt::format("{}: {}, compute capability {}", field(fields, 1), field(fields, 2), capability)};
    if (std::atof(capability.c_str()) < kOldestCapability) {
      check.state = CheckState::degraded;
      check.text += ": older than Turing (7.5), so nothing but times can be recorded";
    }
    checks.push_back(std::move(check));
  }
  if (checks.empty())
    checks.push_back({"gpu", CheckState::missing, "the driver runs and knows no GPU", "nvidia-smi -L"});
  return checks;
}

Check cupti_check(const Machine& machine, const Fields& site_packages) {
  Fields question{"cupti"};
  question.insert(question.end(), site_packages.begin(), site_packages.end());
  const auto lines = machine.probe(question);
  if (const auto why = refusal(lines))
    return {
        "cupti", CheckState::missing, why->message,
        why->remedy.empty() ? "pip install nvidia-cuda-cupti, or set COALESCOPE_CUPTI_PATH" : why->remedy};
  const Fields* found = line(*lines, "cupti");
  const Fields* host = line(*lines, "host");
  if (found == nullptr) return {"cupti", CheckState::missing, "the process that asked gave no answer"};
  Check check{"cupti", CheckState::ok,
              fmt::format("{}, {} ({})", field(*found, 2), field(*found, 1), field(*found, 3))};
  if (host == nullptr || field(*host, 1).empty()) {
    check.state = CheckState::missing;
    check.text += " has no libnvperf_host.so beside it, which knows the counters";
    check.mend = "install CUPTI whole: the CUDA Toolkit, or pip install nvidia-cuda-cupti";
  }
  return check;
}

// What a virtual GPU and the like say of themselves; in order of the probe's names.
struct Obstacle {
  std::string_view support;
  std::string_view check;
  std::string_view what;
  std::string_view mend;
};
constexpr std::array kObstacles{
    Obstacle{"vgpu", "virtual-gpu", "a virtual GPU", "enable profiling for the virtual GPU on its host"},
    Obstacle{"confidential", "confidential-computing", "confidential computing",
             "run the GPU without confidential computing, or in its devtools mode"},
    Obstacle{"sli", "sli", "an SLI group", "take the GPU out of its SLI group"},
    Obstacle{"cmp", "mining-gpu", "a mining GPU", "use another GPU"}};

void add_obstacles(const ProbeLines& lines, const std::string& gpu, Checks& checks) {
  for (const Fields& fields : lines) {
    if (fields.front() != "support") continue;
    const std::string level = field(fields, 2);
    if (level != "unsupported" && level != "disabled") continue;
    const auto known = std::ranges::find(kObstacles, field(fields, 1), &Obstacle::support);
    if (known == kObstacles.end()) continue;
    checks.push_back({std::string(known->check), CheckState::missing,
                      fmt::format("GPU {}: {} forbids to read counters ({})", gpu, known->what, level),
                      std::string(known->mend)});
  }
}

Check refused_counters(const Machine& machine, const std::string& gpu, const Refusal& why) {
  Check check{"counters", CheckState::missing, fmt::format("GPU {}: {}", gpu, why.message), why.remedy};
  if (why.kind == "not_permitted") {
    check.text = fmt::format("GPU {}: this user may not read its counters ({})", gpu, why.message);
    check.mend = how_to_permit(machine);
  }
  if (why.kind != "busy") return check;
  const auto holders = counter_holders(machine);
  check.state = CheckState::degraded;
  check.text = fmt::format("GPU {}: another program holds the counters{}{}; a recording asks again meanwhile",
                           gpu, holders.empty() ? "" : ", perhaps ", fmt::join(holders, ", "));
  check.mend = "dcgmi profile --pause where DCGM runs (--resume afterwards); else end the other profiler";
  return check;
}

void add_counters(const Machine& machine, const std::string& gpu, const Fields& site_packages,
                  Checks& checks) {
  Fields question{"counters", gpu};
  question.insert(question.end(), site_packages.begin(), site_packages.end());
  const auto lines = machine.probe(question);
  if (lines) add_obstacles(*lines, gpu, checks);
  if (const auto why = refusal(lines)) {
    checks.push_back(refused_counters(machine, gpu, *why));
    return;
  }
  const Fields* chip = line(*lines, "chip");
  checks.push_back({"counters", CheckState::ok,
                    fmt::format("GPU {}: counters of L2 and DRAM can be read{}", gpu,
                                chip == nullptr ? "" : " (" + field(*chip, 1) + ")")});
}

}  // namespace

Checks check_gpus(const Machine& machine, const std::vector<std::string>& site_packages) {
  const auto driver = machine.probe({"driver"});
  Checks checks;
  const auto no_driver = refusal(driver);
  if (no_driver)
    checks.push_back(driver_refusal(machine, *no_driver));
  else
    checks.push_back(driver_check(machine, *driver));
  if (!no_driver) std::ranges::move(gpu_checks(*driver), std::back_inserter(checks));
  checks.push_back(cupti_check(machine, site_packages));
  if (auto permission = check_permission(machine)) checks.push_back(std::move(*permission));
  const bool can_ask = !no_driver && checks.back().name != "gpu";
  const bool has_cupti = std::ranges::none_of(
      checks, [](const Check& each) { return each.name == "cupti" && each.state == CheckState::missing; });
  for (std::size_t i = 0; can_ask && has_cupti && i < driver->size(); ++i)
    if (const Fields& fields = (*driver)[i]; fields.front() == "gpu")
      add_counters(machine, field(fields, 1), site_packages, checks);
  return checks;
}

}  // namespace coalescope::tool
