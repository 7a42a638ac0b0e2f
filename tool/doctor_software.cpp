#include "tool/doctor_software.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <unistd.h>

#include "tool/helper.h"
#include "tool/program.h"

namespace coalescope::tool {

namespace {

namespace fs = std::filesystem;

// A line of fields between tabs; what a version lacks is false.
constexpr const char* kPythonQuestion =
    "import platform, sys, sysconfig\n"
    "print(platform.python_implementation(), '%d.%d.%d' % sys.version_info[:3],\n"
    "      int(bool(sysconfig.get_config_var('Py_GIL_DISABLED'))),\n"
    "      int(hasattr(sys, 'gettotalrefcount')), sysconfig.get_path('purelib'), sys.executable, "
    "sep='\\t')\n";

bool is_python(const fs::path& path) {
  return path.filename().string().starts_with("python");
}

bool is_program(const fs::path& path) {
  std::error_code ignored;
  return ::access(path.c_str(), X_OK) == 0 && !fs::is_directory(path, ignored);
}

// "#!/usr/bin/env python3" and "#!/usr/bin/python3 -u" name one; empty: no Python does.
fs::path interpreter_of(const std::string& program) {
  std::ifstream file(program);
  std::string line;
  if (!std::getline(file, line) || !line.starts_with("#!")) return {};
  std::istringstream words(line.substr(2));
  for (std::string word; words >> word;) {
    if (!is_python(word)) continue;
    const auto found = find_program(word);
    return found ? fs::path(*found) : fs::path();
  }
  return {};
}

void add(std::vector<fs::path>& found, const fs::path& path) {
  if (!path.empty() && is_program(path)) found.push_back(path);
}

std::vector<int> numbers(const std::string& version) {
  std::vector<int> parts;
  std::istringstream stream(version);
  for (std::string part; std::getline(stream, part, '.');) parts.push_back(std::atoi(part.c_str()));
  parts.resize(2);  // major and minor
  return parts;
}

// The names of a folder below which wheels and toolkits of any version lie.
std::vector<fs::path> entries(const fs::path& folder, const std::string& beginning) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const auto& each : fs::directory_iterator(folder, ignored))
    if (each.path().filename().string().starts_with(beginning)) found.push_back(each.path());
  std::ranges::sort(found, std::greater<>());  // the newest first
  return found;
}

}  // namespace

base::Result<Python> describe_python(const fs::path& path) {
  const auto answer = ask_helper(path, {"-I", "-c", kPythonQuestion}, kQuestionLimit);
  if (!answer) return base::relay(answer);
  std::istringstream fields(answer->output);
  Python python{path};
  std::string free_threaded, debug, executable;
  if (!answer->done() || !std::getline(fields, python.implementation, '\t') ||
      !std::getline(fields, python.version, '\t') || !std::getline(fields, free_threaded, '\t') ||
      !std::getline(fields, debug, '\t') || !std::getline(fields, python.site_packages, '\t') ||
      !std::getline(fields, executable))
    return base::failure(base::ErrorCode::failed,
                         fmt::format("'{}' does not say what it is: it {}", path.string(),
                                     answer->done() ? "gave another answer" : why_not_done(*answer)));
  python.free_threaded = free_threaded == "1";
  python.debug = debug == "1";
  if (!executable.empty()) python.path = executable;
  return python;
}

std::vector<fs::path> find_pythons(const Machine& machine, const std::string& program) {
  std::vector<fs::path> found;
  if (!program.empty()) add(found, is_python(program) ? fs::path(program) : interpreter_of(program));
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const std::string folder = machine.variable(variable); !folder.empty())
      add(found, fs::path(folder) / "bin" / "python");
  for (const char* name : {"python3", "python"})
    if (const auto path = find_program(name)) add(found, *path);
  return found;
}

Check check_python(const Python& python, const std::string& oldest, const std::string& newest) {
  Check check{"python", CheckState::ok,
              fmt::format("{} {} ({})", python.implementation, python.version, python.path.string())};
  const std::string why = python.implementation != "CPython"          ? "is not CPython"
                          : python.free_threaded                      ? "is free-threaded"
                          : python.debug                              ? "is a debug build"
                          : numbers(python.version) < numbers(oldest) ? "is older than " + oldest
                          : numbers(python.version) > numbers(newest) ? "is newer than " + newest
                                                                      : "";
  if (why.empty()) {
    check.text += ": its stacks can be read";
    return check;
  }
  check.state = CheckState::degraded;
  check.text += fmt::format(" {}: calls are not named by its lines", why);
  check.mend = fmt::format("use CPython {} to {}, no free-threaded and no debug build", oldest, newest);
  return check;
}

fs::path find_cuda_program(const Machine& machine, const std::string& name,
                           const std::vector<std::string>& site_packages) {
  if (const auto path = find_program(name)) return *path;
  std::vector<fs::path> folders;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const std::string root = machine.variable(variable); !root.empty()) folders.emplace_back(root);
  for (const fs::path& toolkit : entries(machine.at("usr/local"), "cuda")) folders.push_back(toolkit);
  for (const std::string& packages : site_packages) {
    for (const fs::path& wheel : entries(fs::path(packages) / "nvidia", "cu")) folders.push_back(wheel);
    folders.push_back(fs::path(packages) / "triton" / "backends" / "nvidia");
  }
  for (const fs::path& folder : folders)
    if (fs::path path = folder / "bin" / name; is_program(path)) return path;
  return {};
}

Check check_disassembler(const Machine& machine, const std::vector<std::string>& site_packages) {
  const fs::path path = find_cuda_program(machine, "nvdisasm", site_packages);
  if (path.empty())
    return {"nvdisasm", CheckState::degraded,
            "there is no nvdisasm; coalescope does not need it, but it shows the code behind an offset that "
            "a report "
            "names",
            "pip install nvidia-cuda-nvdisasm"};
  const auto answer = ask_helper(path, {"--version"}, kQuestionLimit);
  if (!answer || !answer->done())
    return {"nvdisasm", CheckState::degraded,
            fmt::format("'{}' cannot be run: it {}", path.string(),
                        answer ? why_not_done(*answer) : answer.error().message),
            "pip install nvidia-cuda-nvdisasm"};
  const auto begin = answer->output.find("release ");
  const std::string release =
      begin == std::string::npos ? "" : answer->output.substr(begin, answer->output.find(',', begin) - begin);
  return {"nvdisasm", CheckState::ok,
          release.empty() ? path.string() : fmt::format("{} ({})", release, path.string())};
}

}  // namespace coalescope::tool
