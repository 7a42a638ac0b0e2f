#pragma once
// What a capture holds of the reference kernels: its rows, turned into values a launch.

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/model/device.h"
#include "core/model/enums.h"
#include "core/model/instruction.h"
#include "core/model/kernel.h"
#include "core/model/launch.h"
#include "core/model/metric.h"
#include "core/model/transfer.h"
#include "kernels/answers/expected.h"

namespace coalescope::kernels {

// Whole tables of a capture.
struct CaptureRows {
  std::vector<model::Kernel> kernels;
  std::vector<model::KernelGroup> groups;
  std::vector<model::Launch> launches;
  std::vector<model::Reading> readings;
  std::vector<model::PhaseWindow> windows;
  std::vector<model::InstructionReading> instruction_readings;
  std::vector<model::Coverage> coverage;
  std::vector<model::Transfer> transfers;
  std::vector<model::MetricUsed> metrics;
  std::vector<model::Device> devices;
};

// All launches of one kernel name.
struct KernelRuns {
  std::int64_t launches = 0;
  std::vector<std::int64_t> native_gpu_ns;  // of launches that nothing slowed down
  // One value a measured launch. Counts of instructions are summed over the kernel's instructions.
  std::map<model::MetricId, std::vector<std::int64_t>> counts;
  std::map<model::Phase, model::CoverageReason> reasons;
};

// By the name that cases carry (Case::kernel).
[[nodiscard]] std::unordered_map<std::string, KernelRuns> runs_by_kernel(const CaptureRows& rows);

// The times of all copies of this direction, kind of host memory and size.
[[nodiscard]] std::vector<std::int64_t> times_of(const HostCopy& copy, const CaptureRows& rows);

}  // namespace coalescope::kernels
