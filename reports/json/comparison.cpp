#include "reports/json/comparison.h"

#include "reports/comparison/fields.h"
#include "reports/json/members.h"

namespace coalescope::json {

std::string to_json(const comparison::Comparison& comparison, int indent) {
  std::string text;
  Writer to(text, indent);
  object(to, "schema_version", kComparisonVersion, "comparison", comparison);
  return text;
}

}  // namespace coalescope::json
