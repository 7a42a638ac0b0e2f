#pragma once
// How far a run is, for the person who waits: a bar on a terminal, elsewhere a line a family.

#include <cstdio>
#include <string>
#include <string_view>

namespace coalescope::kernels {

// A run may be one of several: it goes from `from` to `to` per cent of the whole.
struct ProgressSpan {
  int from = 0;
  int to = 100;
};

class Progress {
 public:
  // `out` == nullptr: nothing is shown.
  Progress(std::FILE* out, bool on_terminal, ProgressSpan span, std::size_t steps);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Before the step is done.
  void step(std::string_view family, std::string_view what);

 private:
  std::FILE* out_;
  bool on_terminal_;
  ProgressSpan span_;
  std::size_t steps_;
  std::size_t done_ = 0;
  std::string family_;
};

}  // namespace coalescope::kernels
