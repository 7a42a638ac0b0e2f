#include "reports/analysis/figures/called_for.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "reports/analysis/figures/declaration.h"
#include "reports/analysis/figures/kernel_origin.h"
#include "reports/analysis/figures/layout_kernels.h"
#include "reports/analysis/figures/owners.h"

namespace coalescope::analysis {
namespace {

// A part of the function's name, or of its template arguments and parameters.
struct FunctionPart {
  std::string_view owner;
  std::string_view function;
  std::string_view declares;
  CalledFor called_for;
};
// The first that fits: "index_elementwise_kernel" is no elementwise kernel in the sense above, and copies of
// ATen are elementwise kernels.
constexpr std::array kFunctionParts = std::to_array<FunctionPart>({
    {kTorch, "CatArrayBatchedCopy", "", CalledFor::concatenation},
    {kTorch, "index", "", CalledFor::index},
    {kTorch, "Index", "", CalledFor::index},
    {kTorch, "gather", "", CalledFor::index},
    {kTorch, "scatter", "", CalledFor::index},
    {kTorch, "mbedding", "", CalledFor::index},
    {kTorch, "vectorized_elementwise_kernel", "", CalledFor::vectorised},
    {kTorch, "elementwise_kernel", "copy_kernel", CalledFor::copy},
    {kTorch, "elementwise_kernel", "", CalledFor::elementwise},
    {kTorch, "reduce_kernel", "", CalledFor::reduction},
    {kCupy, "take", "", CalledFor::index},
    {kCupy, "scatter", "", CalledFor::index},
});

bool applies_a_functor(const KernelRow& row) {
  static constexpr std::array<std::string_view, 3> kEachElement{"for_each", "parallel_for", "transform"};
  if (std::ranges::none_of(
          kEachElement, [&](std::string_view name) { return row.full_name.find(name) != std::string::npos; }))
    return false;
  return !kernel_origin(row.mangled_name, row.full_name).functor.empty();
}

}  // namespace

CalledFor called_for(const KernelRow& row) {
  const std::string function = qualified_function(row.full_name);
  const std::string own(split_outside_brackets(function, "::").back());
  const std::string_view bare = std::string_view(own).substr(0, own.find('<'));
  const auto holds = [](std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
  };
  if (converts_layout(bare)) return CalledFor::layout;
  const auto found = std::ranges::find_if(kFunctionParts, [&](const FunctionPart& name) {
    return (name.owner.empty() || name.owner == row.owner) && holds(bare, name.function) &&
           holds(row.full_name, name.declares);
  });
  if (found != kFunctionParts.end()) return found->called_for;
  return applies_a_functor(row) ? CalledFor::functor : CalledFor::any;
}

}  // namespace coalescope::analysis
