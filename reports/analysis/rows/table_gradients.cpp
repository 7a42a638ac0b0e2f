#include "reports/analysis/rows/table_gradients.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/base/whole.h"
#include "reports/analysis/figures/owners.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rows/call_stacks.h"

namespace coalescope::analysis {
namespace {

// The last of the kernels that compute an embedding's gradient. They store each row once.
constexpr std::array<std::string_view, 2> kStoresRows{"::sum_and_scatter<",
                                                      "::embedding_backward_feature_kernel<"};
constexpr std::string_view kFills = "FillFunctor<";
// Each is compared with all kernels that have pointers.
constexpr std::size_t kMostTables = 64;

bool stores_rows(const KernelRow& row) {
  return row.owner == kTorch && std::ranges::any_of(kStoresRows, [&](std::string_view name) {
           return row.full_name.find(name) != std::string::npos;
         });
}

// Of all launches.
double bytes_of(const KernelRow& row, const Access& access) {
  return real(access.data_bytes) * real(row.launches);
}

// An allocation.
struct Range {
  std::int64_t address = 0, bytes = 0;
};

class TableGradients {
 public:
  explicit TableGradients(const TableGradientsInput& input) : stacks_(input.call_sites) {
    for (const auto& pointer : input.pointers)
      if (pointer.range_address && pointer.range_bytes)
        ranges_[pointer.group_id.value].push_back({*pointer.range_address, *pointer.range_bytes});
    for (const KernelRow& row : input.kernels) {
      if (ranges_of(row).empty()) continue;
      if (is_of_optimiser(row))
        optimisers_.push_back(&row);
      else if (!computes_gradients(row))
        others_.push_back(&row);
      else if (row.full_name.find(kFills) != std::string::npos)
        fillers_.push_back(&row);
    }
  }

  // Of the largest allocation that it has a pointer to and that another kernel fills.
  [[nodiscard]] std::optional<TableGradientsRow> of(const KernelRow& stores) const {
    TableGradientsRow best;
    for (const Range& range : ranges_of(stores)) {
      TableGradientsRow row = gradients_in(range, stores);
      if (row.fill_ns > 0 && row.table_bytes > best.table_bytes) best = std::move(row);
    }
    return best.fill_ns > 0 ? std::optional(std::move(best)) : std::nullopt;
  }

 private:
  [[nodiscard]] std::span<const Range> ranges_of(const KernelRow& row) const {
    const auto found = ranges_.find(row.id);
    return found == ranges_.end() ? std::span<const Range>() : found->second;
  }

  [[nodiscard]] bool computes_gradients(const KernelRow& row) const {
    return std::ranges::any_of(
        row.call_sites, [this](const SiteUse& use) { return stacks_.computes_gradients(use.call_site_id); });
  }

  [[nodiscard]] bool is_of_optimiser(const KernelRow& row) const {
    return std::ranges::any_of(
        row.call_sites, [this](const SiteUse& use) { return stacks_.is_of_optimiser(use.call_site_id); });
  }

  static bool are_on_one_device(const KernelRow& one, const KernelRow& other) {
    return one.process_id == other.process_id && one.device_id == other.device_id;
  }

  [[nodiscard]] TableGradientsRow gradients_in(const Range& range, const KernelRow& stores) const {
    TableGradientsRow row;
    row.process_id = stores.process_id;
    row.device_id = stores.device_id;
    row.steps = stores.launches;
    row.row_bytes = stores.store.data_bytes.value_or(0);
    row.kernel_ids = {stores.id};
    double filled = 0;
    for (const KernelRow* filler : fillers_) {
      if (!are_on_one_device(*filler, stores) || !points_to(*filler, {range.address})) continue;
      filled += bytes_of(*filler, filler->store);
      base::add_to(row.fill_ns, filler->gpu_ns.value_or(0));
      row.kernel_ids.push_back(filler->id);
    }
    if (filled <= 0 || row.steps <= 0) return row;
    row.table_bytes = base::whole(filled / real(row.steps));
    std::set<std::int64_t> tables;  // allocations of the table's size, but the gradient's
    for (const KernelRow* optimiser : optimisers_)
      if (are_on_one_device(*optimiser, stores))
        add_optimiser(row, *optimiser, filled * add_tables(tables, *optimiser, range));
    row.call_site_id = call_of_lookup(stores, tables);
    return row;
  }

  [[nodiscard]] bool points_to(const KernelRow& row, const std::set<std::int64_t>& addresses) const {
    return std::ranges::any_of(ranges_of(row),
                               [&](const Range& each) { return addresses.contains(each.address); });
  }

  // How many arrays of the size it has pointers to.
  double add_tables(std::set<std::int64_t>& tables, const KernelRow& row, const Range& range) const {
    std::set<std::int64_t> arrays;
    for (const Range& each : ranges_of(row))
      if (each.bytes == range.bytes) arrays.insert(each.address);
    for (const std::int64_t address : arrays)
      if (address != range.address) tables.insert(address);
    return static_cast<double>(arrays.size());
  }

  // The part of the kernel's time in which it loads these bytes of tables: each array once a step.
  static void add_optimiser(TableGradientsRow& row, const KernelRow& optimiser, double table_bytes) {
    const double loaded = bytes_of(optimiser, optimiser.load);
    if (loaded <= 0 || table_bytes <= 0) return;
    base::add_to(row.optimiser_ns, base::whole(std::min(1.0, table_bytes / loaded) * real(optimiser.gpu_ns)));
    row.kernel_ids.push_back(optimiser.id);
  }

  // Who has a pointer to the table itself, and is neither the optimiser nor a gradient: the forward pass.
  [[nodiscard]] std::optional<std::int64_t> call_of_lookup(const KernelRow& stores,
                                                           const std::set<std::int64_t>& tables) const {
    const SiteUse* most = nullptr;
    for (const KernelRow* other : others_) {
      if (!are_on_one_device(*other, stores) || !points_to(*other, tables)) continue;
      for (const SiteUse& use : other->call_sites)
        if (most == nullptr || use.calls > most->calls) most = &use;
    }
    return most == nullptr ? std::nullopt : std::optional(most->call_site_id);
  }

  CallStacks stacks_;
  std::unordered_map<std::int64_t, std::vector<Range>> ranges_;  // of kernels
  std::vector<const KernelRow*> optimisers_, fillers_, others_;  // with pointers; fills of gradients
};

}  // namespace

std::vector<TableGradientsRow> table_gradients(const TableGradientsInput& input) {
  std::vector<TableGradientsRow> rows;
  std::vector<const KernelRow*> storing;
  for (const KernelRow& row : input.kernels)
    if (stores_rows(row) && storing.size() < kMostTables) storing.push_back(&row);
  if (storing.empty()) return rows;
  const TableGradients gradients(input);
  for (const KernelRow* row : storing)
    if (auto found = gradients.of(*row)) rows.push_back(std::move(*found));
  return rows;
}

}  // namespace coalescope::analysis
