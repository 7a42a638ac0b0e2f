#include "reports/text/check.h"

#include "reports/text/comparison.h"

namespace coalescope::text {

std::string to_text(const gate::Result& result, const TextOptions& options) {
  Answer answer{
      "coalescope check: " + result.verdict, {"Capture: " + result.capture_path}, gate::tables_of(result)};
  if (result.baseline_path) answer.about.push_back("Baseline: " + *result.baseline_path);
  for (const auto& note : result.notes) answer.about.push_back("Note: " + note);
  return to_text(answer, options);
}

}  // namespace coalescope::text
