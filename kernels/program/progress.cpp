#include "kernels/program/progress.h"

#include <algorithm>

namespace coalescope::kernels {
namespace {

constexpr int kBarWidth = 30;

}  // namespace

Progress::Progress(std::FILE* out, bool on_terminal, ProgressSpan span, std::size_t steps)
    : out_(out), on_terminal_(on_terminal), span_(span), steps_(std::max<std::size_t>(steps, 1)) {}

// The bar's line is for whatever is said next.
Progress::~Progress() {
  if (out_ == nullptr || !on_terminal_ || done_ == 0) return;
  std::fputs("\r\033[K", out_);
  std::fflush(out_);
}

void Progress::step(std::string_view family, std::string_view what) {
  if (out_ == nullptr) return;
  const auto part =
      static_cast<int>(std::min(done_++, steps_) * static_cast<std::size_t>(span_.to - span_.from) / steps_);
  const int percent = span_.from + part;
  if (on_terminal_) {
    const auto filled = static_cast<std::size_t>(percent * kBarWidth / 100);
    const std::string bar = std::string(filled, '#') + std::string(kBarWidth - filled, '.');
    std::fprintf(out_, "\r\033[K[%s] %3d %%  %.*s %.*s", bar.c_str(), percent,
                 static_cast<int>(family.size()), family.data(), static_cast<int>(what.size()), what.data());
  } else if (family != family_) {
    std::fprintf(out_, "%3d %%  %.*s\n", percent, static_cast<int>(family.size()), family.data());
  }
  family_ = family;
  std::fflush(out_);
}

}  // namespace coalescope::kernels
