#include "reports/analysis/rows/kernel_owners.h"

#include <string_view>
#include <unordered_map>

#include "reports/analysis/figures/kernel_origin.h"

namespace coalescope::analysis {

void name_owners(std::vector<KernelRow>& kernels, std::span<const LineRow> lines) {
  std::unordered_map<std::int64_t, std::string_view> by_kernel;
  for (const LineRow& line : lines) {
    if (!line.file) continue;
    const auto [place, is_new] = by_kernel.try_emplace(line.kernel_id, *line.file);
    if (!is_new && !python_package(place->second).empty()) place->second = *line.file;
  }
  std::unordered_map<std::string_view, std::string_view> by_name;
  for (const KernelRow& row : kernels)
    if (const auto own = by_kernel.find(row.id); own != by_kernel.end())
      by_name.try_emplace(row.mangled_name, own->second);
  for (KernelRow& row : kernels) {
    const auto own = by_kernel.find(row.id);
    const auto same = by_name.find(row.mangled_name);
    const std::string_view source = own != by_kernel.end()  ? own->second
                                    : same != by_name.end() ? same->second
                                                            : std::string_view{};
    const std::string held = row.code_file.value_or(""), loaded = row.code_loader.value_or("");
    KernelOrigin origin = kernel_origin(row.mangled_name, row.full_name, {source, held, loaded});
    row.origin = origin.origin;
    row.owner = std::move(origin.owner);
  }
}

}  // namespace coalescope::analysis
