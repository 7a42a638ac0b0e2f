#pragma once
// The GPU that is not there: what the two stand-in libraries share. It lives in the stand-in's libcuda; its
// libcupti listens to it, as the real one listens to the real driver.
//
// A kernel runs at once and changes nothing; what it would have counted is known from the script (code.h).

#include <atomic>
#include <cstdint>
#include <cuda.h>
#include <cupti.h>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include "tests/standin/code.h"

// The driver's opaque types are ours to define.
struct CUctx_st {
  std::uint32_t uid = 0;
  int device = 0;
  std::atomic<bool> alive{true};
  std::atomic<int> sticky_error{0};  // a kernel failed: every later call says so
};

struct CUmod_st;

struct CUfunc_st {
  const standin::CodeKernel* kernel = nullptr;
  CUmod_st* module = nullptr;
};

struct CUmod_st {
  std::uint32_t id = 0;
  CUctx_st* context = nullptr;
  std::string cubin;
  std::atomic<bool> announced{false};  // loaded lazily, at the first launch of one of its functions
  std::vector<CUfunc_st*> functions;
  std::atomic<bool> unloaded{false};
};

struct CUevent_st {
  std::atomic<bool> recorded{false};
  CUctx_st* of = nullptr;  // all of whose work it covers
};

struct CUstream_st {
  std::uint32_t id = 0;
  CUctx_st* context = nullptr;
  CUgraph_st* recording = nullptr;  // the graph that a stream capture fills
  bool spoiled = false;             // the stream capture cannot succeed any more
};

namespace standin {

struct Run {
  CUfunc_st* function = nullptr;
  CUctx_st* context = nullptr;
  std::uint32_t stream = 0;
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {1, 1, 1};
  unsigned shared_bytes = 0;
  std::uint32_t graph = 0;
  std::uint32_t node = 0;   // of a graph, its id
  std::uint32_t clone = 0;  // of an executable graph: the id that records have
  std::uint32_t correlation = 0;
  std::int64_t parameter = 1;
  bool unfinished = false;  // runs until the context is waited for
  bool waits = false;       // for the host: whoever waits for it first waits for ever
};

struct Copy {
  CUctx_st* context = nullptr;
  std::uint32_t stream = 0;
  std::optional<CUpti_ActivityMemcpyKind> kind;  // std::nullopt: it sets memory
  CUpti_ActivityMemoryKind source = CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE;
  CUpti_ActivityMemoryKind destination = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  std::uint64_t bytes = 0;
  bool asynchronous = false;
  std::uint32_t correlation = 0;
};

// Pages of managed memory that go to the device.
struct Migration {
  int device = 0;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

// What CUPTI is told by the driver.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void driver_call(CUpti_CallbackId id, const CUpti_CallbackData& data) = 0;
  virtual void resource(CUpti_CallbackId id, const CUpti_ResourceData& data) = 0;
  virtual void kernel_ran(const Run& run) = 0;                // launched by the host
  virtual void graph_ran(const std::vector<Run>& nodes) = 0;  // one launch of a whole graph
  virtual void copied(const Copy& copy) = 0;
  virtual bool migrations_on() = 0;
  virtual void migrated(const Migration& migration) = 0;
  virtual void code_changed() = 0;  // a module is loaded or unloaded
  virtual void synchronized(CUctx_st* context) = 0;
  virtual void answered() = 0;  // kernels that waited for the host end
};

struct Device {
  std::atomic<Listener*> listener{nullptr};
  std::atomic<int> open_stream_captures{0};
  std::atomic<std::int64_t> records_to_drop{0};
  std::atomic<bool> hold_records{false};
  std::atomic<int> waiting{0};  // kernels that wait for the host
  std::atomic<std::int64_t> free_bytes{std::int64_t{79} << 30};
  std::recursive_mutex loading;                    // held while CUPTI is told of code that goes
  std::mutex mutex;                                // of all below
  std::map<CUdeviceptr, std::size_t> allocations;  // none ends
  std::unordered_set<CUstream_st*> streams;
  std::uint32_t contexts = 0;  // made so far
  std::vector<CUctx_st*> ended_contexts;
  std::vector<const void*> kept;           // what programs do not free, so that it is no leak
  std::deque<CodeKernel> kernels;          // for ever: activity records point to their names
  std::vector<CUfunc_st*> free_functions;  // handles are used again, the last one first
};

// Never destroyed.
[[nodiscard]] Device& device();
void keep(const void* object);
[[nodiscard]] std::uint32_t next_id();
[[nodiscard]] std::uint32_t stream_id(CUctx_st* context, CUstream_st* stream, bool per_thread);
void spoil_stream_captures();
// On the real thing this waits for what runs: with a kernel that waits for the host, for ever.
void needs_idle_gpu(const char* call);
// Whether the caller is the library under test: only its calls are made to fail.
[[nodiscard]] bool is_recorder(const void* return_address);

}  // namespace standin

struct CUgraphNode_st {
  standin::Run run;
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_KERNEL;
  CUgraph_st* child = nullptr;
  void* parameters[1]{};
};

struct CUgraph_st {
  std::deque<CUgraphNode_st> nodes;  // each after the one before
};

struct CUgraphExec_st {
  std::uint32_t id = 0;
  std::vector<standin::Run> nodes;
  std::thread::id launched_by{};  // no script has two threads that share one
};
