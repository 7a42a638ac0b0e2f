#pragma once
// Reads the Python stack of the calling thread out of CPython's own structures: without the interpreter's
// lock, without calling it, and without allocating. That is safe because only this thread changes its stack,
// and it is inside of a call. Each frame's code object is checked to be one; the first stacks are read in a
// way that survives wrong addresses, so that an interpreter that is built otherwise is refused and not
// believed.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "injection/python/layout.h"

namespace coalescope::python {

// Of deeper stacks the innermost frames are read.
inline constexpr std::size_t kMostFrames = 64;

// What stack_hash() says where there is no stack: no interpreter knows this thread, or it runs no Python now.
inline constexpr std::uint64_t kNoPython = 0, kNoFrames = 1;

struct Frame {
  std::uint64_t code = 0;       // the code object,
  std::int64_t offset = 0;      // and the instruction in it, in bytes
  std::uint64_t file = 0;       // its file name and first line: code that takes the place of other code
  std::int64_t first_line = 0;  // differs in them
  bool operator==(const Frame&) const = default;
};

struct Place {
  std::string function;  // qualified from 3.11 on
  std::string file;      // as the code names it
  std::optional<std::int64_t> line;
};

class Interpreter {
 public:
  // The interpreter in this process; nullptr: there is none (yet). An error: there is one that cannot be
  // read.
  [[nodiscard]] static base::Result<std::unique_ptr<Interpreter>> find();

  // A number for the calling thread's stack: equal stacks have the same. Or one of the two above.
  [[nodiscard]] std::uint64_t stack_hash() noexcept;
  // The calling thread's stack, innermost first.
  [[nodiscard]] std::vector<Frame> stack();
  // While the frame is on the calling thread's stack.
  [[nodiscard]] Place place_of(const Frame& frame) const;
  // It turned out to be built in another way: nothing is read any more.
  [[nodiscard]] bool is_broken() const { return broken_.load(std::memory_order_relaxed); }

 private:
  using ThreadState = const void* (*)();
  // What dlsym() found.
  struct Symbols {
    ThreadState thread_state = nullptr;
    const void* code_type = nullptr;
    const void* text_type = nullptr;
  };
  Interpreter(const Symbols& symbols, const Layout& layout);

  struct Asked;
  template <class Memory, class Visit>
  bool walk(const Memory& memory, Visit&& visit) const noexcept;
  template <class Visit>
  void walk_carefully(Visit&& visit) noexcept;
  [[nodiscard]] std::string text_at(std::uint64_t object) const;

  Symbols symbols_;
  Layout layout_;
  std::atomic<int> trials_left_;  // stacks that are read with care
  // Pages that the system said can be read, each at its place.
  mutable std::array<std::atomic<std::uint64_t>, 512> readable_{};
  std::atomic<bool> broken_{false};
};

}  // namespace coalescope::python
