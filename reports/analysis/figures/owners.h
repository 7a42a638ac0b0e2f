#pragma once
// Owners of kernels that several places ask for, as KernelRow::owner names them.

#include <string_view>

namespace coalescope::analysis {

inline constexpr std::string_view kTorch = "PyTorch ATen", kCompiled = "torch.compile", kXla = "XLA",
                                  kCupy = "CuPy", kTriton = "Triton", kCublas = "cuBLAS";

}  // namespace coalescope::analysis
