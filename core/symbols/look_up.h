#pragma once
// Which functions and source lines an address of a program or library belongs to, by its symbol table and its
// debug information. For programs and files that have ended and may be anything: nothing in them is executed,
// nothing is asked of the network, and what is not known is missing.

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace coalescope::symbols {

// A function that an address lies in, and the place in it: where the address is, or where the function that
// was inlined there is called.
struct Frame {
  std::optional<std::string> symbol;  // as the file names it, mangled where that is how it does
  std::optional<std::string> file;    // absolute where the compiler said from where it counts
  std::optional<std::int64_t> line;
  std::optional<std::int64_t> column;
  bool is_inlined = false;  // into the next frame

  bool operator==(const Frame&) const = default;
};

// One address's, innermost first; the last one is the function that the symbol table knows. Empty: nothing is
// known.
using Frames = std::vector<Frame>;

struct ModuleFile {
  std::string path;
  std::string build_id;  // in hexadecimal; a file with another one tells nothing. Empty: not known
};

struct LookUp {
  std::vector<Frames> frames;  // of each offset
  // The file has another build id, and there is no debug file of the one that is meant.
  bool replaced = false;
};

struct LookUpOptions {
  // Where separate debug files lie: ROOT/.build-id/ab/cdef.debug, ROOT/FOLDER/LINK. Beside the file and in
  // its .debug folder they are always looked for.
  std::string debug_root = "/usr/lib/debug";
  // For all addresses of a file. What was found until then counts.
  std::chrono::milliseconds time_limit = std::chrono::seconds(20);
};

// An offset counts from where the module begins in memory (dladdr's dli_fbase); of
// a return address, that of the byte before it is wanted, for the call may be its function's last
// instruction.
//
// libdw was not made for files that mean harm: it runs in a child with limits on time and memory, and what
// ends that one costs the rest of this file's names. To be called from programs with one thread.
[[nodiscard]] LookUp look_up(const ModuleFile& module, std::span<const std::uint64_t> offsets,
                             const LookUpOptions& options = {});

}  // namespace coalescope::symbols
