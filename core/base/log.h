#pragma once
// What coalescope says to a person besides its reports: one line on stderr, never stdout, which belongs to
// the program that is recorded. The name stands in front because that program writes to the same terminal.

#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/error.h"

namespace coalescope::base {

// A line goes out in one write, so that lines of several processes do not mix.
inline void log_line(std::string_view prefix, std::string_view text) {
  const std::string line = fmt::format("coalescope: {}: {}\n", prefix, text);
  std::fwrite(line.data(), 1, line.size(), stderr);
}

// The command cannot go on, and the cause is ours.
template <class... Args>
void log_fatal(fmt::format_string<Args...> text, Args&&... args) {
  log_line("fatal", fmt::format(text, std::forward<Args>(args)...));
}

// The command cannot do what was asked.
template <class... Args>
void log_error(fmt::format_string<Args...> text, Args&&... args) {
  log_line("error", fmt::format(text, std::forward<Args>(args)...));
}

// It goes on, with less.
template <class... Args>
void log_warning(fmt::format_string<Args...> text, Args&&... args) {
  log_line("warning", fmt::format(text, std::forward<Args>(args)...));
}

// Worth knowing; nothing is lost.
template <class... Args>
void log_note(fmt::format_string<Args...> text, Args&&... args) {
  log_line("note", fmt::format(text, std::forward<Args>(args)...));
}

inline void log_error(const Error& error) {
  log_line("error", error.text());
}
inline void log_warning(const Error& error) {
  log_line("warning", error.text());
}

}  // namespace coalescope::base
