#include "reports/analysis/rows/autotuned.h"

#include "core/model/autotuners.h"
#include "reports/analysis/rows/call_stacks.h"

namespace coalescope::analysis {
namespace {

const model::Autotuner* autotuner_in(const std::vector<const CallSiteRow*>& stack) {
  for (const CallSiteRow* frame : stack)
    if (frame->file)
      if (const auto* found = model::autotuner_of(*frame->file, frame->function)) return found;
  return nullptr;
}

// nullptr: one of its launches was no candidate's, or none is known.
const model::Autotuner* only_autotuner(const KernelRow& row, const CallStacks& stacks) {
  const model::Autotuner* found = nullptr;
  for (const SiteUse& use : row.call_sites) {
    found = autotuner_in(stacks.stack(use.call_site_id));
    if (found == nullptr) return nullptr;
  }
  return found;
}

}  // namespace

void name_autotuned(std::vector<KernelRow>& kernels, std::span<const CallSiteRow> sites) {
  const CallStacks stacks(sites);
  for (KernelRow& row : kernels) {
    const auto* autotuner = only_autotuner(row, stacks);
    if (autotuner == nullptr) continue;
    row.origin = Origin::tool;
    row.owner = autotuner->owner;
  }
}

}  // namespace coalescope::analysis
