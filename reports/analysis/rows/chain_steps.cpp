#include "reports/analysis/rows/chain_steps.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "core/base/whole.h"
#include "reports/analysis/figures/called_for.h"
#include "reports/analysis/figures/copy_kernels.h"
#include "reports/analysis/figures/owners.h"
#include "reports/analysis/figures/ratios.h"

namespace coalescope::analysis {
namespace {

constexpr std::int64_t kPointerBytes = 8;

using Pointers = std::vector<const model::GroupPointer*>;

// PyTorch passes the addresses of the result and the operands in this order, behind all else that is in their
// structure; a reduction passes others beside them. CuPy passes the result last.
void take_addresses(ChainStep& step, Pointers pointers, bool result_is_last) {
  std::ranges::sort(pointers, {},
                    [](const model::GroupPointer* each) { return std::pair(each->parameter, each->byte); });
  std::size_t first = 0;
  if (!result_is_last && !step.reduction)
    for (std::size_t at = 1; at < pointers.size(); ++at)
      if (pointers[at]->parameter != pointers[at - 1]->parameter ||
          pointers[at]->byte != pointers[at - 1]->byte + kPointerBytes)
        first = at;
  for (std::size_t at = first; at < pointers.size(); ++at) step.operands.push_back(pointers[at]->address);
  if (step.reduction || step.operands.empty()) return;
  const auto result = result_is_last ? std::prev(step.operands.end()) : step.operands.begin();
  step.result = *result;
  step.operands.erase(result);
}

void take_sites(ChainStep& step, const KernelRow& row) {
  for (const SiteUse& use : row.call_sites) step.sites.push_back(use.call_site_id);
  std::ranges::sort(step.sites);
}

// Kernels that one call launches are what XLA makes of a compiled function: it has fused what it can. Each
// operation outside of such functions is a call of its own.
bool are_of_two_calls(const ChainStep& from, const ChainStep& to) {
  if (from.sites.empty() || to.sites.empty()) return false;
  if (&from == &to) return from.sites.size() > 1;
  std::vector<std::int64_t> both;
  std::ranges::set_intersection(from.sites, to.sites, std::back_inserter(both));
  return both.empty();
}

bool may_read_what_was_written(const ChainStep& from, const ChainStep& to) {
  if (from.compiled != to.compiled || (from.compiled && !are_of_two_calls(from, to))) return false;
  if (from.store_bytes <= 0 || to.load_bytes < from.store_bytes) return false;
  return to.reduction || (to.elementwise && to.store_bytes <= kMostByType * from.store_bytes &&
                          from.store_bytes <= kMostByType * to.store_bytes);
}

// By the addresses of their first launches: it loads the other's result, or an operand of both.
bool shares_operands(const ChainStep& from, const ChainStep& to) {
  const auto bytes = static_cast<std::int64_t>(from.store_bytes);
  return std::ranges::any_of(to.operands, [&](std::int64_t address) {
    return (from.result && address >= *from.result && address < base::sum_of(*from.result, bytes)) ||
           std::ranges::find(from.operands, address) != from.operands.end();
  });
}

}  // namespace

std::vector<ChainStep> chain_steps(std::span<const KernelRow> kernels,
                                   std::span<const capture::GroupView> groups,
                                   std::span<const model::GroupPointer> given) {
  std::unordered_map<std::int64_t, std::size_t> places;
  for (std::size_t i = 0; i < groups.size(); ++i) places.emplace(groups[i].group_id.value, i);
  std::unordered_map<std::int64_t, Pointers> pointers;
  for (const auto& pointer : given) pointers[pointer.group_id.value].push_back(&pointer);
  std::vector<ChainStep> operations(groups.size());
  for (const KernelRow& row : kernels) {
    const auto place = places.find(row.id);
    if (place == places.end() || row.origin == Origin::tool) continue;
    ChainStep& operation = operations[place->second];
    const CalledFor use = called_for(row);
    operation.elementwise = is_elementwise(use);
    operation.copies = copies_elements(row);
    operation.reduction = use == CalledFor::reduction;
    operation.softmax = use == CalledFor::softmax;
    operation.product = row.owner == kCublas;
    operation.load_bytes = real(row.load.data_bytes);
    operation.store_bytes = real(row.store.data_bytes);
    operation.compiled = row.owner == kXla;
    if (operation.compiled)
      take_sites(operation, row);
    else
      take_addresses(operation, pointers[row.id], row.owner == kCupy);
  }
  return operations;
}

bool is_linked(const ChainStep& from, const ChainStep& to, bool are_first) {
  if (!may_read_what_was_written(from, to)) return false;
  const bool addresses_tell = are_first && from.result && !to.operands.empty();
  // Nobody copies a copy: they are of several arrays.
  if (from.copies && to.copies && !addresses_tell) return false;
  return !addresses_tell || shares_operands(from, to);
}

}  // namespace coalescope::analysis
