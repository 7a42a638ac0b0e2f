#pragma once
// What may stand in a capture, so that no file can make a report compute or hold more than it is made for.
// This is checked once, where columns are read (cells.h), and nowhere else:
//  - a number is within the range of its column, which is declared with the column or follows from its type;
//  - the numbers of a column that are added up anywhere are together at most kMostTogether, so that neither
//  the sum of
//    any of them nor a sum of a few such sums overflows;
//  - a real number is finite, and small enough to become a whole one;
//  - a text is not longer, and the texts of one query are together not longer, than any program's names.
// A file that breaks one of these is damaged or forged. Only counters are taken as they are (kAnyNumber): an
// impossible count is left out of the report, which says so.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace coalescope::capture {

struct Range {
  std::int64_t least;
  std::int64_t most;
  bool added_up;

  constexpr bool operator==(const Range&) const = default;
};

inline constexpr std::int64_t kMostTogether = std::int64_t{1} << 60;

// Bytes, nanoseconds, how many: a double holds each of them exactly.
inline constexpr Range kAmount{0, std::int64_t{1} << 53, true};
// Bytes that were added up over a run of days.
inline constexpr Range kTotal{0, kMostTogether, true};
// What only tells things apart: ids, streams, lines.
inline constexpr Range kNumber{0, std::int64_t{1} << 53, false};
// Nanoseconds since the capture began; merged captures may have begun years apart.
inline constexpr Range kMoment{-(std::int64_t{1} << 61), std::int64_t{1} << 61, false};
// A copy that was under way when its process was killed may have a beginning and no end.
inline constexpr Range kTransferTime{kMoment.least, kAmount.most, true};
inline constexpr Range kUnixTime{0, std::int64_t{1} << 62, false};
inline constexpr Range kAddress{0, std::int64_t{1} << 62, false};
// What others chose: exit statuses, ranks.
inline constexpr Range kSmallNumber{std::numeric_limits<std::int32_t>::min(),
                                    std::numeric_limits<std::int32_t>::max(), false};
inline constexpr Range kAnyNumber{std::numeric_limits<std::int64_t>::min(),
                                  std::numeric_limits<std::int64_t>::max(), false};

inline constexpr double kMostReal = 1e18;
inline constexpr std::size_t kMostTextBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMostTextBytesTogether = std::size_t{1} << 28;

// Names that many rows of a report repeat, such as that of a kernel: with a million rows none of them is
// long. Every format writes them for each row, so that they are held apart costs no more than that.
inline constexpr std::size_t kMostNamesTogether = std::size_t{1} << 24;
[[nodiscard]] constexpr std::size_t share_of(std::size_t together, std::size_t rows) {
  constexpr std::size_t kLeast = 64;
  return std::max(kLeast, together / std::max<std::size_t>(1, rows));
}
[[nodiscard]] inline std::string cut(std::string_view text, std::size_t most) {
  return text.size() <= most ? std::string(text) : std::string(text.substr(0, most)) + "...";
}

}  // namespace coalescope::capture
