#pragma once
// Who called into CUDA: the return addresses of this thread's calls, and later, on the writer thread, the
// modules that they lie in. Functions are named once the program has ended (injection/resolve), for that
// takes files. The runtime is often linked statically into the program, and its functions are told from the
// program's by their names, which is why more than one address is kept.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace coalescope::recorder {

struct CallStack {
  static constexpr std::size_t kMostFrames = 28;
  std::array<std::uint64_t, kMostFrames> frames{};
  std::size_t count = 0;

  bool operator==(const CallStack&) const = default;
};

// Innermost first, without its own frame. Calls nothing but the unwinder: some 0.2 us a frame.
[[nodiscard]] CallStack take_call_stack();

// The path of the program or library that holds this address; empty: none does.
[[nodiscard]] std::string file_at(std::uint64_t address);

// A frame of a stack: where it returns to.
struct NativeFrame {
  std::string module;  // path of the program or library
  std::int64_t offset = 0;
  std::optional<std::string> symbol;    // where the loader knows it
  std::optional<std::string> build_id;  // of the module
};

// For one thread.
class FrameFinder {
 public:
  // Innermost first, from the first call on that no library of the runtime makes. Code that belongs to no
  // file is left out.
  [[nodiscard]] std::vector<NativeFrame> locate(const CallStack& stack);

 private:
  const NativeFrame& frame(std::uint64_t address);  // without a module: of nobody

  std::map<std::uint64_t, NativeFrame> frames_;
};

}  // namespace coalescope::recorder
