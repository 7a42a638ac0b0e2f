#include "core/profile/sources.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <iterator>

#include "coalescope_profile_embedded.h"
#include "core/profile/json.h"

namespace coalescope::profile {
namespace {

namespace fs = std::filesystem;
using base::ErrorCode;
using base::failure;

std::optional<std::string> variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr || *value == '\0' ? std::nullopt : std::optional<std::string>(value);
}

// A UUID comes from a capture, which may be anybody's: as a file name it must not lead elsewhere.
std::optional<fs::path> path_of(std::string_view gpu_uuid, const fs::path& folder) {
  const std::string_view harmless = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";
  if (gpu_uuid.empty() || gpu_uuid.find_first_not_of(harmless) != std::string_view::npos) return std::nullopt;
  return folder / (std::string(gpu_uuid) + ".json");
}

bool is_empty(const MachineProfile& profile) {
  return profile.figures.empty() && profile.curves.empty();
}

}  // namespace

std::optional<fs::path> profile_folder() {
  const fs::path below = fs::path("coalescope") / "profiles";
  // The specification has relative paths ignored.
  if (const auto data = variable("XDG_DATA_HOME"); data && fs::path(*data).is_absolute())
    return fs::path(*data) / below;
  if (const auto home = variable("HOME")) return fs::path(*home) / ".local" / "share" / below;
  return std::nullopt;
}

MachineProfile united(MachineProfile fresh, const MachineProfile& old) {
  fresh.figures.insert(old.figures.begin(), old.figures.end());
  fresh.curves.insert(old.curves.begin(), old.curves.end());
  return fresh;
}

base::Result<fs::path> store(const MachineProfile& profile, const fs::path& folder) {
  const auto path = path_of(profile.gpu_uuid, folder);
  if (!path)
    return failure(ErrorCode::unsupported,
                   fmt::format("the GPU's UUID '{}' cannot be a file name", profile.gpu_uuid));
  std::error_code error;
  fs::create_directories(folder, error);
  // Another process must never read half a profile.
  fs::path draft = *path;
  draft += ".new";
  bool written = false;
  if (std::ofstream file(draft); file) written = static_cast<bool>(file << to_json(profile) << std::flush);
  if (written) fs::rename(draft, *path, error);
  if (!written || error)
    return failure(ErrorCode::not_permitted,
                   fmt::format("cannot write the machine profile '{}'", path->string()),
                   "set XDG_DATA_HOME to a folder that can be written to");
  return *path;
}

base::Result<std::optional<MachineProfile>> stored(std::string_view gpu_uuid, const fs::path& folder) {
  const auto path = path_of(gpu_uuid, folder);
  std::error_code error;
  if (!path || !fs::exists(*path, error)) return std::optional<MachineProfile>();
  std::ifstream file(*path);
  if (!file)
    return failure(ErrorCode::not_permitted,
                   fmt::format("cannot read the machine profile '{}'", path->string()));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  auto profile = from_json(text, path->string());
  if (!profile) return base::relay(profile);
  profile->origin = Origin::stored;
  return std::optional(std::move(*profile));
}

std::optional<MachineProfile> shipped(std::string_view gpu_name) {
  static const std::vector<MachineProfile> kShipped = [] {
    std::vector<MachineProfile> profiles;
    for (const std::string_view text : shipped_profiles())
      if (auto profile = from_json(text, "a shipped profile")) {
        profile->origin = Origin::shipped;
        profiles.push_back(std::move(*profile));
      }
    return profiles;
  }();
  const auto found = std::ranges::find(kShipped, gpu_name, &MachineProfile::gpu_name);
  return found == kShipped.end() ? std::nullopt : std::optional(*found);
}

std::vector<MachineProfile> profiles_for(const model::Device& device, const MachineProfile& of_capture,
                                         const std::optional<fs::path>& folder) {
  std::vector<MachineProfile> profiles{of_capture};
  profiles[0].gpu_uuid = device.uuid;
  profiles[0].gpu_name = device.name;
  // A profile that cannot be read is as good as none: calibrate replaces it.
  if (folder)
    if (auto own = stored(device.uuid, *folder); own && *own) profiles.push_back(std::move(**own));
  if (auto same_product = shipped(device.name)) profiles.push_back(std::move(*same_product));
  std::erase_if(profiles, is_empty);
  return profiles;
}

}  // namespace coalescope::profile
