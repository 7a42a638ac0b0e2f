#include "reports/html/curves.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <tuple>

#include "core/profile/spreads.h"
#include "reports/analysis/figures/families.h"

namespace coalescope::html {
namespace {

using analysis::family_parameter;
using analysis::quantity_words;
using model::Calibration;
using model::Verdict;

struct Words {
  std::string_view key, words;
};
// What the abscissa of these cases counts, where the family has others besides.
constexpr std::array kParameters{
    Words{"footprint", "bytes of the array"},
    Words{"footprint_of_all", "bytes of the array"},
    Words{"hit_rate", "share of the loads that stay in L2"},
    Words{"residency_off", "bytes of the region"},
    Words{"residency_full", "bytes of the region"},
    Words{"residency_tuned", "bytes of the region"},
    Words{"residency_fixed", "bytes of the region"},
    Words{"residency_own_off", "bytes of the region, each part read by one SM"},
    Words{"residency_own_full", "bytes of the region, each part read by one SM"},
    Words{"residency_own_tuned", "bytes of the region, each part read by one SM"},
    Words{"residency_update_off", "bytes of the region, which is updated"},
    Words{"residency_update_full", "bytes of the region, which is updated"},
    Words{"residency_update_tuned", "bytes of the region, which is updated"},
    Words{"residency_light_off", "bytes of the region, beside a small stream"},
    Words{"residency_light_full", "bytes of the region, beside a small stream"},
    Words{"residency_light_tuned", "bytes of the region, beside a small stream"},
    Words{"windows_off", "streams"},
    Words{"windows_full", "streams"},
    Words{"windows_shared", "streams"},
    Words{"call_host_to_device_pinned", "bytes per copy, as the host sees it"},
    Words{"call_host_to_device_pageable", "bytes per copy, as the host sees it"},
    Words{"call_device_to_host_pinned", "bytes per copy, as the host sees it"},
    Words{"call_device_to_host_pageable", "bytes per copy, as the host sees it"},
    Words{"copy_in_pieces", "bytes per piece"},
    Words{"staged_transfer_bound", "streams"},
    Words{"staged_compute_bound", "streams"},
    Words{"touch_zero_copy", "times that each byte is read"},
    Words{"touch_staged", "times that each byte is read"},
    Words{"dram_sectors", "sectors per request"},
    Words{"l2_sectors", "sectors per request"},
    Words{"shared_conflicts", "degree of the bank conflict"},
    Words{"constant_loads", "distinct addresses of a warp"},
    Words{"atomics", "distinct addresses"},
    Words{"partial_block_copy", "threads per block"},
    Words{"live_words", "registers per thread"},
    Words{"needed_share_l1", "stride in words"},
    Words{"needed_share_l2", "stride in words"},
    Words{"needed_share_dram", "stride in words"},
};

// Counts are known by what one request takes.
struct Ratio {
  std::string_view count, requests, title;
};
constexpr std::array kRatios{
    Ratio{"global_load_sectors", "global_load_requests", "Sectors per load request"},
    Ratio{"global_store_sectors", "global_store_requests", "Sectors per store request"},
    Ratio{"instruction_shared_wavefronts", "instruction_shared_requests",
          "Wavefronts per shared-memory request"},
};

std::string series_of(const Calibration& row) {
  return row.case_id.substr(0, row.case_id.rfind('/'));
}

std::string parameter_of(const Calibration& row) {
  const auto* const found = std::ranges::find(kParameters, series_of(row), &Words::key);
  return std::string(found == kParameters.end() ? family_parameter(row.family) : found->words);
}

// Pictures in the order in which their first point comes, whatever stands between their points.
class Album {
 public:
  explicit Album(std::string_view family) : family_(family) {}

  Picture& page(const std::string& title, const std::string& x, const std::string& unit) {
    const auto [place, is_new] = places_.emplace(std::tuple(title, x, unit), pictures_.size());
    if (is_new) pictures_.emplace_back(Picture{"", family_, title, x, unit, {}});
    return pictures_[place->second];
  }

  std::vector<Picture> finished() && {
    std::erase_if(pictures_, [](const Picture& picture) { return picture.points.size() < 2; });
    for (std::size_t i = 0; i < pictures_.size(); ++i)
      pictures_[i].id = i == 0 ? "curve-" + family_ : fmt::format("curve-{}-{}", family_, i + 1);
    return std::move(pictures_);
  }

 private:
  std::string family_;
  std::vector<Picture> pictures_;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> places_;
};

void add_figures(Album& album, std::span<const Calibration> rows) {
  const profile::Spreads spreads(rows);
  for (const Calibration& row : rows) {
    if (row.verdict != Verdict::measured || !row.measured || profile::is_spread(row)) continue;
    Picture& picture =
        album.page(quantity_words(row.quantity), row.abscissa ? parameter_of(row) : std::string(), row.unit);
    picture.points.push_back({row.abscissa ? series_of(row) : row.case_id, row.abscissa.value_or(0),
                              *row.measured, spreads.of(row), row.expected});
  }
}

// One value for all parameters is no curve.
bool is_level(const Picture& picture) {
  return std::ranges::all_of(picture.points, [&](const PicturePoint& point) {
    return point.expected == picture.points.front().expected && point.y == picture.points.front().y;
  });
}

void add_ratios(Album& album, std::span<const Calibration> rows) {
  for (const Ratio& ratio : kRatios) {
    std::map<std::string, const Calibration*> requests;
    for (const Calibration& row : rows)
      if (row.quantity == ratio.requests && row.abscissa) requests[row.case_id] = &row;
    std::map<std::string, Picture> made;  // by the parameter
    for (const Calibration& row : rows) {
      const auto found = requests.find(row.case_id);
      if (row.quantity != ratio.count || found == requests.end() || !row.measured || !row.expected) continue;
      const Calibration& by = *found->second;
      if (!by.measured || !by.expected || *by.measured <= 0 || *by.expected <= 0) continue;
      made[parameter_of(row)].points.push_back({series_of(row), *row.abscissa, *row.measured / *by.measured,
                                                std::nullopt, *row.expected / *by.expected});
    }
    for (auto& [parameter, picture] : made)
      if (!is_level(picture))
        album.page(std::string(ratio.title), parameter, "").points = std::move(picture.points);
  }
}

}  // namespace

std::vector<Picture> pictures_of(std::string_view family, std::span<const Calibration> rows) {
  Album album(family);
  add_figures(album, rows);
  add_ratios(album, rows);
  return std::move(album).finished();
}

}  // namespace coalescope::html
