#pragma once
// Which calls and copies cause which findings, and what their author can do: the tables of call_advice.h.

#include <span>
#include <string_view>

#include "reports/analysis/figures/called_for.h"

namespace coalescope::analysis {

struct CallRow {
  std::string_view owner;  // as KernelRow::owner; empty: any library
  CalledFor called_for = CalledFor::any;
  std::string_view cause;     // Finding::advice_id begins with it
  bool needs_offset = false;  // only where a pointer was passed that is off a sector's boundary
  std::string_view id;        // of the advice, behind the rule's: "call_contiguous"; empty: the rule's advice
  std::string_view repair;    // the advice in a phrase; empty: the rule's, about the kernel
  std::string_view text;
  // Not where gradients are computed: PyTorch chooses their operations and operands, and nobody else can.
  bool forward_only = false;
  // Not where lanes share an operand: it is broadcast, and no layout of the operands changes that.
  bool unless_broadcast = false;
  // The repair removes the call: it saves all of the kernel's time.
  bool saves_all = false;
  // Not where the author's lines name none of these functions: then another function of the library calls it.
  std::span<const std::string_view> functions = {};
  // Not of stores: where its results go is the library's choice.
  bool loads_only = false;
  // Only where the program has given it all the arrays that it reads apart.
  bool of_given_arrays = false;
  // The library's own affair, whatever the caller does.
  bool never = false;
};

// The first row that fits decides.
[[nodiscard]] std::span<const CallRow> call_rows();

// A program whose kernels are a framework's makes its copies through it, where a line of Python makes them.
struct CopyRow {
  std::string_view framework;  // as KernelRow::owner
  std::string_view cause;      // Finding::advice_id begins with it
  bool of_device = false;      // only of copies from a device, or of memory there
  std::string_view id, text;
};

// Copies with an empty text are the framework's own affair. The first row that fits decides; copies for which
// none does keep the rule's advice.
[[nodiscard]] std::span<const CopyRow> copy_rows();

}  // namespace coalescope::analysis
