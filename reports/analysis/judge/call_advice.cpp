#include "reports/analysis/judge/call_advice.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <unordered_map>

#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/figures/users_functor.h"
#include "reports/analysis/judge/call_table.h"

namespace coalescope::analysis {
namespace {

// Compilers of array operations, whose kernels nobody writes or edits, and Triton, whose authors have no
// threads. In the languages of the others (Numba, Warp) the advice of rules can be followed as it is.
constexpr std::array<std::string_view, 4> kOtherLanguages{"XLA", "torch.compile", "CuPy", "Triton"};

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
         finding.advice_id.starts_with(call.cause) && (!call.needs_offset || passes_an_offset(report, row));
}

// A program whose kernels are a framework's makes its copies through it, where a line of Python makes them.
struct CopyRow {
  std::string_view rule;
  std::string_view way;  // the copies' name begins with it
  std::string_view id, text;
};
constexpr std::array kTorchCopies{
    CopyRow{"T01", "device to", "call_pinned_result",
            "Copy into a pinned tensor that is kept (torch.empty(..., pin_memory=True)) with "
            "copy_(x, non_blocking=True) instead of .cpu(), and wait once, before the host reads it."},
    CopyRow{"T01", "", "call_pin_memory",
            "Pin the tensor on the host once (DataLoader(pin_memory=True), x.pin_memory(), or "
            "torch.empty(..., pin_memory=True)) and copy with non_blocking=True."},
    CopyRow{"T02", "", "call_pack",
            "Copy less often: put small tensors into one before the copy, make constants on the device "
            "(device=\"cuda\"), and read results such as a loss (.item()) once in many steps."},
    CopyRow{"T07", "", "call_keep",
            "Make this tensor on the device (device=\"cuda\"), or move it there once, before the loop, and "
            "keep it "
            "(register_buffer() in a module)."},
    CopyRow{"T08", "", "call_reuse",
            "Keep one pinned tensor (torch.empty(..., pin_memory=True)) and copy_() each batch into it, or "
            "use DataLoader(pin_memory=True): PyTorch keeps what it has pinned, unless the program registers "
            "memory itself or empties the host's cache."},
    CopyRow{"T03", "", "call_non_blocking",
            "Keep work queued: copy pinned tensors with non_blocking=True (DataLoader(pin_memory=True)), "
            "the next "
            "batch while this one is computed, and read results (.item(), .cpu()) once in many steps."}};

constexpr std::array kCupyCopies{
    CopyRow{"T01", "device to", "cupy_pinned_result",
            "Copy into a pinned array that is kept: out = cupyx.empty_pinned(shape, dtype) once, before the "
            "loop, and x.get(out=out) in it."},
    CopyRow{
        "T01", "", "cupy_pinned",
        "Keep the data in a pinned array (cupyx.empty_pinned(shape, dtype)), and copy it with x.set(array) "
        "into an array that is on the device already."},
    CopyRow{"T02", "", "cupy_pack",
            "Copy less often: put small arrays into one before the copy, make constants on the device once, "
            "and read results (float(x), x.item(), x.get()) once in many steps."},
    CopyRow{"T07", "", "cupy_keep",
            "Move this array to the device once, before the loop (cupy.asarray), and keep it."},
    CopyRow{"T08", "", "cupy_reuse",
            "Keep one pinned array (cupyx.empty_pinned), and copy each batch into it. CuPy keeps what it has "
            "pinned, unless the program frees its pool or registers memory itself."},
    CopyRow{"T03", "", "cupy_queued",
            "Keep work queued: read results (float(x), bool(x), x.item(), x.get()) once in many steps, and "
            "copy pinned arrays in a stream of their own."}};

// JAX queues its steps by itself, as long as nobody asks for a result.
constexpr std::array kJaxCopies{
    CopyRow{"T02", "", "jax_pack",
            "Copy less often: make constants inside of the compiled function, hand over one array instead of "
            "many small ones, and read results (float(x), numpy.asarray(x)) once in many steps."},
    CopyRow{"T03", "", "jax_queued",
            "Keep work queued: read results (float(x), numpy.asarray(x), x.block_until_ready()) once in many "
            "steps, and keep data on the device (jax.device_put) between them."}};

bool runs_kernels_of(const Report& report, std::string_view owner) {
  return std::ranges::find(report.kernels, owner, &KernelRow::owner) != report.kernels.end();
}

std::span<const CopyRow> copy_rows(const Report& report) {
  if (runs_kernels_of(report, "PyTorch ATen") || runs_kernels_of(report, "torch.compile"))
    return kTorchCopies;
  if (runs_kernels_of(report, "CuPy")) return kCupyCopies;
  if (runs_kernels_of(report, "XLA")) return kJaxCopies;
  return {};
}

void advise(Finding& finding, const KernelRow& row, const Report& report) {
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
  if (call->id.empty()) return;
  finding.advice_id = finding.rule + "." + std::string(call->id);
  finding.advice = call->text;
  finding.advice_parameters.clear();
}

}  // namespace

void advise_calls(std::vector<Finding>& findings, const Report& report) {
  std::unordered_map<std::int64_t, const KernelRow*> rows;
  for (const auto& row : report.kernels) rows.emplace(row.id, &row);
  for (Finding& finding : findings) {
    const auto row = finding.kernel_id ? rows.find(*finding.kernel_id) : rows.end();
    if (row != rows.end() && !advice_holds(*row->second)) advise(finding, *row->second, report);
  }
}

void advise_copies(std::vector<Finding>& findings, const Report& report) {
  const auto rows = copy_rows(report);
  for (Finding& finding : findings) {
    // What is about the order of copies has no call of its own.
    if (finding.call_file && !finding.call_file->ends_with(".py")) continue;
    const auto copy = std::ranges::find_if(rows, [&](const CopyRow& each) {
      return finding.rule == each.rule && finding.subject.starts_with(each.way);
    });
    if (copy == rows.end()) continue;
    finding.advice_id = finding.rule + "." + std::string(copy->id);
    finding.advice = copy->text;
    finding.advice_parameters.clear();
  }
}

}  // namespace coalescope::analysis
