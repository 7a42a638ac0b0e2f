#include "reports/analysis/figures/command_line.h"

#include <nlohmann/json.hpp>

namespace coalescope::analysis {

std::vector<std::string> decode_command(const std::string& json_array) {
  const auto json = nlohmann::json::parse(json_array, nullptr, false);
  std::vector<std::string> words;
  if (json.is_array())
    for (const auto& word : json)
      if (word.is_string()) words.push_back(word.get<std::string>());
  if (words.empty() && !json_array.empty() && json_array != "[]") return {json_array};
  return words;
}

}  // namespace coalescope::analysis
