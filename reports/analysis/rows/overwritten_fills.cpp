#include "reports/analysis/rows/overwritten_fills.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "core/base/whole.h"
#include "reports/analysis/figures/owners.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rows/array_accesses.h"
#include "reports/analysis/rows/copy_classes.h"
#include "reports/analysis/rows/stream_order.h"

namespace coalescope::analysis {
namespace {

// Allocations are larger than what was asked for by a few bytes.
constexpr double kAlmostAllocation = 0.99;
// Launches with other arrays that may come between.
constexpr int kMostBetween = 8;
// Less is a flag or a counter, to which many kernels store on a condition: that one launch stored to all of
// it says nothing of the others.
constexpr std::int64_t kLeastFill = 32;
// Fills in a row whose fates are still open.
constexpr std::size_t kMostOpen = 32;
// A call makes about as many launches as fills were overwritten.
constexpr double kAsMany = 0.1;

// What fills: a kernel, or the sets or uploads of one class by one call.
struct Filler {
  std::int32_t group = -1;     // its place; -1: sets or uploads
  std::size_t transfer = 0;    // the place of their class
  std::int64_t call_site = 0;  // of them; 0: not looked at
  auto operator<=>(const Filler&) const = default;
};

struct Fill {
  Filler filler;
  std::int64_t address = 0, bytes = 0;
  std::int64_t gpu_ns = 0;
  // Its address is known, a set's or that of a first launch, and so are those of the launches that came
  // since.
  bool is_certain = false;
  int launches_since = 0;
};

// What happened to the fills of one filler.
struct Fates {
  std::int64_t fills = 0;    // that are listed
  std::int64_t decided = 0;  // of them; what became of the others is not known
  std::int64_t overwritten = 0, bytes = 0, gpu_ns = 0;
  std::map<std::int32_t, std::int64_t> by_group;
};

class Fills {
 public:
  explicit Fills(const FillInput& input)
      : input_(input),
        accesses_(array_accesses(input.kernels, input.pointers, input.instructions)),
        classes_(input.transfers),
        seen_(input.groups.size()),
        listed_(input.groups.size()) {
    for (std::size_t place = 0; place < input.groups.size(); ++place)
      if (const KernelRow* const kernel = kernel_of(input.groups[place].group_id.value);
          kernel != nullptr && kernel->owner == kTorch)
        of_torch_.insert(static_cast<std::int32_t>(place));
  }

  // In the order of time.
  void add_launch(std::int32_t group, std::int32_t stream, std::int64_t gpu_ns) {
    const auto place = static_cast<std::size_t>(group);
    const bool is_first = seen_[place]++ == 0;
    ++listed_[place];
    const auto& view = input_.groups[place];
    std::vector<Fill>& open = open_[{view.process_id.value, view.device_id.value, stream}];
    const ArrayAccesses* accesses = accesses_of(group);
    std::erase_if(open, [&](Fill& fill) { return decides(ends(fill, group, accesses, is_first), fill); });
    if (accesses == nullptr || !accesses->loads_known || !accesses->loads_nothing) return;
    // It stores to one array and nowhere else.
    for (const ArrayAccess& array : accesses->arrays)
      if (array.store_bytes > 0 && array.store_bytes == accesses->store_bytes)
        add(open, {{group}, array.address, base::whole(array.store_bytes), gpu_ns, is_first});
  }

  void add_copy(const capture::TransferPlace& copy) {
    std::vector<Fill>& open = open_[{copy.process, copy.device, copy.stream}];
    const auto of_class = classes_.of(copy);
    const bool fills =
        (copy.direction == model::Direction::set || copy.direction == model::Direction::host_to_device) &&
        copy.address != 0 && of_class;
    std::erase_if(open, [&](const Fill& fill) { return decides(!fills || meet(fill, copy), fill); });
    if (!fills) return;
    const Filler filler{-1, *of_class, copy.call_site};
    ++listed_copies_[*of_class];
    add(open, {filler, copy.address, copy.bytes, copy.gpu_ns, true});
  }

  // Of these the stream is not known.
  void add_measured(std::int32_t group) {
    const auto place = static_cast<std::size_t>(group);
    ++seen_[place];
    for (auto& [stream, open] : open_)
      if (std::get<0>(stream) == input_.groups[place].process_id.value) open.clear();
  }

