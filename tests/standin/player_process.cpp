#include "tests/standin/player_process.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace standin {
namespace {

constexpr std::size_t kFiles = 12;
constexpr std::size_t kFileBytes = 3000;

// Files that lie under the numbers that others may believe to be theirs.
class OwnFiles {
 public:
  explicit OwnFiles(int number) : content_(kFileBytes, static_cast<char>('a' + number % 26)) {
    ::closefrom(3);
    for (int& file : files_) {
      file = ::open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
      if (file < 0 ||
          ::write(file, content_.data(), content_.size()) != static_cast<ssize_t>(content_.size()))
        throw std::runtime_error("a file of the program's own cannot be written");
    }
  }
  [[nodiscard]] int changed() const {
    int count = 0;
    for (const int file : files_) {
      std::string found(2 * kFileBytes, '\0');
      const auto bytes = ::pread(file, found.data(), found.size(), 0);
      found.resize(bytes < 0 ? 0 : static_cast<std::size_t>(bytes));
      count += found == content_ ? 0 : 1;
    }
    return count;
  }

 private:
  std::string content_;
  std::array<int, kFiles> files_{};
};

void set_limit(__rlimit_resource resource, rlim_t most) {
  rlimit limit{};
  ::getrlimit(resource, &limit);
  limit.rlim_cur = std::min(most, limit.rlim_max);
  if (::setrlimit(resource, &limit) != 0) throw std::runtime_error("setrlimit failed");
}

rlim_t address_space_in_use() {
  std::ifstream file("/proc/self/statm");
  rlim_t pages = 0;
  file >> pages;
  return pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

std::string guard_files(const Statement& statement, const std::function<void()>& body) {
  const int times = std::stoi(statement.word(0));
  int changed = 0;
  if (statement.verb == "files_beside") {
    std::atomic<bool> done{false};
    std::thread other([&] {
      for (int i = 0; i < times || !done; ++i) changed += OwnFiles(i).changed();
    });
    body();
    done = true;
    other.join();
  } else {
    for (int i = 0; i < times; ++i) {
      const OwnFiles files(i);
      body();
      changed += files.changed();
    }
  }
  return std::to_string(changed) + " files were changed by others";
}

void limit(const Statement& statement) {
  if (statement.has("none"))
    for (const auto resource : {RLIMIT_NOFILE, RLIMIT_FSIZE, RLIMIT_AS}) set_limit(resource, RLIM_INFINITY);
  if (const auto most = statement.number("files", -1); most >= 0)
    set_limit(RLIMIT_NOFILE, static_cast<rlim_t>(most));
  if (const auto most = statement.number("file_bytes", -1); most >= 0)
    set_limit(RLIMIT_FSIZE, static_cast<rlim_t>(most));
  if (const auto more = statement.number("more_memory", -1); more >= 0)
    set_limit(RLIMIT_AS, address_space_in_use() + static_cast<rlim_t>(more));
}

void kill_sibling(const std::string& name) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "stat");
    std::stringstream text;
    text << file.rdbuf();
    const std::string stat = text.str();  // "pid (name) state parent ..."
    const auto end = stat.rfind(") ");
    if (end == std::string::npos || stat.find('(' + name + ") ") == std::string::npos) continue;
    if (std::stol(stat.substr(end + 4)) == ::getppid()) ::kill(static_cast<pid_t>(std::stol(stat)), SIGKILL);
  }
}

void set_variables(const Statement& statement) {
  for (const auto& [name, value] : statement.options) ::setenv(name.c_str(), value.c_str(), 1);
}

}  // namespace standin
