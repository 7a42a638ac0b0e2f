#include "injection/cupti/kernel_code.h"

#include <algorithm>
#include <iterator>

namespace coalescope::cupti {
namespace {

std::optional<std::int64_t> checksum_of(const CuptiApi& api, Cubin cubin) {
  CUpti_GetCubinCrcParams params{};
  params.size = CUpti_GetCubinCrcParamsSize;
  params.cubinSize = cubin.size();
  params.cubin = cubin.data();
  if (api.cuptiGetCubinCrc(&params) != CUPTI_SUCCESS) return std::nullopt;
  return static_cast<std::int64_t>(params.cubinCrc);
}

}  // namespace

std::optional<KernelCode> code_by_names(std::span<const Cubin> cubins, CubinSections& sections,
                                        LineTables& tables, const std::set<KernelPlace>& wanted) {
  KernelCode found;
  for (const KernelPlace& place : wanted) {
    const auto holds = [&](Cubin cubin) { return sections.holds_function(cubin, place.function); };
    const auto holder = std::ranges::find_if(cubins, holds);
    if (holder == cubins.end() || std::any_of(std::next(holder), cubins.end(), holds)) return std::nullopt;
    if (sections.holds_lines(*holder) && !tables.holds(*holder, place.function)) return std::nullopt;
    found.emplace(place, *holder);
  }
  return found;
}

KernelCode code_by_checksums(const CuptiApi& api, std::span<const Cubin> cubins, CubinSections& sections,
                             std::set<KernelPlace> wanted) {
  KernelCode found;
  for (const Cubin& cubin : cubins) {
    // What cannot be read may hold anything.
    const auto may_hold = [&](const KernelPlace& place) {
      return !sections.can_be_read(cubin) || sections.holds_function(cubin, place.function);
    };
    if (std::ranges::none_of(wanted, may_hold)) continue;
    const auto crc = checksum_of(api, cubin);
    std::erase_if(wanted, [&](const KernelPlace& place) {
      const bool is_it = place.module_crc == crc && may_hold(place);
      if (is_it) found.emplace(place, cubin);
      return is_it;
    });
    if (wanted.empty()) break;
  }
  return found;
}

}  // namespace coalescope::cupti
