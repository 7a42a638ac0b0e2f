#include "reports/text/kernel_columns.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/view/shown.h"
#include "reports/text/cells.h"

namespace coalescope::text {
namespace {

constexpr std::size_t kTime = 9, kShare = 9, kDegree = 9, kSectors = 7, kHits = 9;
constexpr std::size_t kMeasurements = 2 * kDegree + 2 * kSectors + kHits;
constexpr std::size_t kLeastName = 16;
// Of a name, before what comes after it: less tells nobody which kernel it is.
constexpr std::size_t kLeastOfName = 14;

std::size_t name_width(std::size_t width) {
  return std::max(kLeastName, width - std::min(width, kTime + kShare + kMeasurements));
}

// Never as wide as its column, so that two numbers cannot run together.
std::string right(std::string_view text, std::size_t width) {
  return pad_left(cut_end(text, width - 1), width);
}

std::string begin_of_line(std::string_view name, std::string_view time, std::string_view share,
                          std::size_t width) {
  const std::size_t room = name_width(width);
  return pad_right(cut_middle(name, room), room) + right(time, kTime) + right(share, kShare);
}

// One number where all shapes agree as far as it is shown, else from the least to the greatest: "12-98 %".
std::string cell(const analysis::Spread& spread, bool there, std::string (*format)(double), double unit,
                 std::string_view suffix) {
  if (!spread.least) return std::string(there ? analysis::kNotMeasured : analysis::kNone);
  std::string one = format(*spread.least);
  if (one == format(*spread.greatest)) return one;
  const auto least = fmt::format("{:.0f}", *spread.least * unit);
  const auto greatest = fmt::format("{:.0f}", *spread.greatest * unit);
  return (least == greatest ? least : least + "-" + greatest) + std::string(suffix);
}
std::string degree_cell(const analysis::Spread& degree, bool there) {
  return cell(degree, there, base::format_share, 100, " %");
}
std::string sectors_cell(const analysis::Spread& sectors, bool there) {
  return cell(sectors, there, base::format_ratio, 1, "");
}

}  // namespace

std::string kernel_heading_above(std::string_view title, std::size_t width) {
  return begin_of_line(title, "", "", width) + right("coalesced", 2 * kDegree) +
         right("sectors/req.", 2 * kSectors) + right("L2", kHits);
}

std::string kernel_heading(std::string_view time_title, std::size_t width) {
  return begin_of_line("", time_title, "share", width) + right("loads", kDegree) + right("stores", kDegree) +
         right("loads", kSectors) + right("stores", kSectors) + right("hits", kHits);
}

std::string kernel_line(std::string_view name, std::string_view time, std::string_view share,
                        const analysis::KernelFamily& family, std::size_t width) {
  return begin_of_line(name, time, share, width) +
         right(degree_cell(family.load_degree, family.has_loads), kDegree) +
         right(degree_cell(family.store_degree, family.has_stores), kDegree) +
         right(sectors_cell(family.load_sectors_per_request, family.has_loads), kSectors) +
         right(sectors_cell(family.store_sectors_per_request, family.has_stores), kSectors) +
         right(degree_cell(family.l2_hit_ratio, true), kHits);
}

std::string name_before(std::string_view name, const std::vector<std::string>& after, std::size_t width) {
  const std::size_t room = name_width(width), least = std::min(width_of(name), kLeastOfName);
  std::string text;
  for (const std::string& part : after) {
    if (width_of(text) + width_of(part) + least > room) break;
    text += part;
  }
  return cut_middle(name, room - width_of(text)) + text;
}

std::string other_line(std::string_view name, std::string_view time, std::string_view share,
                       std::string_view text, std::size_t width) {
  return begin_of_line(name, time, share, width) + right(text, kMeasurements);
}

}  // namespace coalescope::text
