#include "core/model/diagnostic_kinds.h"

#include <string>

namespace coalescope::model {

Diagnostic make_diagnostic(const DiagnosticKind& kind, std::initializer_list<std::string_view> details) {
  constexpr std::string_view kOpen = "{}";
  Diagnostic row;
  row.origin = kind.origin;
  row.code = kind.code;
  row.severity = kind.severity;
  std::string_view rest = kind.happened;
  for (const std::string_view detail : details) {
    const auto at = rest.find(kOpen);
    if (at == std::string_view::npos) break;
    row.text.append(rest.substr(0, at)).append(detail);
    rest.remove_prefix(at + kOpen.size());
  }
  row.text += rest;
  if (!kind.remedy.empty()) row.text.append(" ").append(kind.remedy);
  return row;
}

}  // namespace coalescope::model
