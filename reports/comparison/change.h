#pragma once
// The one place that says whether a number changed from one recording to the next.
//
// Counts of a launch (sectors, requests, bytes) are the same in each recording of one program, unless
// launches that share a kernel and a shape do different things, and each recording measured others of them.
// So a count changed if it differs by more than those launches do:
//
//   both recordings measured several launches, and all agree    any difference counts
//   several, and they differ                                    by more than twice as much, and kOneLaunch
//   one of them measured a single launch                        by more than kOneLaunch
//
// A difference that is less than kLeastShare of what the kernel moves counts for nothing. Ratios changed if
// the counts did that they are made of. Times, and traffic that other work on the GPU changes, are judged
// with a noise of their own, and decide nothing.

#include <cstdint>
#include <optional>
#include <string>

#include "reports/analysis/report.h"
#include "reports/comparison/comparison.h"

namespace coalescope::comparison {

// Repeated recordings of a GPT (104 shapes), a convolutional network, LU, multigrid and others on an H100:
// where one launch of each was measured, counts differed by up to 1 %.
inline constexpr double kOneLaunch = 0.02;
inline constexpr double kLeastShare = 0.001;
// The same recordings: times of kernels, and L2's sectors. DRAM's bytes, which
// differed by up to three quarters, are not compared.
inline constexpr double kTimeNoise = 0.1, kL2Noise = 0.1;
// Of the run from its start to its end, with what the machine did beside it and what recording took.
inline constexpr double kDurationNoise = 0.5;
// Of a long recording, which lists a part of the launches and counts the others.
inline constexpr double kCountedNoise = 0.15;

// From how far the launches that were measured differ (KernelRow::launch_spread) before and after.
[[nodiscard]] double noise_of(std::optional<double> before_spread, std::optional<double> after_spread);

// More is worse. `least` is the smallest absolute difference that counts. Missing on a side: the same.
[[nodiscard]] Judgement judge(std::optional<double> before, std::optional<double> after, double noise,
                              double least = 0);

// |after - before| / before; nullopt: one is missing, or there was nothing before.
[[nodiscard]] std::optional<double> relative(const Number& number);

// Of the number of launches and transfers.
[[nodiscard]] double number_noise(const analysis::Report& before, const analysis::Report& after);

// What a time must change by to be worth a word.
[[nodiscard]] double least_time(const analysis::Report& report);

// Better and worse together are `changed`.
[[nodiscard]] Judgement both(Judgement one, Judgement other);

}  // namespace coalescope::comparison
