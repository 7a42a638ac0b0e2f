#pragma once
// Runs another program out of sight: no input, and its words for us alone. One that does not end in time is
// ended.

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace coalescope::tool {

using HelperArguments = std::vector<std::string>;

struct HelperAnswer {
  std::string output;  // at most kMostHelperBytes of it
  std::string errors;
  std::optional<int> status;  // empty: a signal ended it
  std::optional<int> signal;
  bool timed_out = false;

  [[nodiscard]] bool done() const { return status == 0 && !timed_out; }
};

// A program that talks without end must not fill our memory.
inline constexpr std::size_t kMostHelperBytes = 1'048'576;

// Fails only if the program could not be started. Without a limit it may take as long as it likes.
[[nodiscard]] base::Result<HelperAnswer> ask_helper(const std::filesystem::path& program,
                                                    const HelperArguments& arguments,
                                                    std::optional<std::chrono::milliseconds> limit = {});

// Of a program of our own. The error is its last line on stderr, or how it ended.
[[nodiscard]] base::Result<void> run_helper(const std::filesystem::path& program,
                                            const HelperArguments& arguments);

// Why an answer is none: "was ended by signal 11", or the last line on stderr.
[[nodiscard]] std::string why_not_done(const HelperAnswer& answer);

}  // namespace coalescope::tool
