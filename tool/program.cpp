#include "tool/program.h"

#include <cstdlib>
#include <fmt/format.h>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace coalescope::tool {

namespace {

namespace fs = std::filesystem;
using base::ErrorCode;
using base::failure;

// What a shell uses when there is no PATH at all.
constexpr std::string_view kDefaultPath = "/usr/local/bin:/usr/bin:/bin";

std::vector<std::string> candidates(const std::string& name) {
  if (name.find('/') != std::string::npos) return {name};
  const char* variable = std::getenv("PATH");
  std::string_view path = variable != nullptr ? variable : kDefaultPath;
  std::vector<std::string> found;
  for (;;) {
    const std::size_t colon = path.find(':');
    found.push_back((fs::path(path.substr(0, colon)) / name).string());  // empty: the current folder
    if (colon == std::string_view::npos) return found;
    path.remove_prefix(colon + 1);
  }
}

}  // namespace

base::Result<std::string> find_program(const std::string& name) {
  if (name.empty()) return failure(ErrorCode::not_found, "the name of the program is empty");
  std::string refused;
  for (const std::string& path : candidates(name)) {
    std::error_code ignored;
    if (!fs::exists(path, ignored)) continue;
    if (::access(path.c_str(), X_OK) == 0 && !fs::is_directory(path, ignored)) return path;
    if (refused.empty()) refused = path;
  }
  std::error_code ignored;
  if (refused.empty())
    return failure(
        ErrorCode::not_found, fmt::format("cannot find the program '{}'", name),
        name.find('/') != std::string::npos ? "check the path" : "check the name, or give its path");
  if (fs::is_directory(refused, ignored))
    return failure(ErrorCode::not_permitted, fmt::format("cannot run '{}': it is a folder", refused),
                   "name a program in it");
  return failure(ErrorCode::not_permitted, fmt::format("cannot run '{}': it is not executable", refused),
                 fmt::format("run 'chmod +x {}' if it is a program", refused));
}

base::Result<fs::path> find_companion(const std::string& file_name) {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error)
    return failure(ErrorCode::failed, "cannot tell where coalescope is installed: " + error.message(),
                   "mount /proc");
  const fs::path folder = self.parent_path();
  for (const fs::path& path : {folder / file_name, folder.parent_path() / "lib" / "coalescope" / file_name})
    if (fs::exists(path, error)) return path;
  return failure(
      ErrorCode::not_found, fmt::format("'{}' is not beside '{}'", file_name, self.string()),
      "this coalescope was built without the CUDA Toolkit and can only report: build it with the CUDA "
      "Toolkit 13, or install it whole");
}

}  // namespace coalescope::tool
