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
#include <string_view>

#include "core/model/memory.h"

namespace coalescope::recorder {

struct CallStack {
  static constexpr std::size_t kMostFrames = 28;
  std::array<std::uint64_t, kMostFrames> frames{};
  std::size_t count = 0;

  bool operator==(const CallStack&) const = default;
};

// Innermost first, without its own frame. Calls nothing but the unwinder: some 0.2 us a frame.
[[nodiscard]] CallStack take_call_stack();

// A library that lies between the program and its GPU, by its path.
[[nodiscard]] bool is_runtime_library(std::string_view path);

// For one thread.
class CallSites {
 public:
  // The innermost call that no library of the runtime makes, and all around it; without an id. nullopt: there
  // is none.
  [[nodiscard]] std::optional<model::CallSite> locate(const CallStack& stack);

 private:
  struct Frame {
    std::string module;  // empty: code that belongs to no file
    std::int64_t offset = 0;
    std::optional<std::string> symbol;  // where the loader knows it
    bool runtime = false;
  };
  const Frame& frame(std::uint64_t address);

  std::map<std::uint64_t, Frame> frames_;
};

}  // namespace coalescope::recorder
