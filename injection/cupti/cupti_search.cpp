#include "injection/cupti/cupti_search.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cuda.h>
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include "core/model/options.h"

namespace coalescope::cupti {
namespace {

constexpr std::array kNames{kCupti13, kCupti12};
constexpr std::string_view kRuntime = "/libcudart.so.";

int major_of(std::string_view name) {
  return name.ends_with("13") ? 13 : 12;
}

std::string_view folder_of(std::string_view path) {
  return path.substr(0, path.rfind('/'));
}

// "libcudart.so.12.8.90" and "libcudart.so.12" are of CUDA 12.
int runtime_major(const CuptiClues& clues) {
  for (const std::string& path : clues.loaded)
    if (const auto at = path.rfind(kRuntime); at != std::string::npos)
      return std::atoi(path.c_str() + at + kRuntime.size());
  return 0;
}

struct Folder {
  std::string path;
  std::string_view origin;
};
using Folders = std::vector<Folder>;

// A toolkit has CUPTI beside its runtime library or in extras/, NVIDIA's wheels in a package of its own.
void add_beside_runtime(const CuptiClues& clues, Folders& folders) {
  for (const std::string& path : clues.loaded) {
    if (path.find(kRuntime) == std::string::npos) continue;
    const std::string folder(folder_of(path));
    for (const char* beside :
         {"", "/../extras/CUPTI/lib64", "/../../../extras/CUPTI/lib64", "/../../cuda_cupti/lib"})
      folders.push_back({folder + beside, "beside libcudart"});
  }
}

// The folder of Python packages that a loaded file lies in; empty: in none.
std::string packages_around(const std::string& path) {
  for (const std::string_view name : {"/site-packages/", "/dist-packages/"})
    if (const auto at = path.rfind(name); at != std::string::npos)
      return path.substr(0, at + name.size() - 1);
  return {};
}

void add_python(const CuptiClues& clues, Folders& folders) {
  std::vector<std::string> seen = clues.site_packages;
  for (const std::string& path : clues.loaded) {
    const std::string packages = packages_around(path);
    if (!packages.empty() && std::ranges::find(seen, packages) == seen.end()) seen.push_back(packages);
  }
  for (const std::string& packages : seen)
    for (const char* inside : {"/nvidia/cu13/lib", "/nvidia/cuda_cupti/lib", "/nvidia/cu12/lib",
                               "/triton/backends/nvidia/lib/cupti"})
      folders.push_back({packages + inside, "in the Python environment"});
}

void add_toolkit(const std::string& root, Folders& folders) {
  for (const char* inside : {"/extras/CUPTI/lib64", "/lib64", "/targets/x86_64-linux/lib", "/lib"})
    folders.push_back({root + inside, "in a CUDA Toolkit"});
}

// The newest version first; no folder is listed, so each is named.
void add_toolkits(const CuptiClues& clues, Folders& folders) {
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX"})
    if (const auto root = clues.environment(variable); root && !root->empty()) add_toolkit(*root, folders);
  add_toolkit("/usr/local/cuda", folders);
  constexpr int kNewestMinor = 9;
  for (const int major : {13, 12})
    for (int minor = kNewestMinor; minor >= (major == 12 ? 6 : 0); --minor)
      add_toolkit("/usr/local/cuda-" + std::to_string(major) + "." + std::to_string(minor), folders);
  add_toolkit("/opt/cuda", folders);
  for (const char* folder : {"/usr/lib/x86_64-linux-gnu", "/usr/lib64"})
    folders.push_back({folder, "of the system"});
}

void add_files(const Folders& folders, const std::vector<std::string_view>& names,
               std::vector<CuptiCandidate>& candidates) {
  for (const Folder& folder : folders)
    for (const std::string_view name : names)
      candidates.push_back({folder.path + "/" + std::string(name), folder.origin});
}

}  // namespace

std::vector<std::string_view> cupti_names(const CuptiClues& clues) {
  std::vector<std::string_view> names(kNames.begin(), kNames.end());
  const int runtime = runtime_major(clues);
  std::stable_partition(names.begin(), names.end(),
                        [&](std::string_view name) { return major_of(name) == runtime; });
  if (clues.driver_major != 0)
    std::stable_partition(names.begin(), names.end(),
                          [&](std::string_view name) { return major_of(name) <= clues.driver_major; });
  return names;
}

std::vector<CuptiCandidate> cupti_candidates(const CuptiClues& clues) {
  const auto names = cupti_names(clues);
  std::vector<CuptiCandidate> candidates;
  if (!clues.folder.empty()) add_files({{clues.folder, "of COALESCOPE_CUPTI_PATH"}}, names, candidates);
  if (!clues.recorded.empty()) candidates.push_back({clues.recorded, "of the recording"});
  Folders near;
  add_beside_runtime(clues, near);
  add_python(clues, near);
  add_files(near, names, candidates);
  // Among toolkits the release that fits counts more than the place.
  Folders toolkits;
  add_toolkits(clues, toolkits);
  for (const std::string_view name : names) add_files(toolkits, {name}, candidates);
  for (const std::string_view name : names) candidates.push_back({std::string(name), "found by the loader"});
  // What the driver cannot serve comes last, wherever it lies.
  if (clues.driver_major != 0)
    std::stable_partition(candidates.begin(), candidates.end(), [&](const CuptiCandidate& each) {
      return major_of(each.path) <= clues.driver_major;
    });
  return candidates;
}

CuptiClues clues_of_process() {
  CuptiClues clues;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        if (info->dlpi_name != nullptr && *info->dlpi_name != '\0')
          static_cast<std::vector<std::string>*>(data)->emplace_back(info->dlpi_name);
        return 0;
      },
      &clues.loaded);
  // The driver loaded us: it is never loaded for a question.
  if (void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD); driver != nullptr) {
    auto* const ask = reinterpret_cast<decltype(&::cuDriverGetVersion)>(dlsym(driver, "cuDriverGetVersion"));
    int version = 0;
    constexpr int kPerMajor = 1000;
    if (ask != nullptr && ask(&version) == CUDA_SUCCESS) clues.driver_major = version / kPerMajor;
    dlclose(driver);  // one use less, for NOLOAD has counted one more
  }
  clues.environment = [](std::string_view name) -> std::optional<std::string> {
    const char* value = std::getenv(std::string(name).c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
  clues.folder = clues.environment(model::option::kCuptiPath).value_or("");
  return clues;
}

std::string cupti_release(std::uint32_t api_version) {
  struct Release {
    std::uint32_t version;
    const char* name;
  };
  // As CUPTI's own headers list them.
  constexpr std::array kReleases{
      Release{19, "CUDA 12.0"}, Release{20, "CUDA 12.2"}, Release{21, "CUDA 12.3"},
      Release{22, "CUDA 12.4"}, Release{23, "CUDA 12.5"}, Release{24, "CUDA 12.6"},
      Release{26, "CUDA 12.8"}, Release{27, "CUDA 12.9"}, Release{28, "CUDA 12.9 Update 1"}};
  for (const Release& each : kReleases)
    if (each.version == api_version) return each.name;
  constexpr std::uint32_t kFirstOfNewKind = 130'000, kPerMajor = 10'000, kPerMinor = 100;
  if (api_version < kFirstOfNewKind) return "API version " + std::to_string(api_version);
  std::string name = "CUDA " + std::to_string(api_version / kPerMajor) + "." +
                     std::to_string(api_version % kPerMajor / kPerMinor);
  if (const auto update = api_version % kPerMinor; update > 0) name += " Update " + std::to_string(update);
  return name;
}

}  // namespace coalescope::cupti
