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
// `otherwise`: where there is no number.
std::string cell(const analysis::Spread& spread, std::string_view otherwise, std::string (*format)(double),
                 double unit, std::string_view suffix) {
  if (!spread.least) return std::string(otherwise);
  std::string one = format(*spread.least);
  if (one == format(*spread.greatest)) return one;
  const auto least = fmt::format("{:.0f}", *spread.least * unit);
  const auto greatest = fmt::format("{:.0f}", *spread.greatest * unit);
  return (least == greatest ? least : least + "-" + greatest) + std::string(suffix);
}
std::string degree_cell(const analysis::Spread& degree, std::string_view otherwise) {
  return cell(degree, otherwise, base::format_share, 100, " %");
}
std::string sectors_cell(const analysis::Spread& sectors, std::string_view otherwise) {
  return cell(sectors, otherwise, base::format_ratio, 1, "");
}

}  // namespace

std::string kernel_heading_above(std::string_view title, std::size_t width) {
  return begin_of_line(title, "", "", width) + right("coalesced", 2 * kDegree) +
         right("sectors/req.", 2 * kSectors) + right("L2", kHits);
}

std::string kernel_heading(std::string_view name_title, std::string_view time_title, std::size_t width) {
  return begin_of_line(name_title, time_title, "share", width) + right("loads", kDegree) +
         right("stores", kDegree) + right("loads", kSectors) + right("stores", kSectors) +
         right("hits", kHits);
}

std::string kernel_line(std::string_view name, std::string_view time, std::string_view share,
                        const analysis::KernelFamily& family, std::size_t width) {
  const auto nothing = family.uses_tma ? analysis::kByTma : analysis::kNone;
  const auto no_load = family.has_loads ? analysis::kNotMeasured : nothing;
  const auto no_store = family.has_stores ? analysis::kNotMeasured : nothing;
  return begin_of_line(name, time, share, width) + right(degree_cell(family.load_degree, no_load), kDegree) +
         right(degree_cell(family.store_degree, no_store), kDegree) +
         right(sectors_cell(family.load_sectors_per_request, no_load), kSectors) +
         right(sectors_cell(family.store_sectors_per_request, no_store), kSectors) +
         right(degree_cell(family.l2_hit_ratio, analysis::kNotMeasured), kHits);
}

std::string name_before(std::string_view name, const std::vector<std::string>& after, std::size_t width) {
  const std::size_t room = name_width(width);
  const std::size_t least = std::min(width_of(name), std::max(kLeastOfName, room * 3 / 5));
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

std::string time_cell(const std::optional<std::int64_t>& ns) {
  return analysis::text_of(analysis::Show::ns, ns, analysis::kUnknown);
}

std::string share_or_blank(const std::optional<double>& share) {
  return analysis::text_of(analysis::Show::share, share, "");
}

std::string name_of_family(const analysis::KernelFamily& family) {
  return family.name.empty() ? "(no name)" : clean(family.name);
}

}  // namespace coalescope::text
