#include "tests/standin/harness_test.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "core/capture/reader.h"

namespace standin {
namespace {

namespace fs = std::filesystem;
namespace model = coalescope::model;
using namespace std::chrono_literals;

// No script takes more than a second or two; sanitizers and a busy machine make it ten times that.
constexpr auto kPatience = 60s;

// Where the programs lie: this build's, unless scripts/check_standin says otherwise.
std::string place(const char* variable, const char* built) {
  const char* other = std::getenv(variable);
  return other == nullptr ? built : other;
}

class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "standin-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() {
    std::error_code ignored;
    if (!testing::Test::HasFailure()) fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string wait_for(pid_t child) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > deadline) {
      kill(-child, SIGKILL);
      waitpid(child, &status, 0);
      return "hung";
    }
    std::this_thread::sleep_for(1ms);
  }
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
  return "exit " + std::to_string(WEXITSTATUS(status));
}

Ending run(const Folder& folder, const std::string& name, const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const auto& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const auto out = folder / (name + ".out");
  const auto err = folder / (name + ".err");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_CREAT | O_WRONLY, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), O_CREAT | O_WRONLY, 0600);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);  // so that a hung run goes as a whole
  pid_t child = -1;
  const int code = posix_spawn(&child, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (code != 0) return {"not started", "", command.front()};
  const auto end = wait_for(child);
  return {end, text_of(out), text_of(err)};
}

template <class Row>
void read(coalescope::capture::Reader& reader, std::vector<Row>& rows) {
  auto found = reader.rows<Row>();
  ASSERT_TRUE(found) << found.error().text();
  rows = std::move(*found);
}

bool read_rows(const std::string& path, Rows& rows) {
  auto reader = coalescope::capture::Reader::open(path);
  if (!reader) return false;
  std::vector<model::Capture> captures;
  read(*reader, captures);
  if (captures.size() != 1) return false;
  rows.capture = captures.front();
  read(*reader, rows.processes);
  read(*reader, rows.kernels);
  read(*reader, rows.groups);
  read(*reader, rows.launches);
  read(*reader, rows.launch_totals);
  read(*reader, rows.parameter_values);
  read(*reader, rows.transfer_totals);
  read(*reader, rows.trace_gaps);
  read(*reader, rows.waits);
  read(*reader, rows.windows);
  read(*reader, rows.coverage);
  read(*reader, rows.metrics);
  read(*reader, rows.readings);
  read(*reader, rows.instructions);
  read(*reader, rows.instruction_readings);
  read(*reader, rows.transfers);
  read(*reader, rows.transfer_sites);
  read(*reader, rows.allocations);
  read(*reader, rows.unified_memory);
  read(*reader, rows.call_sites);
  read(*reader, rows.diagnostics);
  return true;
}

}  // namespace

Recorded record(const std::string& script, const std::vector<std::string>& flags) {
  const Folder folder;
  std::ofstream(folder / "script") << script;
  setenv("STANDIN_SCRIPT", (folder / "script").c_str(), 1);
  const auto standin = place("STANDIN_FOLDER", STANDIN_BUILT);
  setenv("COALESCOPE_CUPTI_PATH", standin.c_str(), 1);
  if (const char* other = std::getenv("STANDIN_CUPTI"); other != nullptr)
    setenv("COALESCOPE_CUPTI_PATH", other, 1);
  Recorded recorded;
  recorded.script = script;
  recorded.alone = run(folder, "alone", {standin + "/player"});
  std::vector<std::string> command{place("STANDIN_COALESCOPE", COALESCOPE_BUILT), "record", "-o",
                                   folder / "capture.coal"};
  command.insert(command.end(), flags.begin(), flags.end());
  command.insert(command.end(), {"--", standin + "/player"});
  setenv("STANDIN_NOTES", (folder / "notes").c_str(), 1);
  recorded.under = run(folder, "under", command);
  unsetenv("STANDIN_NOTES");
  recorded.came_to_pass = fs::exists(folder / "notes");
  recorded.opens = read_rows(folder / "capture.coal", recorded.rows);
  for (const auto& group : recorded.rows.groups)
    for (const auto& kernel : recorded.rows.kernels)
      if (kernel.id == group.kernel_id) recorded.group_names[group.id.value] = kernel.name;
  return recorded;
}

std::string Recorded::kernel_of(model::GroupId group) const {
  const auto found = group_names.find(group.value);
  return found == group_names.end() ? "no such group" : found->second;
}

std::int64_t Recorded::launches_of(const std::string& kernel) const {
  std::int64_t count = 0;
  for (const auto& launch : rows.launches)
    if (kernel_of(launch.group_id) == kernel) ++count;
  return count;
}

std::int64_t Recorded::measured(const std::string& kernel, model::Phase phase) const {
  std::int64_t count = 0;
  for (const auto& row : rows.coverage)
    if (row.phase == phase && kernel_of(row.group_id) == kernel) count += row.launches_measured;
  return count;
}

bool Recorded::has_reason(const std::string& kernel, model::Phase phase, model::CoverageReason reason) const {
  for (const auto& row : rows.coverage)
    if (row.phase == phase && kernel_of(row.group_id) == kernel && row.reason == reason) return true;
  return false;
}

bool Recorded::says(std::string_view words) const {
  return diagnostics_text().find(words) != std::string::npos;
}

std::string Recorded::diagnostics_text() const {
  std::string text;
  for (const auto& row : rows.diagnostics) text += row.origin + "/" + row.code + ": " + row.text + '\n';
  return text;
}

}  // namespace standin
