#pragma once
// Which file the code of a kernel lies in. The driver names code by handles: what it loads is a module or a
// library, and modules, kernels and functions are parts of it. Each load and each part is told once, in the
// callbacks of the calls that make them; no launch waits for that.

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

namespace coalescope::recorder {

struct CodeSource {
  std::optional<std::string> file;    // that holds the code
  std::optional<std::string> loader;  // of code that no file holds: who loaded it
};

// Of code at this address, which the calling thread is loading.
[[nodiscard]] CodeSource code_source(const void* image);

class CodeFiles {
 public:
  void loaded(std::uint64_t handle, CodeSource source);
  // `part` belongs to `whole`, which was loaded or is a part itself.
  void found_part(std::uint64_t part, std::uint64_t whole);
  // Handles are used again: its parts are forgotten, too.
  void unloaded(std::uint64_t handle);

  [[nodiscard]] std::optional<CodeSource> source_of(std::uint64_t handle) const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, CodeSource> sources_;
  std::unordered_map<std::uint64_t, std::uint64_t> wholes_;  // what was loaded, by its parts
};

}  // namespace coalescope::recorder
