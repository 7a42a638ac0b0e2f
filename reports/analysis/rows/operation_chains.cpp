// The order: all launches and copies by their beginnings; for each stream its runs of operations that are
// linked; the rounds that these consist of; equal ones counted.

#include "reports/analysis/rows/operation_chains.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/base/whole.h"
#include "reports/analysis/rows/attention.h"
#include "reports/analysis/rows/chain_steps.h"
#include "reports/analysis/rows/stream_order.h"

namespace coalescope::analysis {
namespace {

using ChainGroups = std::vector<std::int32_t>;  // places in ChainInput::groups
using Run = std::span<const std::int32_t>;

// A polynomial multiplies and adds a few times, too.
constexpr std::int64_t kLeastRounds = 5;
constexpr std::size_t kLeastOfFewRounds = 4;  // operations of each
constexpr double kAllButEnds = 0.9;
// torch.compile fuses no more (max_fusion_size in its configuration).
constexpr std::size_t kMostOperations = 64;
// An operation on so much less data takes no time beside those around it.
constexpr double kTimesSmaller = 64;
// Rows that are normalised have so many elements, and there are more of them than a loss has results.
constexpr double kLeastRow = 32, kLeastResultBytes = 1024;

// Where rounds follow each other without anything between, each begins with the operation that is rarest in
// them. std::nullopt: the run is no such rounds.
std::optional<std::int32_t> first_of_rounds(Run run) {
  std::unordered_map<std::int32_t, std::int64_t> counts;
  for (const std::int32_t group : run) ++counts[group];
  std::int64_t rarest = std::ssize(run), in_rounds = 0;
  for (const auto& [group, count] : counts) {
    if (count < kLeastRounds) continue;
    in_rounds += count;
    rarest = std::min(rarest, count);
  }
  if (static_cast<double>(in_rounds) < kAllButEnds * static_cast<double>(run.size())) return std::nullopt;
  // The first or the last round may lack one.
  return *std::ranges::find_if(
      run, [&](std::int32_t group) { return counts[group] >= kLeastRounds && counts[group] <= rarest + 1; });
}

// Fewer rounds are known by coming again just as they were: how many operations each has; 0: not so.
std::size_t operations_of_a_few_rounds(Run run) {
  std::vector<std::size_t> ends_as_it_began(run.size());  // that many operations, up to each place
  for (std::size_t at = 1; at < run.size(); ++at) {
    std::size_t alike = ends_as_it_began[at - 1];
    while (alike > 0 && run[at] != run[alike]) alike = ends_as_it_began[alike - 1];
    ends_as_it_began[at] = run[at] == run[alike] ? alike + 1 : 0;
  }
  const std::size_t period = run.size() - ends_as_it_began.back();
  return period >= kLeastOfFewRounds && 2 * period <= run.size() ? period : 0;
}

class Chains {
 public:
  explicit Chains(const ChainInput& input)
      : input_(input),
        operations_(chain_steps(input.kernels, input.groups, input.pointers)),
        seen_(input.groups.size()),
        listed_(input.groups.size()) {}

  // In the order of time.
  void add_launch(std::int32_t group, std::int32_t stream) {
    const auto place = static_cast<std::size_t>(group);
    const ChainStep& operation = operations_[place];
    const bool is_first = seen_[place]++ == 0;
    ++listed_[place];
    const auto& view = input_.groups[place];
    Open& open = open_[{view.process_id.value, view.device_id.value, stream}];
    if (operation.product) {
      if (ChainGroups scores = open.attention.product(); !scores.empty()) ++attentions_[std::move(scores)];
    } else if (operation.elementwise || operation.softmax) {
      open.attention.operation(group, operations_);
    } else {
      open.attention.other();
    }
    if (open.normalises && goes_on_normalising(open, group, is_first)) return;
    const bool is_next = !open.groups.empty() && goes_on(open, operation, is_first);
    if (!is_next && !open.groups.empty() && is_beside(open, operation)) return;
    if (!is_next) end(open);
    if (is_next && operation.reduction && operation.store_bytes >= kLeastResultBytes &&
        operation.load_bytes >= kLeastRow * operation.store_bytes)
      open.normalises = {open.groups.back(), open.groups.size() + 1};
    if (operation.elementwise || (is_next && operation.reduction)) open.groups.push_back(group);
    open.last_is_first = is_first;
    if (operation.reduction && !open.normalises) end(open);
  }

  void add_copy(std::int64_t process, std::int64_t device, std::int32_t stream) {
    if (const auto open = open_.find({process, device, stream}); open != open_.end()) end(open->second);
  }

  // Of these the stream is not known.
  void add_measured(std::int32_t group) {
    const auto place = static_cast<std::size_t>(group);
    ++seen_[place];
    for (auto& [stream, open] : open_) {
      if (std::get<0>(stream) != input_.groups[place].process_id.value) continue;
      end(open);
      open.attention.other();
    }
  }

