#pragma once
// The driver's calls that make, change and launch executable graphs. Inside of a graph no kernel can be
// measured by itself, so now and then a launch of a graph is replaced: its nodes are launched one by one,
// into the same stream, and the driver is given an empty graph instead.
//
// The program gets the same results: a graph's nodes run in any order that their dependencies allow.

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
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
  void destroyed(CUgraphExec handle) { forget(handle); }
  void module_unloading() { reader_.functions_changed(); }

  // At the ENTER of a launch outside of stream captures, which is given another graph if it is replaced.
  void before_launch(CUgraphExec& handle, CUstream stream, const recorder::ContextHandle& context);

 private:
  struct Executable {
    std::optional<CUstream> stream;  // of its last launch
    bool replaced = false;           // that launch was
    std::optional<GraphWork> work;   // nullopt: it was not copied when it was last changed
    int launches = 0;                // since it was last copied
    std::vector<std::uint64_t> ids;  // of its kernels, in the order of the work; 0: not known
    recorder::GraphNeeds needs;
  };

  [[nodiscard]] std::shared_ptr<Executable> find(CUgraphExec handle);
  void copy(Executable& executable, CUgraphExec handle, CUgraph graph);
  void forget(CUgraphExec handle);
  void refuse(CUgraphExec handle, const base::Error& why);
  [[nodiscard]] bool is_for_device(CUgraphExec handle) const;
  [[nodiscard]] bool follows_itself(Executable& executable, CUstream stream,
                                    const recorder::ContextHandle& context) const;
  [[nodiscard]] bool replace(Executable& executable, CUstream stream, const recorder::ContextHandle& context);
  [[nodiscard]] CUgraphExec empty_graph(const recorder::ContextHandle& context);

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
  std::map<std::uint32_t, CUgraphExec> empty_graphs_;  // by the context's id
};

}  // namespace coalescope::cupti
