#pragma once
// Where the program's calls came from, as the report shows it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/call_site.h"

namespace coalescope::analysis {

// Whose code a file of a stack is: by default all but the interpreter's own library, installed packages,
// generated code and the system's libraries.
struct CodeOwnership {
  std::vector<std::string> roots;   // if any: only files in these folders are the author's
  std::vector<std::string> hidden;  // files whose path contains one of these never are
};

// Time on the GPU, and of waiting for it, that a call site is the cause of. Of calls whose stack was not
// looked at each site has its part.
struct SiteTimes {
  std::int64_t kernel_ns = 0;
  std::int64_t transfer_ns = 0;
  std::int64_t wait_ns = 0;
};

// A frame of a stack. Sites of one process form a tree; `caller_id` points to the root.
struct CallSiteRow {
  std::int64_t id = 0;
  std::int64_t process_id = 0;
  std::optional<std::int64_t> caller_id;
  model::FrameKind kind = model::FrameKind::native;
  std::string function;  // demangled; empty: not known; of a torch_module its qualified name
  std::optional<std::string> file;
  std::optional<std::int64_t> line;
  std::string module;       // of native code
  std::int64_t offset = 0;  // in it
  bool own = false;         // the author's own code
  bool runtime = false;     // CUDA's runtime and what nvcc makes to call it, also inside of the program
  SiteTimes exclusive;
  SiteTimes inclusive;  // with all that it called
};

// A line of the author's own code that called CUDA.
struct CallLineRow {
  std::string file;
  std::int64_t line = 0;
  std::string function;             // of the last call that was looked at; empty: not known
  SiteTimes times;                  // of what it called, itself or through code that is not the author's
  std::optional<std::string> text;  // the source line, when it could be read
};
[[nodiscard]] inline std::int64_t gpu_ns(const CallLineRow& line) {
  return line.times.kernel_ns + line.times.transfer_ns;
}

// What one call site has to do with a kernel, a class of transfers or waits.
struct SiteUse {
  std::int64_t call_site_id = 0;
  model::SiteRole role = model::SiteRole::launch;
  std::int64_t calls = 0;
  std::optional<std::int64_t> bytes;  // of transfers
  std::int64_t gpu_ns = 0;            // of those with a time; of waits the time of the host
  // With its part of the calls that were not looked at: the row's time, divided as the known part is.
  std::int64_t estimated_ns = 0;
  std::optional<double> share;  // of all sites in this role
  // Of copies: how long the GPU idled because they kept their caller; see rows/copy_waits.h.
  std::int64_t idle_ns = 0;
  // As in model::TransferSite.
  std::optional<std::int64_t> compared, repeated;
  // Of copies from the host: those whose memory a kernel overwrites whole before anything loads it, and
  // which.
  std::int64_t overwritten = 0;
  std::int64_t overwritten_by = 0;  // KernelRow::id; 0: none
};

}  // namespace coalescope::analysis
