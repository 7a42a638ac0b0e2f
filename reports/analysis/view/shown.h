#pragma once
// A value as people see it, in whichever format: rounded for the eye, exact beside it, and words where it is
// missing.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/analysis/fields.h"
#include "reports/analysis/report.h"

namespace coalescope::analysis {

struct Shown {
  // `none`: the kernel has nothing of the kind. `not_measured`: it may have. `unknown`: no phase measures it.
  enum class State { there, none, not_measured, unknown };

  std::string text;             // "61.6 us"; else "none", "TMA", "n/m", "unknown"
  std::string exact;            // "61,600 ns"
  std::optional<double> order;  // what a column is sorted by
  State state = State::there;
  std::string brief, reason;  // why it is not there, in a few words and with what to do
};

inline constexpr std::string_view kNotMeasured = "n/m", kNone = "none", kUnknown = "unknown";
// Instead of "none", where the kernel has no loads or stores because it moves its data by TMA.
inline constexpr std::string_view kByTma = "TMA";
[[nodiscard]] Shown not_there(Shown::State state);

[[nodiscard]] Shown shown(Show show, std::string_view unit, std::int64_t value);
[[nodiscard]] Shown shown(Show show, std::string_view unit, double value);
[[nodiscard]] Shown shown(std::string_view text);
[[nodiscard]] Shown shown(const std::array<std::int64_t, 3>& size, std::string_view unit);
[[nodiscard]] Shown shown(const std::vector<std::string>& words);
[[nodiscard]] Shown shown(const Samples& samples);
[[nodiscard]] Shown shown(const Mixed& mixed);
// One value where both look the same, else "12 % to 98 %".
[[nodiscard]] Shown shown_range(Shown least, const Shown& greatest);

// A value that may be missing, where the field's declaration tells no more of it.
template <class Value>
[[nodiscard]] std::string text_of(Show show, const std::optional<Value>& value,
                                  std::string_view otherwise = kNotMeasured) {
  return value ? shown(show, "", *value).text : std::string(otherwise);
}

// Why a phase has nothing of the row.
struct Why {
  std::string brief, reason;
};
[[nodiscard]] Why why_missing(const KernelRow& row, model::Phase phase, std::optional<model::Phase> also);
[[nodiscard]] Why why_missing(const KernelFamily& row, model::Phase phase, std::optional<model::Phase> also);
// There are no accesses of the kind, and TMA moves data instead.
[[nodiscard]] bool leaves_it_to_tma(const KernelRow& row, const Access& access);
[[nodiscard]] bool leaves_it_to_tma(const KernelFamily& row, const KernelFamily& same);
// "3 of 400 launches measured".
[[nodiscard]] std::string sampled(const KernelRow& row, model::Phase phase);
[[nodiscard]] std::string sampled(const KernelFamily& row, model::Phase phase);
// "248 ms to 292 ms"; empty where nothing is saved, or it is not known.
[[nodiscard]] std::string range_of_loss(const Finding& finding);
// "1.3 % of the GPU time"; of what shortens the run and saves no GPU time "7.6 % of the run"; empty
// where it is not known.
[[nodiscard]] std::string share_of_loss(const Finding& finding, const Report& report);
[[nodiscard]] std::string samples_text(const Samples& samples);

// "61,600 ns", "1,048,576 bytes".
[[nodiscard]] std::string exact_count(std::int64_t count, std::string_view unit);
[[nodiscard]] std::string exact_share(double share);
[[nodiscard]] std::string exact_bandwidth(double bytes_per_second);

// "1 launch", "4,212 launches".
[[nodiscard]] std::string counted(std::int64_t count, std::string_view one, std::string_view many);

// "strided; far apart".
[[nodiscard]] std::string joined(const std::vector<std::string>& words, std::string_view between = "; ");

// An enumeration's name as people write it: "host_to_device" is "host to device".
[[nodiscard]] std::string spoken(std::string_view name);

// "hits" becomes "Hits"; and "Degree" "degree", but "DRAM" stays.
[[nodiscard]] std::string upper_first(std::string_view text);
[[nodiscard]] std::string lower_first(std::string_view text);

// At most `most` characters, the rest as an ellipsis.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t most = 60);

// "transpose.cu:41", or the offset in the kernel's code.
[[nodiscard]] std::string place_of(const LineRow& row);

}  // namespace coalescope::analysis
