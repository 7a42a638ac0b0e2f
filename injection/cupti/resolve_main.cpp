// coalescope_resolve FILE [CUPTI]: finds the functions of a part's call sites and the source line of each of
// its instructions, once its process has ended; or the lines alone of a capture that still has the code of
// instructions without one. It speaks through the file. CUPTI is the library with which a part was recorded:
// it is not taken from the file, which may be a stranger's. Exit status: 0 done, 1 not done (one line on
// stderr says why), 2 usage.

#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>

#include "core/base/log.h"
#include "core/base/memory_limit.h"
#include "core/ring/part_writer.h"
#include "injection/cupti/instruction_lines.h"
#include "injection/resolve/call_sites.h"

namespace {

using namespace coalescope;

// The code in a stranger's capture may be made so that it takes more.
constexpr std::int64_t kMostMib = 4096;

// Call sites first: that is done in children, which share what this process holds. A capture may come from
// another machine, whose programs have other files under the same names.
base::Result<void> resolve_file(const std::string& path, const std::string& recorded_with) {
  const bool is_part = path.ends_with(ring::kPartEnding);
  if (!is_part) (void)base::limit_memory(kMostMib);
  const auto named = is_part ? resolve::name_call_sites(path) : base::Result<void>();
  const auto found = cupti::find_instruction_lines(path, recorded_with);
  return found ? named : found;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    std::fputs("coalescope: error: coalescope_resolve wants a capture or a part of one\n", stderr);
    return 2;
  }
  try {
    const auto done = resolve_file(argv[1], argc == 3 ? argv[2] : "");
    if (done) return 0;
    base::log_error(done.error());
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "coalescope: fatal: %s\n", exception.what());
  }
  return 1;
}
