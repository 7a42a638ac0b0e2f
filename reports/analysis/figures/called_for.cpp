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
// The first that fits: "gatherMedian" does not gather, "nll_loss2d_forward_no_reduce_kernel" does not reduce,
// cummax and cummin ("dim_with_indices") have no faster way for a single row, "index_elementwise_kernel" is
// no elementwise kernel in the sense above, and copies of ATen are elementwise kernels.
constexpr std::array kFunctionParts = std::to_array<FunctionPart>({
    {kTorch, "CatArrayBatchedCopy", "", CalledFor::concatenation},
    {kTorch, "gatherKthValue", "", CalledFor::selection},
    {kTorch, "gatherMedian", "", CalledFor::selection},
    {kTorch, "compute_mode", "", CalledFor::selection},
    {kTorch, "dim_with_indices", "", CalledFor::any},
    {kTorch, "tensor_kernel_scan", "", CalledFor::scan},
    {kTorch, "index", "", CalledFor::index},
    {kTorch, "Index", "", CalledFor::index},
    {kTorch, "gather", "", CalledFor::index},
    {kTorch, "scatter", "", CalledFor::index},
    {kTorch, "mbedding", "", CalledFor::index},
    {kTorch, "vectorized_elementwise_kernel", "", CalledFor::vectorised},
    {kTorch, "elementwise_kernel", "copy_kernel", CalledFor::copy},
    {kTorch, "elementwise_kernel", "", CalledFor::elementwise},
    {kTorch, "no_reduce_kernel", "", CalledFor::any},
    {kTorch, "reduce_kernel", "", CalledFor::reduction},
    {kTorch, "cdist_kernel", "", CalledFor::by_row},
    {kTorch, "layer_norm_kernel", "", CalledFor::norm},
    {kTorch, "layer_norm_grad_input", "", CalledFor::norm},
    {kTorch, "RowwiseMoments", "", CalledFor::norm},
    {kTorch, "channels_last", "", CalledFor::any},
    {kTorch, "batch_norm", "", CalledFor::channel_norm},
    {kTorch, "SoftMax", "LogSoftMax", CalledFor::log_softmax},
    {kTorch, "SoftMax", "", CalledFor::softmax},
    {kTorch, "softmax_warp", ", true, ", CalledFor::any},  // of logarithms, too
    {kTorch, "softmax_warp", "", CalledFor::softmax},
    {kTorch, "dropout", "", CalledFor::vectorised},
    {kCupy, "take", "", CalledFor::index},
    {kCupy, "scatter", "", CalledFor::index},
    {kCupy, "__", "", CalledFor::elementwise},  // "cupy_add__float32_float32_float32": a ufunc
    // "wrapped_add" is one operation, "loop_multiply_fusion" some; what else they hold moves elements.
    {kXla, "reduce", "", CalledFor::reduction},
    {kXla, "transpose", "", CalledFor::rearranging},
    {kXla, "slice", "", CalledFor::rearranging},
    {kXla, "gather", "", CalledFor::rearranging},
    {kXla, "scatter", "", CalledFor::rearranging},
    {kXla, "concatenate", "", CalledFor::rearranging},
    {kXla, "pad", "", CalledFor::rearranging},
    {kXla, "reverse", "", CalledFor::rearranging},
    {kXla, "sort", "", CalledFor::rearranging},
    {kXla, "wrapped_", "", CalledFor::elementwise},
    {kXla, "loop_", "", CalledFor::elementwise},
});

// cuBLAS and CUTLASS say in a product's name how many elements it loads at once: "_align8", "_ldg8_".
bool loads_few_elements(std::string_view name) {
  static constexpr std::array<std::string_view, 2> kBefore{"_align", "_ldg"};
  return std::ranges::any_of(kBefore, [&](std::string_view before) {
    const auto at = name.find(before);
    if (at == std::string_view::npos) return false;
    const std::string_view number = name.substr(at + before.size(), 2);
    return (number.starts_with('1') || number.starts_with('2')) &&
           (number.size() < 2 || number[1] < '0' || number[1] > '9');
  });
}

// A product of vectors, such as the gradient of a layer with one output: what it takes is to store the
// matrix, and there is nothing to pad.
bool is_outer(const KernelRow& row) {
  return row.l2_read_sectors && row.l2_write_sectors && *row.l2_write_sectors > *row.l2_read_sectors;
}

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
  if (loads_few_elements(row.full_name)) return is_outer(row) ? CalledFor::any : CalledFor::narrow_product;
  const auto found = std::ranges::find_if(kFunctionParts, [&](const FunctionPart& name) {
    return (name.owner.empty() || name.owner == row.owner) && holds(bare, name.function) &&
           holds(row.full_name, name.declares);
  });
  if (found != kFunctionParts.end()) return found->called_for;
  return applies_a_functor(row) ? CalledFor::functor : CalledFor::any;
}

bool divides_by_rows(CalledFor use) {
  return use == CalledFor::selection || use == CalledFor::scan || use == CalledFor::softmax ||
         use == CalledFor::log_softmax || use == CalledFor::norm;
}

bool is_elementwise(CalledFor use) {
  return use == CalledFor::elementwise || use == CalledFor::vectorised || use == CalledFor::copy;
}

}  // namespace coalescope::analysis