  std::vector<OverwrittenFillRow> finish() const {
    std::vector<OverwrittenFillRow> rows;
    for (const auto& [filler, fates] : fates_)
      if (fates.overwritten > 0) rows.push_back(row_of(filler, fates));
    // A kernel that is run again and again to see how long it takes, or makes results that nobody looks at.
    std::erase_if(rows, [](const OverwrittenFillRow& row) { return row.kernel_id == row.overwritten_by; });
    std::ranges::stable_sort(rows, std::greater{}, &OverwrittenFillRow::gpu_ns);
    return rows;
  }

 private:
  using Pair = std::pair<Filler, std::int32_t>;  // and the group that overwrites what it fills

  void add(std::vector<Fill>& open, const Fill& fill) {
    if (fill.bytes < kLeastFill) return;
    ++fates_[fill.filler].fills;
    if (open.size() >= kMostOpen) open.erase(open.begin());
    open.push_back(fill);
  }

  bool decides(bool ends, const Fill& fill) {
    if (ends) ++fates_[fill.filler].decided;
    return ends;
  }

  static bool touches(const Fill& fill, std::int64_t address) {
    return address >= fill.address && address < base::sum_of(fill.address, fill.bytes);
  }

  static bool meet(const Fill& fill, const capture::TransferPlace& copy) {
    return touches(fill, copy.address) ||
           (fill.address >= copy.address && fill.address < base::sum_of(copy.address, copy.bytes));
  }

  // The allocation is this array and nothing else: no pool gives its memory to another one.
  static bool is_whole_allocation(const Fill& fill, const ArrayAccess& array) {
    return array.range_address == fill.address && array.range_bytes > 0 &&
           kAlmostAllocation * real(array.range_bytes) <= real(fill.bytes);
  }

  [[nodiscard]] const ArrayAccesses* accesses_of(std::int32_t group) const {
    const auto found = accesses_.find(input_.groups[static_cast<std::size_t>(group)].group_id.value);
    return found == accesses_.end() ? nullptr : &found->second;
  }

  // Whether this launch decides what becomes of the fill.
  bool ends(Fill& fill, std::int32_t group, const ArrayAccesses* accesses, bool is_first) {
    const Pair pair{fill.filler, group};
    fill.is_certain = fill.is_certain && is_first;
    if (accesses == nullptr || (!accesses->loads_known && !of_torch_.contains(group))) return true;
    bool is_used = false, is_loaded = false, is_whole = true;
    double stored = 0;
    for (const ArrayAccess& array : accesses->arrays) {
      if (!touches(fill, array.address)) continue;
      is_used = true;
      is_loaded = is_loaded || array.loads() || !accesses->loads_known;
      is_whole = is_whole && is_whole_allocation(fill, array);
      if (array.address == fill.address) stored += array.store_bytes;
    }
    const bool overwrites =
        is_used && !is_loaded && stored >= real(fill.bytes);  // all: the rest may be a halo
    if (overwrites && (fill.is_certain || is_whole)) known_.insert(pair);
    if (known_.contains(pair)) {
      count(fill, group);
      return true;
    }
    return is_used || ++fill.launches_since > kMostBetween;
  }

  void count(const Fill& fill, std::int32_t group) {
    Fates& fates = fates_[fill.filler];
    ++fates.overwritten;
    fates.bytes = fill.bytes;
    base::add_to(fates.gpu_ns, fill.gpu_ns);
    ++fates.by_group[group];
  }

  // Fills that the capture does not list, and those before a launch that was measured, went the same ways as
  // the others.
  [[nodiscard]] double of_all(const Filler& filler, const Fates& fates) const {
    const double decided = real(fates.decided) / real(fates.fills);
    if (filler.group < 0)
      return std::max(1.0, real(sets_like(filler.transfer)) / real(listed_copies_.at(filler.transfer))) /
             decided;
    const auto place = static_cast<std::size_t>(filler.group);
    return std::max(1.0, real(input_.groups[place].launches) / real(listed_[place])) / decided;
  }

