#include "tool/libraries.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <utility>

#include "core/model/diagnostic_kinds.h"
#include "tool/collect.h"
#include "tool/program.h"

namespace coalescope::tool {

namespace {

using base::ErrorCode;
using base::failure;
using base::Result;

constexpr const char* kDriverVariable = "CUDA_INJECTION64_PATH";
constexpr const char* kNvtxVariable = "NVTX_INJECTION64_PATH";

// LD_PRELOAD knows no quoting, and neither does PYTHONPATH.
Result<std::string> find_library(const char* name) {
  const auto path = find_companion(name);
  if (!path) return failure(ErrorCode::usage, "cannot record: " + path.error().message, path.error().remedy);
  if (path->string().find_first_of(" :") != std::string::npos)
    return failure(ErrorCode::usage,
                   fmt::format("cannot record: the path '{}' has a space or a colon in it", path->string()),
                   "install coalescope in a folder without them");
  return path->string();
}

// Null if there is none.
const char* other_tool(const char* variable, const std::string& injected) {
  const char* tool = std::getenv(variable);
  return tool == nullptr || *tool == '\0' || tool == injected ? nullptr : tool;
}

}  // namespace

Result<Libraries> find_libraries() {
  return find_library("libcoalescope_preload.so").and_then([](std::string preloaded) {
    return find_library("libcoalescope_inject.so").map([&](std::string injected) {
      return Libraries{std::move(preloaded), std::move(injected)};
    });
  });
}

Settings injection_settings(const std::string& injected) {
  Settings settings;
  for (const char* variable : {kDriverVariable, kNvtxVariable})
    if (other_tool(variable, injected) == nullptr) settings[variable] = injected;
  return settings;
}

Result<Settings> hook_settings(const Settings& chosen) {
  if (std::ranges::none_of(settings(), [&](const Setting& each) {
        return each.hooks_python && chosen.contains(each.variable);
      }))
    return Settings();
  return find_library("coalescope_modules").map([](std::string folder) {
    const char* inherited = std::getenv("PYTHONPATH");
    // An empty one is none to Python; behind a colon it would be the current folder.
    if (inherited != nullptr && *inherited != '\0') folder.append(":").append(inherited);
    return Settings{{"PYTHONPATH", std::move(folder)}};
  });
}

std::vector<model::Diagnostic> remark_on_other_tool(const std::string& injected) {
  const char* other = other_tool(kDriverVariable, injected);
  if (other == nullptr) return {};
  return {make_diagnostic(model::diagnostic_kind("record", "other_tool"), {kDriverVariable, other})};
}

}  // namespace coalescope::tool
