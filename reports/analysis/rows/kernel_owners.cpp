#include "reports/analysis/rows/kernel_owners.h"

#include <string_view>
#include <unordered_map>

#include "reports/analysis/figures/kernel_origin.h"

namespace coalescope::analysis {
namespace {

using FilesOfKernels = std::unordered_map<std::int64_t, std::string_view>;  // by KernelRow::id

FilesOfKernels files_of_kernels(std::span<const LineRow> lines) {
  FilesOfKernels files;
  for (const LineRow& line : lines) {
    if (!line.file) continue;
    const auto [place, is_new] = files.try_emplace(line.kernel_id, *line.file);
    if (!is_new && !python_package(place->second).empty()) place->second = *line.file;
  }
  return files;
}

// Shapes without lines of their own have those of the kernel.
void add_other_shapes(FilesOfKernels& files, std::span<const KernelRow> kernels) {
  std::unordered_map<std::string_view, std::string_view> by_name;
  for (const KernelRow& row : kernels)
    if (const auto own = files.find(row.id); own != files.end())
      by_name.try_emplace(row.mangled_name, own->second);
  for (const KernelRow& row : kernels)
    if (const auto same = by_name.find(row.mangled_name); same != by_name.end())
      files.try_emplace(row.id, same->second);
}

}  // namespace

void name_owners(std::vector<KernelRow>& kernels, std::span<const LineRow> lines) {
  FilesOfKernels files = files_of_kernels(lines);
  add_other_shapes(files, kernels);
  for (KernelRow& row : kernels) {
    const std::string held = row.code_file.value_or(""), loaded = row.code_loader.value_or("");
    KernelOrigin origin = kernel_origin(row.mangled_name, row.full_name, {files[row.id], held, loaded});
    row.origin = origin.origin;
    row.owner = std::move(origin.owner);
  }
}

}  // namespace coalescope::analysis
