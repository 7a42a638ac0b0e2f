#pragma once
// What a repair would save, predicted from traffic and bandwidths: what the prices of several rules are made
// of. The model and its assumptions are in docs/model.md, its error on the twins in docs/accuracy.md.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "reports/analysis/machine/kernel_bounds.h"
#include "reports/analysis/machine/machine.h"
#include "reports/analysis/report.h"
#include "reports/analysis/rules/subjects.h"

namespace coalescope::analysis {

// A kernel that reaches this share of a level's bandwidth is limited by that level, whatever the others do.
inline constexpr double kFull = 0.8;
// A bound of this share of a kernel's time is likelier to hold it up than anything beside it.
inline constexpr double kBusy = 0.5;
// Below this share of every bound the kernel waits for something that no rate here describes.
inline constexpr double kIdle = 0.3;
// Counters of different launches differ by about this much.
inline constexpr double kNoise = 0.02;

inline constexpr std::string_view kNotCalibrated = "not calibrated: run 'coalescope calibrate' on this GPU";

// A predicted saving over all launches; without a figure `basis` says what was missing.
struct Cost {
  std::optional<std::int64_t> lost_ns;
  std::string basis;
  std::optional<std::int64_t> of_ns = {};  // the time that it is a part of, where that is not the subject's
  bool may_be_nothing = false;             // without a figure: as far as is known
  std::int64_t fewer_launches = 0;         // in the run, once repaired
};
[[nodiscard]] Cost unknown_cost(std::string_view basis);
// Cost::fewer_launches where one kernel does what so many did, so often.
[[nodiscard]] std::int64_t fewer_launches(std::int64_t kernels, std::int64_t times);

// What a prediction needs of every kernel; a sentence where something is missing.
[[nodiscard]] std::optional<std::string> missing_input(const KernelRow& kernel, const Machine& machine,
                                                       bool has_work);
[[nodiscard]] std::optional<std::string> missing_input(const KernelRow& kernel, const Machine& machine);

// The measured work, or the least that it can be, as a sentence of the basis tells.
struct KnownWork {
  Work work;
  std::string_view remark;
};
[[nodiscard]] std::optional<KnownWork> known_work_of(const KernelRow& kernel);

// Of the bytes that a level carried beyond those that were asked for, at most as many as the surplus can have
// caused: other traffic (other caches, asynchronous copies) is never put down to it.
[[nodiscard]] double spared(double carried, double asked, double explained);

// What a repair saves, a launch: the slowest resource before it and after, and that of before when repaired.
struct Prediction {
  double saved_ns = 0;
  double spared_ns = 0;        // what the work taken away takes at full rate
  double instructions_ns = 0;  // the least in which the launch can issue its instructions; repairs leave them
  double least_ns = 0;         // what the repaired launch takes at least
  double utilisation = 0;      // of the slowest resource, before
  bool at_peaks = false;       // Machine::rates_are_peaks
  bool is_nothing = false;     // the slowest resource has as much to do as before
  Bound before, same_after, after;
  [[nodiscard]] std::string basis() const;
};
// What is true of a launch and its repair beside the work.
struct Circumstances {
  bool in_turn = false;  // it waits for one request after the other, so that no resource tells what they cost
  double instructions_gone = 0;  // that the repair removes from a launch
};
[[nodiscard]] Prediction predict(const KernelRow& kernel, const Work& work, const Work& repaired,
                                 const Machine& machine, Circumstances circumstances = {});

// The longest of the bounds but L1's, and the time of its instructions, which a repair of something else
// cannot beat; 0 where neither is known.
[[nodiscard]] double floor_ns(const KernelRow& kernel, const Machine& machine);

// What reading `footprint_bytes` from DRAM more than once costs.
[[nodiscard]] Cost reread_cost(const KernelRow& kernel, std::int64_t footprint_bytes, const Machine& machine);

// The GPU time of kernels, as far as they use an L2 window.
[[nodiscard]] double gpu_ns_of(const KernelUse& use);
[[nodiscard]] std::int64_t gpu_ns_of(std::span<const KernelUse> uses);

// Over all launches of a kernel; a repair that would lose time saves none.
[[nodiscard]] std::int64_t total(double ns_a_launch, const KernelRow& kernel);

[[nodiscard]] std::int64_t rounded(double ns);
[[nodiscard]] std::string bytes_text(double bytes);

}  // namespace coalescope::analysis
