#pragma once
// Gradients that PyTorch's zero_grad() fills with zeros. By default it lets go of them, and launches nothing.

#include <span>
#include <vector>

#include "reports/analysis/report.h"

namespace coalescope::analysis {

// Told by the functions that fill and add: every launch and memory set below zero_grad(), and additions below
// backward(). A sum of several backward passes adds to more bytes than were filled; the first addition to
// each byte counts.
[[nodiscard]] std::vector<ZeroedGradientsRow> zeroed_gradients(std::span<const KernelRow> kernels,
                                                               std::span<const TransferRow> transfers,
                                                               std::span<const CallSiteRow> call_sites);

}  // namespace coalescope::analysis
