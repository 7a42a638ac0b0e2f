#include "reports/json/check.h"

#include "reports/gate/fields.h"
#include "reports/json/members.h"

namespace coalescope::json {

std::string to_json(const gate::Result& result, int indent) {
  std::string text;
  Writer to(text, indent);
  object(to, "schema_version", kCheckVersion, "check", result);
  return text;
}

}  // namespace coalescope::json
