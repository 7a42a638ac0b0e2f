// F01: element-wise operations of a library that could be one kernel.

#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "core/base/units.h"
#include "reports/analysis/figures/access_shape.h"
#include "reports/analysis/figures/called_for.h"
#include "reports/analysis/figures/owners.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

constexpr double kTimesTheBytes = 1.25;
constexpr double kTimesTheBytesUnpriced = 3;
// An operation stores more bytes than the one before by its type only, unless a reduction lies between.
constexpr double kRowsReduced = 8;

// Of one operation, what would stay in registers if all were one kernel.
struct Kept {
  double loads = 0, stores = 0;  // shares
};

// The result of the operation before; behind a reduction of rows and operations on its results that is what
// was reduced, too.
double in_registers_before(const ChainSubject& chain, std::size_t at) {
  const double before = real(chain.operations[at - 1]->store.data_bytes);
  if (real(chain.operations[at]->store.data_bytes) <= kRowsReduced * before) return before;
  double most = before;
  for (std::size_t i = 0; i + 1 < at; ++i) most = std::max(most, real(chain.operations[i]->store.data_bytes));
  return most;
}

Kept kept_in_registers(const ChainSubject& chain, std::size_t at) {
  const KernelRow& row = *chain.operations[at];
  Kept kept;
  if (at > 0 && row.load.data_bytes.value_or(0) > 0)
    kept.loads = std::min(1.0, in_registers_before(chain, at) / real(row.load.data_bytes));
  if (at + 1 < chain.operations.size()) kept.stores = 1;
  return kept;
}

struct ChainBytes {
  double now = 0, fused = 0;
};

ChainBytes bytes_moved(const ChainSubject& chain) {
  ChainBytes bytes;
  for (std::size_t at = 0; at < chain.operations.size(); ++at) {
    const KernelRow& row = *chain.operations[at];
    const Kept kept = kept_in_registers(chain, at);
    bytes.now += real(row.load.data_bytes) + real(row.store.data_bytes);
    bytes.fused +=
        (1 - kept.loads) * real(row.load.data_bytes) + (1 - kept.stores) * real(row.store.data_bytes);
  }
  return bytes;
}

// Sectors, because strided accesses take their time for each of them.
double share_kept(const KernelRow& row, Kept kept) {
  const double loads = real(row.load.sectors), stores = real(row.store.sectors);
  return loads + stores <= 0 ? 0 : (kept.loads * loads + kept.stores * stores) / (loads + stores);
}

// One kernel finds its elements once: what that takes is no more than the operation with the fewest
// instructions has.
double fused_instructions_ns(const ChainSubject& chain) {
  double all_ns = 0, fewest_ns = std::numeric_limits<double>::infinity();
  for (const KernelRow* row : chain.operations) {
    const double ns = std::min(real(row->median_gpu_ns), issue_ns(*row, chain.machine));
    all_ns += ns;
    fewest_ns = std::min(fewest_ns, ns);
  }
  return all_ns - static_cast<double>(chain.operations.size() - 1) * fewest_ns;
}

// Each operation loses the part of its time that goes by the sectors that stay in registers; what is left
// still has to issue its instructions.
Cost fusing_cost(const ChainSubject& chain) {
  double now_ns = 0, fused_ns = 0;
  for (std::size_t at = 0; at < chain.operations.size(); ++at) {
    const KernelRow& row = *chain.operations[at];
    if (row.median_gpu_ns.value_or(0) <= 0)
      return unknown_cost("cost unknown: none of the launches of one operation was timed");
    const double ns = real(row.median_gpu_ns);
    now_ns += ns;
    fused_ns += (1 - share_kept(row, kept_in_registers(chain, at))) * ns;
  }
  const double instructions_ns = fused_instructions_ns(chain);
  const double saved_ns = now_ns - std::max(fused_ns, instructions_ns);
  const auto times = static_cast<double>(chain.row.times);
  std::string basis = fmt::format(
      "sectors that would stay in registers take their share of each operation's time: {} become {}, {} "
      "times",
      base::format_ns(rounded(now_ns)), base::format_ns(rounded(now_ns - saved_ns)),
      base::format_count(chain.row.times));
  if (instructions_ns > fused_ns) basis += "; the instructions that remain take that long";
  Cost cost{rounded(std::max(0.0, saved_ns) * times), std::move(basis), rounded(now_ns * times)};
  cost.fewer_launches = fewer_launches(std::ssize(chain.operations), chain.row.times);
  return cost;
}