  std::vector<OperationChainRow> finish() {
    for (auto& [stream, open] : open_) end(open);
    std::vector<OperationChainRow> rows;
    std::set<std::int32_t> of_attention;
    for (const auto& [groups, times] : attentions_) {
      rows.push_back(row_of(groups, times));
      rows.back().attention = true;
      of_attention.insert(groups.begin(), groups.end());
    }
    const auto is_of_attention = [&](std::int32_t group) { return of_attention.contains(group); };
    for (const auto& [groups, times] : counts_)
      if (!std::ranges::all_of(groups, is_of_attention)) rows.push_back(row_of(groups, times));
    std::ranges::stable_sort(rows, std::greater{}, &OperationChainRow::times);
    return rows;
  }

 private:
  // A reduction of rows: what it reduced may be loaded again, to be normalised by its results.
  struct Normalises {
    std::int32_t reduced;  // the operation before it
    std::size_t until;     // how many operations the chain has, that one's last
  };
  struct Open {
    ChainGroups groups;
    std::optional<Normalises> normalises;
    bool last_is_first = false;  // the last of them was its kernel's first launch
    Attention attention;
  };

  // On a parameter, for example: a compiler fuses it, too.
  [[nodiscard]] bool is_beside(const Open& open, const ChainStep& step) const {
    const double bytes = operations_[static_cast<std::size_t>(open.groups.back())].store_bytes;
    return step.elementwise && kTimesSmaller * std::max(step.load_bytes, step.store_bytes) <= bytes;
  }

  [[nodiscard]] bool goes_on(const Open& open, const ChainStep& to, bool is_first) const {
    return is_linked(operations_[static_cast<std::size_t>(open.groups.back())], to,
                     is_first && open.last_is_first);
  }

  // False: it is neither an operation on the results nor what is normalised by them.
  bool goes_on_normalising(Open& open, std::int32_t group, bool is_first) {
    const ChainStep& step = operations_[static_cast<std::size_t>(group)];
    const ChainStep& reduction =
        operations_[static_cast<std::size_t>(open.groups[open.normalises->until - 1])];
    if (!step.elementwise) return false;
    const bool is_of_results =
        step.store_bytes <= reduction.store_bytes && step.load_bytes <= kMostByType * reduction.store_bytes;
    if (!is_of_results) {
      const ChainStep& reduced = operations_[static_cast<std::size_t>(open.normalises->reduced)];
      if (!is_linked(reduced, step, is_first && open.last_is_first)) return false;
      open.normalises.reset();
    }
    open.groups.push_back(group);
    open.last_is_first = open.last_is_first && is_first;
    return true;
  }

  void end(Open& open) {
    if (open.normalises) open.groups.resize(open.normalises->until);
    open.normalises.reset();
    count(open.groups);
    open.groups.clear();
  }

  void count(Run run) {
    if (run.size() < 2) return;
    const auto first = first_of_rounds(run);
    const std::size_t period = first ? 0 : operations_of_a_few_rounds(run);
    std::size_t begin = 0;
    for (std::size_t at = 1; at <= run.size(); ++at) {
      const bool ends = at == run.size() || at - begin == kMostOperations || (first && run[at] == *first) ||
                        at - begin == period;
      if (!ends) continue;
      const Run round = run.subspan(begin, at - begin);
      if (round.size() > 1) ++counts_[{round.begin(), round.end()}];
      begin = at;
    }
  }

  // Launches that the capture does not list went the same ways as those that it does.
  [[nodiscard]] OperationChainRow row_of(const ChainGroups& groups, std::int64_t times) const {
    const auto& view = input_.groups[static_cast<std::size_t>(groups.front())];
    OperationChainRow row{view.process_id.value, view.device_id.value, {}, 0};
    double launches = 0, listed = 0;
    for (const std::int32_t group : groups) {
      const auto& each = input_.groups[static_cast<std::size_t>(group)];
      row.kernel_ids.push_back(each.group_id.value);
      launches += static_cast<double>(each.launches);
      listed += static_cast<double>(listed_[static_cast<std::size_t>(group)]);
    }
    row.times = base::whole(static_cast<double>(times) * std::max(1.0, launches / listed));
    return row;
  }

  const ChainInput& input_;
  std::vector<ChainStep> operations_;
  std::vector<std::int64_t> seen_, listed_;  // launches of each group so far; those with a time
  std::map<std::tuple<std::int64_t, std::int64_t, std::int32_t>, Open> open_;  // process, device, stream
  std::map<ChainGroups, std::int64_t> counts_, attentions_;
};

}  // namespace

std::vector<OperationChainRow> operation_chains(const ChainInput& input) {
  Chains chains(input);
  for (const StreamEvent& event : in_order(input.launches, input.copies)) {
    if (event.kind == StreamEvent::Kind::launch)
      chains.add_launch(input.launches.launches[event.place].group, input.launches.streams[event.place]);
    if (event.kind == StreamEvent::Kind::measured)
      chains.add_measured(input.launches.measured[event.place].group);
    if (event.kind != StreamEvent::Kind::copy) continue;
    const auto& copy = input.copies[event.place];
    chains.add_copy(copy.process, copy.device, copy.stream);
  }
  return chains.finish();
}

}  // namespace coalescope::analysis
