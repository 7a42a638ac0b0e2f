#include "reports/analysis/judge/call_advice.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/base/whole.h"
#include "reports/analysis/figures/owners.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/figures/users_functor.h"
#include "reports/analysis/judge/call_table.h"
#include "reports/analysis/rows/call_stacks.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

// Compilers of array operations, whose kernels nobody writes or edits, and Triton, whose authors have no
// threads. In the languages of the others (Numba, Warp) the advice of rules can be followed as it is.
constexpr std::array<std::string_view, 4> kOtherLanguages{kXla, kCompiled, kCupy, kTriton};

// Of what L2 moves, requested: with one of four operands broadcast it is 1.33.
constexpr double kReadAgain = 1.2;

bool advice_holds(const KernelRow& row) {
  if (row.origin == Origin::user) return true;
  return row.origin == Origin::generated &&
         std::ranges::find(kOtherLanguages, row.owner) == kOtherLanguages.end();
}

bool passes_an_offset(const Report& report, const KernelRow& row) {
  return std::ranges::any_of(report.program.pointers, [&](const PointerRow& pointer) {
    return pointer.kernel_id == row.id && pointer.offset_bytes && *pointer.offset_bytes % kSectorBytes != 0;
  });
}

bool fits(const CallRow& call, const KernelRow& row, CalledFor use, const Finding& finding,
          const Report& report) {
  return (call.owner.empty() || call.owner == row.owner) &&
         (call.called_for == CalledFor::any || call.called_for == use) &&
         finding.advice_id.starts_with(call.cause) && (!call.needs_offset || passes_an_offset(report, row)) &&
         (!call.of_given_arrays || row.reads_given_apart);
}

bool computes_gradients(const KernelRow& row, const CallStacks& stacks) {
  std::int64_t all = 0, of_gradients = 0;
  for (const SiteUse& use : row.call_sites) {
    base::add_to(all, use.calls);
    if (stacks.computes_gradients(use.call_site_id)) base::add_to(of_gradients, use.calls);
  }
  return of_gradients > all - of_gradients;
}

// Whose kernels the program runs; of two the one that comes first here. Empty: none of them.
std::string_view framework_of(const Report& report) {
  constexpr std::array kFrameworks{std::pair{kTorch, kTorch}, std::pair{kCompiled, kTorch},
                                   std::pair{kCupy, kCupy}, std::pair{kXla, kXla}};
  for (const auto& [owner, framework] : kFrameworks)
    if (std::ranges::find(report.kernels, owner, &KernelRow::owner) != report.kernels.end()) return framework;
  return {};
}

// An elementwise kernel reads each element once, unless lanes share those of an operand, or L1 has them for
// the lanes of other warps.
bool broadcasts_an_operand(const KernelRow& row, const std::vector<Finding>& findings) {
  return row.load.l2_degree.value_or(0) >= kReadAgain ||
         std::ranges::any_of(findings, [&](const Finding& finding) {
           return finding.rule == kBroadcastLoads.about.id && finding.kernel_id == row.id;
         });
}

bool names_any(std::string_view line, std::span<const std::string_view> functions) {
  const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t at = 0; at < line.size();) {
    const auto begin = std::find_if(line.begin() + static_cast<std::ptrdiff_t>(at), line.end(), is_part);
    const auto end = std::find_if_not(begin, line.end(), is_part);
    if (std::ranges::find(functions, std::string_view(begin, end)) != functions.end()) return true;
    at = static_cast<std::size_t>(end - line.begin());
  }
  return false;
}

// The text of each line is known, and no one names any of the functions. Lines that compute gradients never
// do.
bool names_none(const KernelRow& row, std::span<const std::string_view> functions, const Report& report,
                const CallStacks& stacks) {
  for (const SiteUse& use : row.call_sites) {
    const CallSiteRow* frame = stacks.own_frame(use.call_site_id);
    if (frame == nullptr || !frame->own || !frame->file || !frame->line ||
        stacks.computes_gradients(use.call_site_id))
      return false;
    const auto line = std::ranges::find_if(report.call_lines, [&](const CallLineRow& each) {
      return each.file == *frame->file && each.line == *frame->line;
    });
    if (line == report.call_lines.end() || !line->text || names_any(*line->text, functions)) return false;
  }
  return !row.call_sites.empty();
}

// Where the caller's choice of operands has no part in the cost.
bool is_the_librarys_own(const CallRow& call, const KernelRow& row, const Finding& finding,
                         const std::vector<Finding>& findings, const Report& report,
                         const CallStacks& stacks) {
  return call.never || (call.loads_only && finding.part == kUncoalescedStores.about.part) ||
         (call.forward_only && computes_gradients(row, stacks)) ||
         (call.unless_broadcast && broadcasts_an_operand(row, findings)) ||
         (!call.functions.empty() && names_none(row, call.functions, report, stacks));
}

