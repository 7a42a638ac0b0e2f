#pragma once
// The driver's calls that make, change and launch executable graphs. Inside of a graph no kernel can be
// measured by itself, so now and then a launch of a graph is replaced: its nodes are launched one by one,
// into the same stream, and the driver is given an empty graph instead.
//
// The program gets the same results: a graph's nodes run in any order that their dependencies allow.

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <unordered_map>
#include <vector>

#include "injection/cupti/cupti_api.h"
#include "injection/cupti/driver_api.h"
#include "injection/cupti/graph_api.h"
#include "injection/cupti/graph_reader.h"
#include "injection/cupti/graph_runner.h"
#include "injection/cupti/graph_work.h"
#include "injection/recorder/diagnostics.h"
#include "injection/recorder/recording.h"

namespace coalescope::cupti {

class GraphCalls {
 public:
  GraphCalls(const DriverApi& driver, recorder::Recording& recording, recorder::Diagnostics& diagnostics);

  // Whether graph launches are ever replaced. If not, nothing below needs to be called.
  [[nodiscard]] bool works() const { return works_; }
  // From now on no launch is replaced: changes of graphs could be missed, or kernels on the GPU launch
  // graphs.
  void give_up() { works_ = false; }
  // The calls to subscribe to. A driver that does not know one of them will not make it.
  [[nodiscard]] static std::span<const CUpti_CallbackId> ids();
  void on_call(CUpti_CallbackId id, const CUpti_CallbackData& data);

  // From the resource callbacks.
  void created(CUgraphNode node);
  // An executable that is being made has got a node with this id, by which records call it.
  void cloned(CUgraphNode original, std::uint64_t id);
  void instantiated(CUgraph graph, CUgraphExec handle);
  void destroyed(CUgraphExec handle);
  void context_ending(const recorder::ContextHandle& context);
  void module_unloading() { reader_.functions_changed(); }

  // At the ENTER of a launch, which is given another graph if it is replaced. Returns what it runs then;
  // nullptr: not known.
  [[nodiscard]] std::shared_ptr<const recorder::GraphCounts> before_launch(
      CUgraphExec& handle, CUstream stream, const recorder::ContextHandle& context);

 private:
  // Two threads have streams of their own under one handle, and so may a stream and one that has ended.
  struct Stream {
    unsigned long long id = 0;
    std::thread::id thread;  // of a stream of a thread's own
    [[nodiscard]] bool operator==(const Stream&) const = default;
  };
  struct Executable {
    bool launched = false;
    std::optional<Stream> stream;    // of its last launch, as far as the driver tells
    bool replaced = false;           // that launch was, and nothing follows it yet
    bool whole = false;              // it is never replaced
    CUgraphExec empty = nullptr;     // what takes its place
    std::uint32_t context = 0;       // the id of the context where this was made
    CUevent ran = nullptr;           // recorded behind the nodes that ran last
    std::optional<GraphWork> work;   // nullopt: it was not copied when it was last changed
    int launches = 0;                // since it was last copied
    std::vector<std::uint64_t> ids;  // of its kernels, in the order of the work; 0: not known
    recorder::GraphNeeds needs;
  };

  [[nodiscard]] std::shared_ptr<Executable> find(CUgraphExec handle);
  void copy(Executable& executable, CUgraph graph);
  static void leave_whole(Executable& executable);
  void refuse(Executable& executable, const base::Error& why);
  void destroying(Executable& executable) const;
  void let_go(Executable& executable) const;
  [[nodiscard]] bool is_for_device(CUgraphExec handle) const;
  [[nodiscard]] std::optional<Stream> stream_of(CUstream stream) const;
  [[nodiscard]] bool follows_itself(Executable& executable, CUstream stream) const;
  [[nodiscard]] bool take_apart(Executable& executable, CUgraphExec handle, CUstream stream,
                                const recorder::ContextHandle& context);
  [[nodiscard]] bool find_kernels(Executable& executable, CUgraphExec handle,
                                  const recorder::ContextHandle& context);
  [[nodiscard]] bool replace(Executable& executable, CUstream stream, const recorder::ContextHandle& context);
  [[nodiscard]] bool prepare(Executable& executable, const recorder::ContextHandle& context) const;

  const DriverApi& driver_;
  const GraphApi api_;
  GraphReader reader_;
  GraphRunner runner_;
  std::atomic<bool> works_;
  recorder::Recording& recording_;
  recorder::Diagnostics& diagnostics_;
  std::mutex mutex_;  // of the maps; an executable belongs to the thread that launches or changes it
  std::unordered_map<CUgraphExec, std::shared_ptr<Executable>> executables_;
  std::unordered_map<CUgraphNode, std::uint64_t> cloned_;  // ids of nodes that no executable has claimed
  std::unordered_map<CUgraphNode, model::CallSiteId> made_;
};

}  // namespace coalescope::cupti
