#pragma once
// The recorded command, out of the JSON array that the capture keeps it in.

#include <string>
#include <vector>

namespace coalescope::analysis {

// What is not an array of strings comes back as one word, as it is.
[[nodiscard]] std::vector<std::string> decode_command(const std::string& json_array);

}  // namespace coalescope::analysis
