#pragma once
// NVTX calls of the program, taken by us as the tool that NVTX looks for.
//
//   1. Each copy of NVTX in the process (it is a header) loads what NVTX_INJECTION64_PATH names at its first
//      use, and calls InitializeInjectionNvtx2 with its table of functions
//   2. begin_nvtx() puts ours into that table; where no recording was asked for it leaves them empty, which
//      costs the program a comparison a call
//   3. the functions hand their arguments, as numbers, to recorder::NvtxRanges

namespace coalescope::cupti {

// `get_export_table` is NVTX's NvtxGetExportTableFunc_t.
void begin_nvtx(const void* (*get_export_table)(unsigned int)) noexcept;
// Around a fork: no other thread is in the midst of a range then.
void hold_nvtx() noexcept;
void release_nvtx() noexcept;
// In a forked child: of a recorded process, and of one that is not.
void silence_nvtx() noexcept;
void forget_nvtx() noexcept;

}  // namespace coalescope::cupti
