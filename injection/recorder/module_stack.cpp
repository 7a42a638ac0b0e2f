#include "injection/recorder/module_stack.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <unordered_map>

#include "core/base/mixed.h"

namespace coalescope::recorder {
namespace {

// A program that makes modules while it runs would fill the memory otherwise.
constexpr std::size_t kMostNames = 65'536;
constexpr std::uint32_t kOtherModules = 0;

class Names {
 public:
  // Never destroyed: threads may go on when the process ends.
  static Names& instance() {
    static auto* const kNames = new Names();
    return *kNames;
  }

  std::uint32_t number(std::string_view name) {
    if (silent_.load(std::memory_order_acquire)) return kOtherModules;
    const std::lock_guard lock(mutex_);
    if (const auto found = numbers_.find(name); found != numbers_.end()) return found->second;
    if (texts_.size() >= kMostNames) return kOtherModules;
    const auto number = static_cast<std::uint32_t>(texts_.size());
    numbers_.emplace(texts_.emplace_back(name), number);
    return number;
  }
  std::string text(std::uint32_t number) {
    const std::lock_guard lock(mutex_);
    return texts_[number];
  }
  void silence() { silent_.store(true, std::memory_order_release); }

 private:
  std::atomic<bool> silent_{false};
  std::mutex mutex_;
  std::deque<std::string> texts_{
      "(other modules)"};  // by number; the first stands for those beyond the limit
  std::unordered_map<std::string_view, std::uint32_t> numbers_;
};

// Without a destructor: a thread may launch while its other variables are destroyed.
struct Entered {
  std::array<std::uint32_t, ModuleStack::kMostModules> names{};
  std::array<std::uint64_t, ModuleStack::kMostModules> hashes{};  // of the modules up to each
  std::size_t depth = 0;                                          // with those beyond the limit
};
thread_local Entered entered;

}  // namespace

void ModuleStack::enter(std::string_view name) {
  Entered& own = entered;
  if (own.depth < kMostModules) {
    const std::uint32_t number = Names::instance().number(name);
    const std::uint64_t outer = own.depth == 0 ? 0 : own.hashes[own.depth - 1];
    own.names[own.depth] = number;
    own.hashes[own.depth] = std::max<std::uint64_t>(base::mixed(outer, number + 1), 1);
  }
  ++own.depth;
}

void ModuleStack::leave(std::size_t depth) {
  entered.depth = std::min(entered.depth, depth);
}

std::uint64_t ModuleStack::hash() {
  const std::size_t depth = std::min(entered.depth, kMostModules);
  return depth == 0 ? 0 : entered.hashes[depth - 1];
}

std::vector<std::string> ModuleStack::names() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(entered.depth, kMostModules); ++i)
    names.push_back(Names::instance().text(entered.names[i]));
  return names;
}

void ModuleStack::silence() {
  Names::instance().silence();
}

}  // namespace coalescope::recorder