  // Of the same size and device, also those without a record, which have a row of their own.
  [[nodiscard]] std::int64_t sets_like(std::size_t transfer) const {
    const TransferRow& row = input_.transfers[transfer];
    std::int64_t sets = 0;
    for (const TransferRow& each : input_.transfers)
      if (each.device_id == row.device_id && each.direction == row.direction &&
          model::size_class(each.largest_bytes) == model::size_class(row.largest_bytes))
        base::add_to(sets, each.transfers);
    return sets;
  }

  [[nodiscard]] const KernelRow* kernel_of(std::int64_t id) const {
    const auto row = std::ranges::find(input_.kernels, id, &KernelRow::id);
    return row == input_.kernels.end() ? nullptr : &*row;
  }

  // The one call that launches the kernel as often as its fills were overwritten.
  [[nodiscard]] static std::optional<std::int64_t> call_of(const KernelRow& kernel, std::int64_t times) {
    std::optional<std::int64_t> call;
    for (const SiteUse& use : kernel.call_sites) {
      if (std::abs(real(use.calls) - real(times)) > kAsMany * real(times)) continue;
      if (call) return std::nullopt;
      call = use.call_site_id;
    }
    return call;
  }

  [[nodiscard]] OverwrittenFillRow row_of(const Filler& filler, const Fates& fates) const {
    const std::int32_t by =
        std::ranges::max_element(fates.by_group, {}, [](const auto& each) { return each.second; })->first;
    const auto& view = input_.groups[static_cast<std::size_t>(by)];
    const double factor = of_all(filler, fates);
    OverwrittenFillRow row;
    row.process_id = view.process_id.value;
    row.device_id = view.device_id.value;
    row.overwritten_by = view.group_id.value;
    row.bytes = fates.bytes;
    row.share = real(fates.overwritten) / real(fates.fills);
    row.times = base::whole(real(fates.overwritten) * factor);
    row.gpu_ns = base::whole(real(fates.gpu_ns) * factor);
    if (filler.group >= 0) {
      row.kernel_id = input_.groups[static_cast<std::size_t>(filler.group)].group_id.value;
      if (const KernelRow* kernel = kernel_of(*row.kernel_id)) row.call_site_id = call_of(*kernel, row.times);
    } else {
      row.transfer_id = input_.transfers[filler.transfer].id;
      if (filler.call_site != 0) row.call_site_id = filler.call_site;
    }
    return row;
  }

  const FillInput& input_;
  std::unordered_map<std::int64_t, ArrayAccesses> accesses_;
  CopyClasses classes_;
  // Places of groups. PyTorch's kernels find no pointers in memory: each array that they load is a parameter.
  std::set<std::int32_t> of_torch_;
  std::vector<std::int64_t> seen_, listed_;            // launches of each group so far; those with a time
  std::map<std::size_t, std::int64_t> listed_copies_;  // sets and uploads, by class
  std::map<std::tuple<std::int64_t, std::int64_t, std::int32_t>, std::vector<Fill>>
      open_;              // process, device, stream
  std::set<Pair> known_;  // one overwrites what the other fills
  std::map<Filler, Fates> fates_;
};

}  // namespace

std::vector<OverwrittenFillRow> overwritten_fills(const FillInput& input) {
  Fills fills(input);
  for (const StreamEvent& event : in_order(input.launches, input.copies)) {
    if (event.kind == StreamEvent::Kind::copy) {
      fills.add_copy(input.copies[event.place]);
      continue;
    }
    if (event.kind == StreamEvent::Kind::measured) {
      fills.add_measured(input.launches.measured[event.place].group);
      continue;
    }
    const auto& launch = input.launches.launches[event.place];
    fills.add_launch(launch.group, input.launches.streams[event.place], launch.gpu_ns);
  }
  return fills.finish();
}

void take_overwritten_uploads(std::vector<OverwrittenFillRow>& rows, std::span<TransferRow> transfers) {
  std::erase_if(rows, [&](const OverwrittenFillRow& row) {
    const auto upload = std::ranges::find(transfers, row.transfer_id.value_or(0), &TransferRow::id);
    if (upload == transfers.end() || upload->direction != model::Direction::host_to_device) return false;
    for (SiteUse& use : upload->call_sites) {
      if (use.call_site_id != row.call_site_id) continue;
      use.overwritten = base::whole(real(use.calls) * row.share);
      use.overwritten_by = row.overwritten_by;
    }
    return true;
  });
}

}  // namespace coalescope::analysis
