#include "reports/analysis/rows/zeroed_gradients.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/whole.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rows/call_stacks.h"

namespace coalescope::analysis {
namespace {

constexpr std::string_view kAddition = "CUDAFunctor_add<";

struct Stored {
  std::int64_t calls = 0, ns = 0;
  double bytes = 0;
  bool has_bytes = true;  // of all
};

struct Gradients {
  Stored fills, additions;
  std::vector<std::int64_t> filling, adding;   // KernelRow::id
  std::map<std::int64_t, std::int64_t> sites;  // of the fills: their time
};

class GradientWork {
 public:
  explicit GradientWork(std::span<const CallSiteRow> call_sites) : stacks_(call_sites) {
    for (const CallSiteRow& site : call_sites) processes_[site.id] = site.process_id;
  }

  void add_kernel(const KernelRow& row) {
    const bool adds = row.full_name.find(kAddition) != std::string::npos;
    Stored fills, additions;
    Gradients& gradients = places_[{row.process_id, row.device_id}];
    for (const SiteUse& use : row.call_sites) {
      const auto bytes = row.store.data_bytes;
      const auto all = bytes ? std::optional(real(bytes) * real(use.calls)) : std::nullopt;
      if (is_of_zero_grad(use.call_site_id)) {
        add(fills, use, all);
        base::add_to(gradients.sites[use.call_site_id], use.estimated_ns);
      } else if (adds && stacks_.computes_gradients(use.call_site_id)) {
        add(additions, use, all);
      }
    }
    if (fills.calls > 0) gradients.filling.push_back(row.id);
    if (additions.calls > 0) gradients.adding.push_back(row.id);
    add_up(gradients.fills, fills);
    add_up(gradients.additions, additions);
  }

  void add_sets(const TransferRow& row) {
    for (const SiteUse& use : row.call_sites) {
      if (!is_of_zero_grad(use.call_site_id)) continue;
      Gradients& gradients = places_[{processes_.at(use.call_site_id), row.device_id}];
      add(gradients.fills, use, use.bytes ? std::optional(real(use.bytes)) : std::nullopt);
      base::add_to(gradients.sites[use.call_site_id], use.estimated_ns);
    }
  }

  [[nodiscard]] std::vector<ZeroedGradientsRow> finish() const {
    std::vector<ZeroedGradientsRow> rows;
    for (const auto& [place, gradients] : places_)
      if (gradients.fills.calls > 0 && gradients.additions.calls > 0)
        rows.push_back(row_of(place, gradients));
    return rows;
  }

 private:
  using Place = std::pair<std::int64_t, std::int64_t>;  // process, device

  [[nodiscard]] bool is_of_zero_grad(std::int64_t site) const {
    return std::ranges::any_of(stacks_.stack(site), [](const CallSiteRow* frame) {
      return !frame->own && frame->function.ends_with("zero_grad");
    });
  }

  static void add(Stored& sum, const SiteUse& use, std::optional<double> bytes) {
    base::add_to(sum.calls, use.calls);
    base::add_to(sum.ns, use.estimated_ns);
    sum.bytes += bytes.value_or(0);
    sum.has_bytes = sum.has_bytes && bytes;
  }

  static void add_up(Stored& all, const Stored& some) {
    base::add_to(all.calls, some.calls);
    base::add_to(all.ns, some.ns);
    all.bytes += some.bytes;
    all.has_bytes = all.has_bytes && some.has_bytes;
  }

  static ZeroedGradientsRow row_of(const Place& place, const Gradients& gradients) {
    ZeroedGradientsRow row;
    row.process_id = place.first;
    row.device_id = place.second;
    row.call_site_id =
        std::ranges::max_element(gradients.sites, {}, [](const auto& each) { return each.second; })->first;
    row.kernel_ids = gradients.filling;
    row.kernel_ids.insert(row.kernel_ids.end(), gradients.adding.begin(), gradients.adding.end());
    row.fills = gradients.fills.calls;
    row.bytes = base::whole(gradients.fills.bytes);
    row.fill_ns = gradients.fills.ns;
    // Where a kernel's bytes were not measured, it is not known how many additions are too many.
    if (gradients.fills.has_bytes && gradients.additions.has_bytes && gradients.additions.bytes > 0)
      row.add_ns = base::whole(real(gradients.additions.ns) *
                               std::min(1.0, gradients.fills.bytes / gradients.additions.bytes));
    return row;
  }

  CallStacks stacks_;
  std::map<std::int64_t, std::int64_t> processes_;  // of call sites
  std::map<Place, Gradients> places_;
};

}  // namespace

std::vector<ZeroedGradientsRow> zeroed_gradients(std::span<const KernelRow> kernels,
                                                 std::span<const TransferRow> transfers,
                                                 std::span<const CallSiteRow> call_sites) {
  GradientWork work(call_sites);
  for (const KernelRow& row : kernels) work.add_kernel(row);
  for (const TransferRow& row : transfers)
    if (row.direction == model::Direction::set) work.add_sets(row);
  return work.finish();
}

}  // namespace coalescope::analysis
