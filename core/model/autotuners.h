#pragma once
// Code that tries candidates of a kernel and keeps the fastest.

#include <algorithm>
#include <array>
#include <string_view>

namespace coalescope::model {

// A frame of Python that is on the stack only while a candidate is timed. `function` without its class;
// empty: any of the file.
struct Autotuner {
  std::string_view owner, file, function;
};
inline constexpr std::array kAutotuners{
    Autotuner{"torch.compile autotuning", "/torch/_inductor/runtime/benchmarking.py", ""},
    Autotuner{"Triton autotuning", "/triton/runtime/autotuner.py", "_bench"},
};

// nullptr: nothing is timed there. `function`: qualified where Python tells that, from 3.11 on.
[[nodiscard]] constexpr const Autotuner* autotuner_of(std::string_view file, std::string_view function) {
  for (const Autotuner& each : kAutotuners) {
    if (!file.ends_with(each.file)) continue;
    if (each.function.empty()) return &each;
    for (std::string_view rest = function; !rest.empty();) {
      const std::string_view name = rest.substr(0, rest.find('.'));
      if (name == each.function) return &each;
      rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    }
  }
  return nullptr;
}

}  // namespace coalescope::model
