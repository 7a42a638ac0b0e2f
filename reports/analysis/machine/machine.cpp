#include "reports/analysis/machine/machine.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "core/base/whole.h"

namespace coalescope::analysis {
namespace {

namespace figure = profile::figure;
namespace curve = profile::curve;

constexpr std::string_view kFromProperties = "peak by the device's properties";

// `carried` is what a path moves for each byte that the figure counts.
struct Path {
  std::optional<Ceiling> Machine::*member;
  std::string_view name;
  std::string_view figure;
  double carried;
};
constexpr std::array kPaths{
    Path{&Machine::dram, "DRAM", figure::kDramCopy, 1},
    Path{&Machine::dram_read, "DRAM, only read", figure::kDramRead, 1},
    Path{&Machine::l2, "L2", figure::kL2Copy, 1},
    Path{&Machine::l2_read, "L2, only read", figure::kL2Read, 1},
    // The copy that is indexed by block + thread x grid: its figure counts 4 bytes of each sector of 32.
    Path{&Machine::l2_scattered, "L2, scattered", figure::kGridStridedCopy, 8},
    Path{&Machine::host_to_device, "pinned host to device", figure::kHostToDevice, 1},
    Path{&Machine::device_to_host, "pinned device to host", figure::kDeviceToHost, 1},
    Path{&Machine::zero_copy_read, "zero-copy read", figure::kZeroCopyRead, 1},
    Path{&Machine::peer, "peer copy", figure::kPeerCopy, 1},
    Path{&Machine::peer_staged, "peer copy without peer access", figure::kPeerCopyStaged, 1},
    Path{&Machine::managed_faults, "managed memory, faulted in", figure::kManagedFirstTouch, 1},
    Path{&Machine::managed_prefetched, "managed memory, prefetched", figure::kManagedPrefetched, 1},
};

struct NamedCurve {
  std::optional<KnownCurve> Machine::*member;
  std::string_view name;
};
constexpr std::array kCurves{
    NamedCurve{&Machine::element_bytes, curve::kElementBytes},
    NamedCurve{&Machine::shared_conflicts, curve::kSharedConflicts},
    NamedCurve{&Machine::atomics, curve::kAtomics},
    NamedCurve{&Machine::constants, curve::kConstant},
    NamedCurve{&Machine::residency_full, curve::kResidencyFull},
    NamedCurve{&Machine::residency_tuned, curve::kResidencyTuned},
    NamedCurve{&Machine::residency_most_full, curve::kResidencyMostFull},
    NamedCurve{&Machine::residency_most_tuned, curve::kResidencyMostTuned},
    NamedCurve{&Machine::pinned_to_device, curve::kHostToDevicePinned},
    NamedCurve{&Machine::pageable_to_device, curve::kHostToDevicePageable},
    NamedCurve{&Machine::pinned_to_host, curve::kDeviceToHostPinned},
    NamedCurve{&Machine::pageable_to_host, curve::kDeviceToHostPageable},
};

std::optional<std::int64_t> time_figure(std::span<const profile::MachineProfile> profiles,
                                        std::string_view name) {
  const auto found = profile::find_figure(profiles, name);
  return found ? std::optional<std::int64_t>(base::whole(found->value)) : std::nullopt;
}

// Since Volta (CUDA C++ Programming Guide, compute capabilities 7.x to 12.x).
constexpr double kSchedulersAMultiprocessor = 4;

double clocks_per_ns(const model::Device& device) {
  return static_cast<double>(*device.clock_khz) * 1e-6;
}

// An n-way conflict takes n wavefronts. Where conflicts are many nothing else limits the requests; without
// the curve it is one wavefront a clock in each multiprocessor, which nothing exceeds.
std::optional<double> wavefronts_per_ns(const Machine& machine, const model::Device& device) {
  if (machine.shared_conflicts) {
    double most = 0;
    for (const auto& point : machine.shared_conflicts->curve.points) most = std::max(most, point.x * point.y);
    if (most > 0) return most;
  }
  if (!device.multiprocessors || !device.clock_khz) return std::nullopt;
  return static_cast<double>(*device.multiprocessors) * clocks_per_ns(device);
}

}  // namespace

std::optional<double> peak_dram_bandwidth(const model::Device& device) {
  if (!device.memory_clock_khz || !device.memory_bus_bits) return std::nullopt;
  return 2.0 * static_cast<double>(*device.memory_clock_khz) * 1e3 *
         static_cast<double>(*device.memory_bus_bits) / 8.0;
}

Machine machine_of(const model::Device& device, std::span<const profile::MachineProfile> profiles) {
  Machine machine;
  for (const Path& path : kPaths)
    if (const auto found = profile::find_figure(profiles, path.figure))
      machine.*path.member =
          Ceiling{std::string(path.name), found->value * 1e9 * path.carried, origin_words(*found->from)};
  for (const NamedCurve& each : kCurves)
    if (const auto found = profile::find_curve(profiles, each.name))
      machine.*each.member = KnownCurve{*found->curve, origin_words(*found->from)};
  machine.copy_ns = time_figure(profiles, figure::kCopyFixed);
  machine.launch_ns = time_figure(profiles, figure::kLaunch);
  machine.wavefronts_per_ns = wavefronts_per_ns(machine, device);
  if (device.multiprocessors) {
    machine.multiprocessors = static_cast<double>(*device.multiprocessors);
    machine.schedulers = kSchedulersAMultiprocessor * *machine.multiprocessors;
    if (device.clock_khz) machine.instructions_per_ns = *machine.schedulers * clocks_per_ns(device);
  }
  if (device.max_threads_per_multiprocessor)
    machine.threads_per_multiprocessor = static_cast<double>(*device.max_threads_per_multiprocessor);
  if (device.registers_per_multiprocessor)
    machine.registers_per_multiprocessor = static_cast<double>(*device.registers_per_multiprocessor);
  if (device.shared_bytes_per_multiprocessor)
    machine.shared_bytes_per_multiprocessor = static_cast<double>(*device.shared_bytes_per_multiprocessor);
  KnownChip chip = chip_of(device);
  machine.chip = chip.constants;
  machine.chip_remark = std::move(chip.remark);
  if (!machine.dram)
    if (const auto peak = peak_dram_bandwidth(device)) {
      machine.dram = Ceiling{"DRAM", *peak, std::string(kFromProperties)};
      machine.rates_are_peaks = true;
    }
  return machine;
}

std::vector<Ceiling> ceilings(const Machine& machine) {
  std::vector<Ceiling> known;
  for (const Path& path : kPaths)
    if (machine.*path.member) known.push_back(*(machine.*path.member));
  return known;
}

std::vector<CopyCurve> copy_curves(const Machine& machine) {
  struct Known {
    const std::optional<KnownCurve>& curve;
    model::Direction direction;
    model::MemoryKind host_memory;
  };
  const std::array curves{
      Known{machine.pinned_to_device, model::Direction::host_to_device, model::MemoryKind::pinned},
      Known{machine.pageable_to_device, model::Direction::host_to_device, model::MemoryKind::pageable},
      Known{machine.pinned_to_host, model::Direction::device_to_host, model::MemoryKind::pinned},
      Known{machine.pageable_to_host, model::Direction::device_to_host, model::MemoryKind::pageable}};
  std::vector<CopyCurve> known;
  for (const Known& each : curves) {
    if (!each.curve) continue;
    CopyCurve& copies =
        known.emplace_back(CopyCurve{each.direction, each.host_memory, each.curve->source, {}});
    for (const auto& point : each.curve->curve.points) copies.points.push_back({point.x, point.y * 1e9});
  }
  return known;
}

}  // namespace coalescope::analysis
