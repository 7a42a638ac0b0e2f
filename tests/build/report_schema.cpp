// Prints docs/report.schema.json, whose path is the argument, with the definitions of the rows whose fields
// are declared (reports/analysis/*_fields.h). The rest of it is written by hand.

#include <cstdio>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>

#include "reports/analysis/family_fields.h"
#include "reports/analysis/row_fields.h"
#include "tests/build/schema_types.h"
#include "tests/support/json_text.h"

namespace {

using namespace coalescope;
using schema::define;
using schema::Json;

}  // namespace

int main(int argc, char** argv) try {
  std::ifstream file(argc == 2 ? argv[1] : "");
  Json schema = Json::parse(file, nullptr, false);
  if (!schema.is_object()) {
    std::fputs("usage: report_schema docs/report.schema.json\n", stderr);
    return 2;
  }
  Json& definitions = schema["$defs"];
  define<analysis::Samples>(definitions);
  define<analysis::Access>(definitions);
  define<analysis::SharedAccess>(definitions);
  define<analysis::Unmeasured>(definitions);
  define<analysis::Mixed::Part>(definitions);
  define<analysis::Mixed>(definitions);
  define<analysis::SiteUse>(definitions);
  define<analysis::SiteTimes>(definitions);
  define<analysis::CallSiteRow>(definitions);
  define<analysis::KernelRow>(definitions);
  define<analysis::Spread>(definitions);
  define<analysis::FamilyPhase>(definitions);
  define<analysis::FamilyTotal>(definitions);
  define<analysis::ProcessTime>(definitions);
  define<analysis::KernelFamily>(definitions);
  define<analysis::LineRow>(definitions);
  define<analysis::TransferRow>(definitions);
  define<analysis::Fact>(definitions);
  define<analysis::Finding>(definitions);
  std::puts(coalescope::json_text(schema).c_str());
} catch (const std::exception& error) {
  std::fprintf(stderr, "report_schema: %s\n", error.what());
  return 1;
}
