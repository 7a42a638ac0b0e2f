#pragma once
// Where the calls of the program's threads come from: gives each stack a number. A stack that was seen before
// costs the reading of it, some 0.1 us; a new one is turned into rows, once.
//
// Python's backward passes run on threads of their own that have no Python frames. While the thread that
// called backward() waits for them, what they do is done by that call.

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "core/model/call_site.h"
#include "core/model/setting_values.h"
#include "injection/python/interpreter.h"
#include "injection/recorder/call_stack.h"
#include "injection/recorder/diagnostics.h"

namespace coalescope::recorder {

class CallSiteTable {
 public:
  // Called once for each new row, before anything can refer to it; must only queue.
  using NewSite = std::function<void(const model::CallSite&)>;

  CallSiteTable(model::Stacks stacks, NewSite new_site, Diagnostics& diagnostics);

  // The interpreter may come at any time. Not in a callback: it asks the dynamic linker.
  void look_for_python();
  // The call that the calling thread makes; nullopt: it runs no Python, or stacks took their share of the
  // time. `is_new`: nothing is known of such calls, so that this one counts more than the time.
  [[nodiscard]] std::optional<model::CallSiteId> here(bool is_new = false);
  // For a place that is known in another way.
  [[nodiscard]] model::CallSiteId next_id();

 private:
  struct Known {
    model::CallSiteId site;
    std::optional<model::CallSiteId> backward;  // the call of backward() that it lies in
  };
  // Caller, file, function, line and instruction.
  using Key = std::tuple<std::int64_t, std::string, std::string, std::int64_t, std::int64_t>;
  struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept;
  };

  [[nodiscard]] bool may_look();
  void charge(std::int64_t took_ns);
  [[nodiscard]] std::optional<model::CallSiteId> site_of(std::uint64_t hash);
  [[nodiscard]] Known know(std::uint64_t hash);
  [[nodiscard]] Known rows_of(const std::vector<python::Frame>& stack);
  [[nodiscard]] std::optional<model::CallSiteId> of_backward() const;

  const std::uint64_t number_;  // of this table, so that what a thread remembers of one never serves another
  const model::Stacks stacks_;
  NewSite new_site_;
  Diagnostics& diagnostics_;
  std::atomic<python::Interpreter*> python_{nullptr};
  std::unique_ptr<python::Interpreter> python_owner_;  // the writer thread's
  bool refused_ = false;                               // the writer thread's
  std::atomic<std::int64_t> backward_{0};              // the call of backward() that goes on; 0: none
  const std::int64_t began_ns_;
  std::atomic<std::int64_t> spent_ns_{0};  // on looking at stacks, found by timing a few
  std::atomic<bool> resting_{false};       // it was more than its share
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, Known> by_hash_;
  std::unordered_map<Key, model::CallSiteId, KeyHash> sites_;
  std::atomic<std::int64_t> last_id_{0};
};

}  // namespace coalescope::recorder
