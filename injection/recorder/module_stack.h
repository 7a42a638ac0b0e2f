#pragma once
// Which modules of PyTorch (torch.nn.Module) the calling thread is inside of, as the hook tells them that
// `record --modules` brings into Python: see injection/modules/sitecustomize.py. Each thread has a stack of
// its own, which a launch looks at without a lock.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace coalescope::recorder {

class ModuleStack {
 public:
  // Deeper ones count for the one above them.
  static constexpr std::size_t kMostModules = 64;

  // The calling thread enters a module, given by its qualified name.
  static void enter(std::string_view name);
  // It leaves all modules but the outermost `depth`.
  static void leave(std::size_t depth);

  // A number for the modules that this thread is inside of; 0: it is inside of none.
  [[nodiscard]] static std::uint64_t hash();
  // Their names, the outermost first.
  [[nodiscard]] static std::vector<std::string> names();

  // In a forked child: nothing is locked from here on.
  static void silence();
};

}  // namespace coalescope::recorder
