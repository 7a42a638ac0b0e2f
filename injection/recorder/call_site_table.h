#pragma once
// Where the calls of the program's threads come from: gives each stack a number. A stack of Python that was
// seen before costs the reading of it, some 0.1 us; one of native code is unwound, which takes some
// microseconds, so that of launches only the first of a kernel and now and then one is looked at. A new stack
// is turned into rows, once.
//
// Python's backward passes run on threads of their own that have no Python frames. While the thread that
// called backward() waits for them, what they do is done by that call.

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/model/call_site.h"
#include "core/model/setting_values.h"
#include "injection/python/interpreter.h"
#include "injection/recorder/call_stack.h"
#include "injection/recorder/diagnostics.h"

namespace coalescope::recorder {

class PartFile;

// What is worth how much of the program's time.
enum class Look {
  launch,  // there are many: native stacks only now and then
  call,    // of another kind
  first,   // of its kind: looked at whatever it costs
};

class CallSiteTable {
 public:
  CallSiteTable(model::Stacks stacks, Diagnostics& diagnostics);

  // Whether every launch gets a call site, not only a sample of them.
  [[nodiscard]] bool sees_each_launch() const { return python_.load(std::memory_order_acquire) != nullptr; }
  // The call that the calling thread makes; nullopt: it was not looked at, or there is nothing to see.
  [[nodiscard]] std::optional<model::CallSiteId> here(Look look);
  // Whether an autotuner that times a candidate made the last call for which this thread asked here().
  [[nodiscard]] static bool is_of_candidate();

  // On the writer thread, before a commit: what is new.
  void write(PartFile& file);
  // The interpreter may come at any time. Not in a callback: it asks the dynamic linker.
  void look_for_python();

 private:
  struct Known {
    model::CallSiteId site;
    std::optional<model::CallSiteId> backward;  // the call of backward() that it lies in
    bool on_engine = false;                     // it begins on a thread of PyTorch's autograd engine
    bool by_autotuner = false;                  // that times a candidate
  };
  // Caller, file, function, line and instruction.
  using Key = std::tuple<std::int64_t, std::string, std::string, std::int64_t, std::int64_t>;
  using NativeKey = std::tuple<std::int64_t, std::string, std::int64_t>;  // caller, module and offset

  [[nodiscard]] bool may_look();
  void charge(std::int64_t took_ns);
  struct Cached;
  [[nodiscard]] Cached look_up(std::uint64_t hash, model::CallSiteId caller = {});
  [[nodiscard]] std::optional<model::CallSiteId> of_python(std::uint64_t hash);
  [[nodiscard]] std::optional<model::CallSiteId> of_native(Look look);
  [[nodiscard]] std::optional<model::CallSiteId> of_backward() const;
  [[nodiscard]] bool has_room();
  [[nodiscard]] Known know(std::uint64_t hash, model::CallSiteId caller);
  [[nodiscard]] Known rows_of(std::vector<python::Frame> stack, model::CallSiteId caller);
  void add_python_row(Known& known, const python::Place& place, std::int64_t offset);
  void add_module_row(Known& known, const std::string& name);
  [[nodiscard]] model::CallSite* new_row(Known& known, Key key);
  [[nodiscard]] model::CallSiteId next_id();
  void write(PartFile& file, const CallStack& stack, model::CallSiteId innermost);

  const std::uint64_t number_;  // of this table, so that what a thread remembers of one never serves another
  const model::Stacks stacks_;
  Diagnostics& diagnostics_;
  std::atomic<python::Interpreter*> python_{nullptr};
  std::unique_ptr<python::Interpreter> python_owner_;  // the writer thread's
  bool refused_ = false;                               // the writer thread's
  std::atomic<std::int64_t> backward_{0};              // the call of backward() that goes on; 0: none
  const std::int64_t began_ns_;
  std::atomic<std::int64_t> spent_ns_{0};  // on looking at stacks, found by timing a few
  std::atomic<bool> resting_{false};       // it was more than its share
  std::mutex mutex_;                       // of the following
  std::unordered_map<std::uint64_t, Known> by_hash_;
  std::map<Key, model::CallSiteId> python_sites_;
  std::int64_t last_id_ = 0;
  std::vector<model::CallSite> new_rows_;
  std::vector<std::pair<CallStack, model::CallSiteId>> new_stacks_;  // with the id of the innermost call
  // The writer thread's.
  FrameFinder frames_;
  std::map<NativeKey, model::CallSiteId> native_sites_;
};

}  // namespace coalescope::recorder
