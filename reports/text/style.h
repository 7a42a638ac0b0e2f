#pragma once
// Emphasis for terminals. Whole lines only, and after padding, so that no width is counted wrong; nothing is
// said by colour alone.

#include <string>

namespace coalescope::text {

struct Style {
  bool on = false;

  [[nodiscard]] std::string heading(const std::string& line) const { return wrapped("\x1b[1m", line); }
  [[nodiscard]] std::string warning(const std::string& line) const { return wrapped("\x1b[33m", line); }

 private:
  [[nodiscard]] std::string wrapped(const char* begin, const std::string& line) const {
    return on && !line.empty() ? begin + line + "\x1b[0m" : line;
  }
};

}  // namespace coalescope::text
