#pragma once
// .coalescope.toml: what a repository demands of its captures, kept beside its code.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "reports/gate/policy.h"

namespace coalescope::tool {

inline constexpr std::string_view kConfigName = ".coalescope.toml";

struct CheckConfig {
  gate::Policy policy;
  std::optional<std::string> baseline;  // relative to the file's folder, made whole
};

// Each error names line and column. `path` is for messages, and says what the baseline is relative to.
[[nodiscard]] base::Result<CheckConfig> parse_config(std::string_view text,
                                                     const std::filesystem::path& path);
[[nodiscard]] base::Result<CheckConfig> read_config(const std::filesystem::path& path);

// In this folder, or in one above it up to the repository's root; nullopt: there is none.
[[nodiscard]] std::optional<std::filesystem::path> find_config(std::filesystem::path folder);

}  // namespace coalescope::tool
