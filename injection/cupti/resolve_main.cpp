// coalescope_resolve FILE: finds the functions of a part's call sites and the source line of each of its
// instructions, once its process has ended; or the lines alone of a capture that still has the code of
// instructions without one. It speaks through the file. Exit status: 0 done, 1 not done (one line on stderr
// says why), 2 usage.

#include <cstdio>
#include <exception>
#include <string>

#include "core/base/log.h"
#include "core/capture/reader.h"
#include "core/ring/part_writer.h"
#include "injection/cupti/instruction_lines.h"
#include "injection/resolve/call_sites.h"

namespace {

using namespace coalescope;

// The CUPTI of the program, which may lie where nothing but the program leads to; empty: it had none.
std::string recorded_with(const std::string& part) {
  const auto processes = capture::Reader::open(part).and_then(
      [](capture::Reader reader) { return reader.rows<model::Process>(); });
  return processes && !processes->empty() ? processes->front().cupti_path.value_or("") : "";
}

// Call sites first: that is done in children, which share what this process holds. A capture may come from
// another machine, whose programs have other files under the same names, or from a stranger, and no library
// is loaded because a stranger names it.
base::Result<void> resolve_file(const std::string& path) {
  const bool ours = path.ends_with(ring::kPartEnding);
  const auto named = ours ? resolve::name_call_sites(path) : base::Result<void>();
  const auto found = cupti::find_instruction_lines(path, ours ? recorded_with(path) : "");
  return found ? named : found;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("coalescope: error: coalescope_resolve wants one argument, a capture or a part of one\n",
               stderr);
    return 2;
  }
  try {
    const auto done = resolve_file(argv[1]);
    if (done) return 0;
    base::log_error(done.error());
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "coalescope: fatal: %s\n", exception.what());
  }
  return 1;
}
