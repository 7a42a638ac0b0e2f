#pragma once
// Who called into CUDA: the return addresses of this thread's calls, and later, on the writer thread, the
// modules and functions that they lie in. The runtime is often linked statically into the program: its
// functions are told from the program's by their names, which is why more than one address is kept.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/model/call_site.h"

namespace coalescope::recorder {

struct CallStack {
  static constexpr std::size_t kMostFrames = 28;
  std::array<std::uint64_t, kMostFrames> frames{};
  std::size_t count = 0;

  bool operator==(const CallStack&) const = default;
};

// Innermost first, without its own frame. Calls nothing but the unwinder: some 0.2 us a frame.
[[nodiscard]] CallStack take_call_stack();

// A function of CUDA's runtime, by its mangled name.
[[nodiscard]] bool is_runtime_function(std::string_view symbol);
// A library that lies between the program and its GPU, by its path.
[[nodiscard]] bool is_runtime_library(std::string_view path);

// The file's function that holds an address of the file's image, also one that the dynamic linker does not
// see. Whoever answers is not in this process: nothing here opens a file.
using FindFunction = std::function<std::optional<std::string>(const std::string& path, std::uint64_t offset)>;

// For one thread.
class CallSites {
 public:
  explicit CallSites(FindFunction find_function) : find_function_(std::move(find_function)) {}

  // The innermost call that is the program's own; without an id. nullopt: none was found.
  [[nodiscard]] std::optional<model::CallSite> resolve(const CallStack& stack);

 private:
  struct Frame {
    std::string module;
    std::int64_t offset = 0;
    std::optional<std::string> symbol;
    bool runtime = false;
  };
  const Frame& frame(std::uint64_t address);

  FindFunction find_function_;
  std::map<std::uint64_t, Frame> frames_;
};

}  // namespace coalescope::recorder
