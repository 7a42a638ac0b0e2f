#include "tool/nearest.h"

#include <algorithm>
#include <vector>

namespace coalescope::tool {

namespace {

// Edits between `a` and `b`, by the table of edits between their beginnings; swapped neighbours count once.
std::size_t typing_errors(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> edits(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) edits[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) edits[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t wrong = a[i - 1] == b[j - 1] ? 0 : 1;
      edits[i][j] = std::min({edits[i - 1][j] + 1, edits[i][j - 1] + 1, edits[i - 1][j - 1] + wrong});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        edits[i][j] = std::min(edits[i][j], edits[i - 2][j - 2] + 1);
    }
  }
  return edits[a.size()][b.size()];
}

}  // namespace

std::optional<std::string> nearest(std::string_view typed, std::span<const std::string> words) {
  constexpr std::size_t kMostErrors = 2;
  std::optional<std::string> best;
  std::size_t fewest = kMostErrors + 1;
  for (const std::string& word : words) {
    const std::size_t errors = typing_errors(typed, word);
    if (errors < fewest && 2 * errors < word.size()) {
      fewest = errors;
      best = word;
    }
  }
  return best;
}

}  // namespace coalescope::tool