// What a library's kernel costs is the reason to call it otherwise. On a GPU without prices the rule is
// enough.
bool has_no_price_beside_others(const Finding& finding, const std::vector<Finding>& findings) {
  return !finding.lost_ns && std::ranges::any_of(findings, [](const Finding& other) {
    return other.kernel_id && other.lost_ns.value_or(0) > 0;
  });
}

// Copies from a device, or memory that is allocated there.
bool concerns_device_memory(const Finding& finding, const Report& report) {
  if (finding.subjects.empty()) return false;
  const SubjectRef& first = finding.subjects.front();
  const auto& allocated = report.program.allocated_again;
  if (first.kind == SubjectKind::allocated_again)
    return first.row < std::ssize(allocated) &&
           allocated[static_cast<std::size_t>(first.row)].kind == model::AllocationKind::device;
  if (first.kind != SubjectKind::transfers) return false;
  const auto row = std::ranges::find(report.transfers, first.row, &TransferRow::id);
  return row != report.transfers.end() && row->source_memory == model::MemoryKind::device &&
         row->direction != model::Direction::set;
}

// The repair removes the call, and with it all of the kernel's time.
void save_all(Finding& finding, const KernelRow& row) {
  if (finding.lost_ns.value_or(0) <= 0 || row.gpu_ns.value_or(0) < *finding.lost_ns) return;
  if (finding.lost_share) *finding.lost_share *= real(row.gpu_ns) / real(finding.lost_ns);
  finding.lost_ns = row.gpu_ns;
  finding.basis = "all of its time: the repair removes this call";
}

void advise(Finding& finding, const KernelRow& row, const std::vector<Finding>& findings,
            const Report& report, const CallStacks& stacks) {
  if (row.origin == Origin::tool) {
    finding.aside = Aside::tool;
    return;
  }
  const CalledFor use = called_for(row);
  const auto rows = call_rows();
  const auto call =
      std::ranges::find_if(rows, [&](const CallRow& each) { return fits(each, row, use, finding, report); });
  if (call == rows.end()) {
    // A line of the author's in a function that the library calls is his own.
    if (!finding.file || users_functor(row.full_name).empty()) finding.aside = Aside::library;
    return;
  }
  if (has_no_price_beside_others(finding, findings) ||
      is_the_librarys_own(*call, row, finding, findings, report, stacks)) {
    finding.aside = Aside::library;
    return;
  }
  if (call->id.empty()) return;
  finding.advice_id = finding.rule + "." + std::string(call->id);
  finding.repair = call->repair;
  finding.advice = call->text;
  finding.advice_parameters.clear();
  if (call->saves_all) save_all(finding, row);
}

}  // namespace

void advise_calls(std::vector<Finding>& findings, const Report& report) {
  std::unordered_map<std::int64_t, const KernelRow*> rows;
  for (const auto& row : report.kernels) rows.emplace(row.id, &row);
  const CallStacks stacks(report.call_sites);
  for (Finding& finding : findings) {
    if (about_rule(finding).is_of_calls) continue;
    const auto row = finding.kernel_id ? rows.find(*finding.kernel_id) : rows.end();
    if (row != rows.end() && !advice_holds(*row->second))
      advise(finding, *row->second, findings, report, stacks);
  }
}

// What PyTorch runs by itself is changed where its author asks for it.
void advise_operations(std::vector<Finding>& findings, const Report& report) {
  const CallStacks stacks(report.call_sites);
  for (Finding& finding : findings) {
    const bool fuses = finding.advice_id == kCompileAdvice || finding.advice_id == kAttentionAdvice;
    if (!fuses || !finding.call_site_id) continue;
    if (stacks.computes_gradients(*finding.call_site_id)) {
      finding.advice_id = kCompileForwardAdvice;
      finding.advice =
          "PyTorch runs these operations for gradients. Compile the function whose gradients they are, or "
          "the "
          "whole model (torch.compile): that fuses the gradients, too.";
    } else if (stacks.is_of_optimiser(*finding.call_site_id)) {
      finding.advice_id = kFusedOptimiserAdvice;
      finding.advice =
          "The optimiser runs these operations for each parameter in turn. Construct it with fused=True, so "
          "that one kernel does all of them, or with foreach=True, so that one kernel handles many "
          "parameters.";
    }
  }
}

void advise_copies(std::vector<Finding>& findings, const Report& report) {
  const std::string_view framework = framework_of(report);
  const auto rows = copy_rows();
  for (Finding& finding : findings) {
    // What is about the order of copies has no call of its own.
    if (finding.call_file && !finding.call_file->ends_with(".py")) continue;
    const bool is_of_device = concerns_device_memory(finding, report);
    const auto copy = std::ranges::find_if(rows, [&](const CopyRow& each) {
      return each.framework == framework && finding.advice_id.starts_with(each.cause) &&
             (!each.of_device || is_of_device);
    });
    if (copy == rows.end()) continue;
    if (copy->text.empty()) {
      finding.aside = Aside::library;
      continue;
    }
    finding.advice_id = finding.rule + "." + std::string(copy->id);
    finding.advice = copy->text;
    finding.advice_parameters.clear();
  }
}

}  // namespace coalescope::analysis
