#include "reports/markdown/check.h"

#include "reports/markdown/comparison.h"
#include "reports/markdown/escape.h"

namespace coalescope::markdown {

std::string to_markdown(const gate::Result& result) {
  std::string text =
      "## coalescope: " + code(result.capture_path) + "\n\n**" + prose(result.verdict) + "**\n";
  if (result.baseline_path) text += "\nBaseline: " + code(*result.baseline_path) + ".\n";
  for (const auto& note : result.notes) text += "\n- " + prose(note);
  if (!result.notes.empty()) text += '\n';
  for (const auto& table : gate::tables_of(result)) text += to_markdown(table);
  return text;
}

}  // namespace coalescope::markdown