Evidence chain_evidence(const ChainSubject& chain, ChainBytes bytes) {
  const auto operations = static_cast<std::int64_t>(chain.operations.size());
  return {
      FactList()
          .count("operations", operations, "count")
          .count("times", chain.row.times, "count")
          .add("data_bytes", bytes.now, "bytes")
          .add("fused_data_bytes", bytes.fused, "bytes")
          .take(),
      fmt::format("{} element-wise operations, each on the result of the one before, load and store {} in "
                  "all; one kernel would move {}",
                  operations, bytes_text(bytes.now), bytes_text(bytes.fused))};
}

Advice fusing_advice(const ChainSubject& chain) {
  if (chain.operations.front()->owner == kCupy)
    return {
        "F01.fuse",
        {},
        "Make these operations one kernel: decorate the function that contains them with @cupy.fuse(), or "
        "write a cupy.ElementwiseKernel."};
  if (chain.operations.front()->owner == kXla)
    return {"F01.jit",
            {},
            "Outside of a compiled function, JAX runs each operation as a kernel of its own. Decorate the "
            "function "
            "that contains them with @jax.jit, best the whole step."};
  return {
      std::string(kCompileAdvice),
      {},
      "Make these operations one kernel: call a PyTorch function that does all of them if there is one, or "
      "compile the function that contains them (torch.compile). Compile as much as you can at once: calling "
      "many small compiled functions costs the host more than launching these kernels."};
}

// The softmax has a block for each query. Attention in one kernel would have no more of them.
bool has_few_queries(const ChainSubject& chain) {
  return chain.machine.multiprocessors && std::ranges::any_of(chain.operations, [&](const KernelRow* row) {
           return called_for(*row) == CalledFor::softmax && blocks_of(*row) > 0 &&
                  blocks_of(*row) < *chain.machine.multiprocessors / 2;
         });
}

// The scores never leave the multiprocessor: none of these kernels runs any more.
Assessment assess_attention(const ChainSubject& chain) {
  if (has_few_queries(chain)) return {measured(0)};
  double bytes = 0, ns = 0;
  for (const KernelRow* row : chain.operations) {
    bytes += real(row->load.data_bytes) + real(row->store.data_bytes);
    ns += real(row->median_gpu_ns);
  }
  const double scores = real(chain.operations.back()->store.data_bytes);
  if (scores <= 0) return {measured(0)};
  const bool timed = std::ranges::all_of(
      chain.operations, [](const KernelRow* row) { return row->median_gpu_ns.value_or(0) > 0; });
  const auto times = static_cast<double>(chain.row.times);
  const auto operations = static_cast<std::int64_t>(chain.operations.size()) + 2;
  return {
      measured(bytes / scores),
      timed ? Cost{rounded(ns * times),
                   fmt::format("all of the time between the two matrix products: {}, {} times",
                               base::format_ns(rounded(ns)), base::format_count(chain.row.times)),
                   rounded(ns * times)}
            : unknown_cost("cost unknown: none of the launches of one operation was timed"),
      {FactList()
           .count("operations", operations, "count")
           .count("times", chain.row.times, "count")
           .add("data_bytes", bytes, "bytes")
           .take(),
       chain.operations.size() == 1
           ? fmt::format("a softmax between two matrix products loads and stores {}: the scores of attention",
                         bytes_text(bytes))
           : fmt::format(
                 "{} kernels between two matrix products, one of them a softmax, load and store {}: the "
                 "scores of attention",
                 chain.operations.size(), bytes_text(bytes))},
      {std::string(kAttentionAdvice),
       {},
       "Call torch.nn.functional.scaled_dot_product_attention, with a bias or mask as attn_mask: it keeps "
       "the scores out of memory."}};
}

Assessment assess_chain(const ChainSubject& chain) {
  if (chain.row.attention) return assess_attention(chain);
  const ChainBytes bytes = bytes_moved(chain);
  if (bytes.fused <= 0) return {measured(0)};
  const Measure times = measured(bytes.now / bytes.fused);
  if (!times.reaches(kTimesTheBytes)) return {times};
  return {times, fusing_cost(chain), chain_evidence(chain, bytes), fusing_advice(chain)};
}

}  // namespace

constinit const Rule<ChainSubject> kOperationsInARow{
    {.id = "F01",
     .title = "Operations that could be one kernel",
     .repair = "fuse {}",
     .families = "none",
     .measure = "bytes that the operations load and store / bytes that one kernel would",
     .limit = kTimesTheBytes,
     .unpriced_limit = kTimesTheBytesUnpriced,
     .note = false,
     .calibrated =
         "no family: programs with such operations were timed as they are and compiled (docs/jury.md)",
     .is_of_functions = true,
     .is_of_calls = true,
     .rebuilds = true},
    assess_chain,
    nullptr};

}  // namespace coalescope::analysis
