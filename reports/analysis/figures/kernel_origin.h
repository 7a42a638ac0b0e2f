#pragma once
// Whose code a kernel is: its reader can change his own kernels, ask a compiler for others, and call a
// library otherwise, but never edit a library.
//
// A name that no rule knows is the user's: libraries have few and peculiar names, which a table can hold,
// and authors have all the others. A library's kernel that is missing from the table costs its reader a
// glance; an author's kernel that is called a library's costs him the finding.

#include <string>
#include <string_view>

#include "reports/analysis/report.h"

namespace coalescope::analysis {

struct KernelOrigin {
  Origin origin = Origin::user;
  std::string owner;    // "cuBLAS", "Triton"; empty for the user's own
  std::string functor;  // of the user, which a library's template was given: "Less", "lambda in step"

  friend bool operator==(const KernelOrigin&, const KernelOrigin&) = default;
};

// What else is known of the kernel; empty where it is not.
struct OriginHints {
  std::string_view source_file;  // of the kernel's lines
  std::string_view module_file;  // that holds the kernel's code
  std::string_view loader_file;  // of code that no file holds: who loaded it
};

// The two names may be the same: extern "C" and generated kernels are not mangled.
[[nodiscard]] KernelOrigin kernel_origin(std::string_view mangled, std::string_view demangled,
                                         const OriginHints& hints = {});

// Whether torch.compile wrote the file. Its lines are nobody's to change.
[[nodiscard]] bool is_generated(std::string_view path);
// "/venv/lib/python3.12/site-packages/vllm/ops.py" is of vllm; empty: it is of no package of Python.
[[nodiscard]] std::string_view python_package(std::string_view path);

}  // namespace coalescope::analysis
