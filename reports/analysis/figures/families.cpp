#include "reports/analysis/figures/families.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <tuple>

#include "core/base/units.h"
#include "core/profile/spreads.h"

namespace coalescope::analysis {
namespace {

using model::Calibration;
using model::Verdict;

struct Words {
  std::string_view key, words;
};
constexpr std::array kQuantities{
    Words{"bandwidth_gb_s", "Bandwidth"},
    Words{"time_ns", "Time"},
    Words{"time_share", "Time, as a share of copy and kernel in turn"},
    Words{"idle_share", "Share of the time in which no kernel ran"},
    Words{"rate_g_s", "Rate"},
    Words{"l2_hit_rate", "Share of the sectors that L2 held"},
    Words{"needed_share", "Share of the carried bytes that was requested"},
};

struct Family {
  std::string_view id, title, parameter;
};
constexpr std::array kFamilies{
    Family{"A1", "sequential, aligned access", "parameter"},
    Family{"A2", "permuted inside the segment", "lane mask"},
    Family{"A3", "copy with an offset", "offset in words"},
    Family{"A4", "copy with a stride", "stride in words"},
    Family{"A5", "grid-strided index", "parameter"},
    Family{"A6", "threads that read the same word", "threads per word"},
    Family{"A7", "elements of 1 to 16 bytes", "bytes per element"},
    Family{"A8", "structures of 7, 12 and 16 bytes", "bytes per structure"},
    Family{"A9", "rows with and without pitch", "words per row"},
    Family{"A10", "matrix transpose", "parameter"},
    Family{"A11", "scattered reads", "span of the indices in words"},
    Family{"A12", "partial warps", "active lanes per warp"},
    Family{"B1", "shared memory with a stride", "stride in words"},
    Family{"B2", "shared memory that many lanes read", "lanes per word"},
    Family{"B3", "corner turning", "pitch of the tile in words"},
    Family{"B4", "global to shared memory", "bytes per element"},
    Family{"B5", "constant memory", "distinct addresses of a warp"},
    Family{"B6", "local memory", "words per array"},
    Family{"B7", "atomics", "distinct addresses"},
    Family{"C1", "what stays in L2", "bytes of the array"},
    Family{"C2", "L2 residency control, hitRatio 1.0", "bytes of the region"},
    Family{"C3", "L2 residency control, hitRatio fitted to the set-aside", "bytes of the region"},
    Family{"C4", "after the use of an L2 window", "parameter"},
    Family{"C5", "L2 windows at once, and in graphs", "streams"},
    Family{"D1", "copies from pageable and from pinned memory", "bytes per copy"},
    Family{"D2", "many small copies", "bytes per piece"},
    Family{"D3", "a GPU that waits for copies", "parameter"},
    Family{"D4", "copy and compute, staged", "streams"},
    Family{"D5", "through the host and back", "parameter"},
    Family{"D6", "kernels that read and write host memory (zero-copy)", "parameter"},
    Family{"D7", "managed memory", "parameter"},
    Family{"D8", "kinds of pointers, and copies between GPUs", "parameter"},
    Family{"E1", "ceilings of DRAM and L2", "sectors per request"},
    Family{"E2", "what a launch costs", "parameter"},
    Family{"E3", "bytes requested and bytes carried", "stride in words"},
};

const Family* find_family(std::string_view id) {
  const auto* found = std::ranges::find(kFamilies, id, &Family::id);
  return found == kFamilies.end() ? nullptr : found;
}

// "A2" before "A10".
bool comes_first(const Calibration& a, const Calibration& b) {
  const auto key = [](const std::string& family) {
    return std::tuple(family.substr(0, 1), family.size(), std::string_view(family));
  };
  return key(a.family) < key(b.family);
}

}  // namespace

std::string quantity_words(std::string_view key) {
  const auto* const found = std::ranges::find(kQuantities, key, &Words::key);
  if (found != kQuantities.end()) return std::string(found->words);
  std::string words(key);
  std::ranges::replace(words, '_', ' ');
  return words;
}

std::vector<Calibration> by_family(std::vector<Calibration> rows) {
  std::stable_sort(rows.begin(), rows.end(), comes_first);
  return rows;
}

std::string family_title(std::string_view id) {
  const Family* family = find_family(id);
  return family != nullptr ? fmt::format("{}: {}", id, family->title) : std::string(id);
}

std::string_view family_parameter(std::string_view id) {
  const Family* family = find_family(id);
  return family != nullptr ? family->parameter : "parameter";
}

std::vector<std::span<const Calibration>> families_of(std::span<const Calibration> rows) {
  std::vector<std::span<const Calibration>> families;
  while (!rows.empty()) {
    const auto end =
        std::ranges::find_if(rows, [&](const Calibration& row) { return row.family != rows.front().family; });
    families.push_back(rows.first(static_cast<std::size_t>(end - rows.begin())));
    rows = rows.subspan(families.back().size());
  }
  return families;
}

std::int64_t verdict_count(std::span<const Calibration> rows, Verdict verdict) {
  return std::ranges::count_if(
      rows, [&](const Calibration& row) { return row.verdict == verdict && !profile::is_spread(row); });
}

std::string outcome(std::span<const Calibration> rows) {
  const std::int64_t passed = verdict_count(rows, Verdict::pass);
  const std::int64_t failed = verdict_count(rows, Verdict::fail);
  std::string text;
  const auto say = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (passed + failed > 0)
    say(fmt::format("{} of {} counts exact", base::format_count(passed),
                    base::format_count(passed + failed)));
  if (failed > 0) say(base::format_count(failed) + " failed");
  if (const auto n = verdict_count(rows, Verdict::skipped); n > 0) say(base::format_count(n) + " skipped");
  if (const auto n = verdict_count(rows, Verdict::measured); n > 0)
    say(fmt::format("{} {} measured", base::format_count(n), n == 1 ? "figure" : "figures"));
  return text;
}

}  // namespace coalescope::analysis
