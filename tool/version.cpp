#include "tool/version.h"

#include <array>
#include <fmt/format.h>
#include <gnu/libc-version.h>

#include "core/capture/schema.h"
#include "reports/analysis/rules/rules.h"
#include "tool/program.h"

namespace coalescope::tool {

namespace {

constexpr std::array kParts{"libcoalescope_inject.so", "libcoalescope_preload.so", "coalescope_resolve",
                            "coalescope_probe",        "coalescope_modules",       "coalescope_kernels"};

}  // namespace

std::string_view version() {
  return COALESCOPE_VERSION;
}

std::string version_text() {
  std::string text = fmt::format("coalescope {}\n", version());
  text += fmt::format("captures: schema {}, and older from {} on\n", capture::kSchemaVersion,
                      capture::kOldestSchema);
  text += fmt::format("rules: {}\n", analysis::rule_catalogue().size());
  text +=
      fmt::format("C library: {}, built with {}.{}\n", gnu_get_libc_version(), __GLIBC__, __GLIBC_MINOR__);
  for (const char* part : kParts) {
    const auto path = find_companion(part);
    text += fmt::format("{}: {}\n", part, path ? path->string() : "not installed");
  }
  text.pop_back();  // whoever prints it ends the line
  return text;
}

}  // namespace coalescope::tool
