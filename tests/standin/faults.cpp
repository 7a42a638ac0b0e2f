#include "tests/standin/faults.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "tests/standin/script.h"

namespace standin {
namespace {

struct Failure {
  std::int64_t first = 1;
  std::int64_t times = 1;
  int code = 0;
};

struct Plan {
  std::map<std::string, std::vector<Failure>, std::less<>> failures;
  std::map<std::string, std::int64_t, std::less<>> slow_ns;
  std::map<std::string, std::int64_t, std::less<>> stall_ms;
  std::set<std::string, std::less<>> missing;
  std::mutex mutex;
  std::map<std::string, std::int64_t, std::less<>> calls;
};

void add(Plan& plan, const Statement& statement) {
  if (statement.verb == "fail")
    plan.failures[statement.word(0)].push_back({statement.number("at", 1), statement.number("times", 1),
                                                static_cast<int>(statement.number("with", 999))});
  if (statement.verb == "slow") plan.slow_ns[statement.word(0)] = statement.number("ns", 0);
  if (statement.verb == "stall") plan.stall_ms[statement.word(0)] = statement.number("ms", 0);
  if (statement.verb == "missing") plan.missing.insert(statement.word(0));
}

// Never destroyed: calls come until the very end of the process.
Plan& plan() {
  static Plan& the_plan = *[] {
    auto* made = new Plan;
    const char* path = std::getenv("STANDIN_SCRIPT");
    if (path != nullptr)
      for (const auto& statement : read_script(path)) add(*made, statement);
    return made;
  }();
  return the_plan;
}

std::atomic<std::int64_t> clock_ahead_ns{0};

// A test asks afterwards whether its fault came to pass.
void note(std::string_view function) {
  const char* path = std::getenv("STANDIN_NOTES");
  std::FILE* file = path == nullptr ? nullptr : std::fopen(path, "a");
  if (file == nullptr) return;
  std::fprintf(file, "%.*s\n", static_cast<int>(function.size()), function.data());
  std::fclose(file);
}

}  // namespace

std::optional<int> fault(std::string_view function) {
  auto& orders = plan();
  if (const auto slow = orders.slow_ns.find(function); slow != orders.slow_ns.end())
    clock_ahead_ns += slow->second;
  if (const auto stall = orders.stall_ms.find(function); stall != orders.stall_ms.end())
    std::this_thread::sleep_for(std::chrono::milliseconds(stall->second));
  const auto found = orders.failures.find(function);
  if (found == orders.failures.end()) return std::nullopt;
  const std::lock_guard lock(orders.mutex);
  const auto call = ++orders.calls[std::string(function)];
  for (const auto& failure : found->second)
    if (call >= failure.first && call < failure.first + failure.times) {
      note(function);
      return failure.code;
    }
  return std::nullopt;
}

bool missing(std::string_view name) {
  if (!plan().missing.contains(name)) return false;
  note(name);
  return true;
}

std::uint64_t clock_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec * 1'000'000'000 + now.tv_nsec + clock_ahead_ns.load());
}

void violation(const std::string& what) {
  std::fprintf(stderr, "stand-in: violation: %s\n", what.c_str());
  std::abort();
}

}  // namespace standin
