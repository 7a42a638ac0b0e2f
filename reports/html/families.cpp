#include "reports/html/families.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace coalescope::html {
namespace {

using model::Calibration;
using model::Verdict;

struct Family {
  std::string_view id, title, parameter;
};
constexpr std::array kFamilies{
    Family{"A1", "sequential, aligned access", "parameter"},
    Family{"A2", "permuted inside the segment", "lane mask"},
    Family{"A3", "copy with an offset", "offset in words"},
    Family{"A4", "copy with a stride", "stride in words"},
    Family{"A5", "grid-strided index", "parameter"},
    Family{"A6", "threads that read the same word", "threads a word"},
    Family{"A7", "elements of 1 to 16 bytes", "bytes an element"},
    Family{"D1", "copies from pageable and from pinned memory", "bytes a copy"},
    Family{"D6", "kernels that read and write host memory (zero-copy)", "parameter"},
};

const Family* find_family(std::string_view id) {
  const auto* found = std::ranges::find(kFamilies, id, &Family::id);
  return found == kFamilies.end() ? nullptr : found;
}

}  // namespace

std::string family_title(std::string_view id) {
  const Family* family = find_family(id);
  return family != nullptr ? fmt::format("{}: {}", id, family->title) : std::string(id);
}

std::string_view family_parameter(std::string_view id) {
  const Family* family = find_family(id);
  return family != nullptr ? family->parameter : "parameter";
}

std::int64_t verdict_count(std::span<const Calibration> rows, Verdict verdict) {
  return std::ranges::count(rows, verdict, &Calibration::verdict);
}

std::string outcome(std::span<const Calibration> rows) {
  const std::int64_t passed = verdict_count(rows, Verdict::pass);
  const std::int64_t failed = verdict_count(rows, Verdict::fail);
  std::string text;
  const auto say = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (passed + failed > 0) say(fmt::format("{} of {} counts exact", passed, passed + failed));
  if (failed > 0) say(fmt::format("{} failed", failed));
  if (const auto n = verdict_count(rows, Verdict::skipped); n > 0) say(fmt::format("{} skipped", n));
  if (const auto n = verdict_count(rows, Verdict::measured); n > 0)
    say(fmt::format("{} {} measured", n, n == 1 ? "figure" : "figures"));
  return text;
}

}  // namespace coalescope::html
