#pragma once
// The recorder as a whole, in one process: what the vendor's callbacks call, and what it sets in motion.
// Tests link this and a scripted Backend; nothing is preloaded.

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "core/base/error.h"
#include "core/model/run.h"
#include "injection/recorder/arbiter.h"
#include "injection/recorder/backend.h"
#include "injection/recorder/call_site_table.h"
#include "injection/recorder/code_files.h"
#include "injection/recorder/copy_counts.h"
#include "injection/recorder/diagnostics.h"
#include "injection/recorder/event_pairs.h"
#include "injection/recorder/free_memory.h"
#include "injection/recorder/graph_needs.h"
#include "injection/recorder/group_table.h"
#include "injection/recorder/launch_selection.h"
#include "injection/recorder/launch_sites.h"
#include "injection/recorder/options.h"
#include "injection/recorder/program_log.h"
#include "injection/recorder/torch_pool.h"
#include "injection/recorder/wait_log.h"
#include "injection/recorder/work_queue.h"
#include "injection/recorder/writer_thread.h"

namespace coalescope::recorder {

class Recording final : private ArbiterHost {
 public:
  // What the recorder does beside launches while this lives counts as what measuring costs.
  class Charge {
   public:
    explicit Charge(Recording& recording) : recording_(recording), began_(recording.arbiter_->read_meter()) {}
    ~Charge() { recording_.arbiter_->charge_since(began_); }
    Charge(const Charge&) = delete;
    Charge& operator=(const Charge&) = delete;

   private:
    Recording& recording_;
    const Arbiter::Meter began_;
  };

  // Begins the part, which goes through `ring`; the threads and the trace begin with start().
  [[nodiscard]] static base::Result<std::unique_ptr<Recording>> create(const RecorderOptions& options,
                                                                       const model::Process& process,
                                                                       ring::RingWriter& ring,
                                                                       Backend& backend,
                                                                       Diagnostics& diagnostics);
  void start();

  // From the launch callbacks of the target's threads.
  [[nodiscard]] Ticket before_launch(const LaunchInfo& launch);
  // `ran`: the driver took the launch.
  void after_launch(Ticket ticket, bool ran);
  // The same for what is never measured: a graph launch, and a call that the driver answers with work of its
  // own. It ends with after_launch(), too.
  // `counts`: what the graph runs; nullptr: not known, then only its kernels' records tell.
  [[nodiscard]] Ticket before_graph_launch(std::uint32_t correlation, const GraphCounts* counts);
  [[nodiscard]] Ticket before_other_work() { return arbiter_->before_other_work(); }
  [[nodiscard]] bool may_spend() { return arbiter_->may_spend(); }  // on measuring
  // Not where nothing is measured.
  [[nodiscard]] bool takes_graphs_apart() const;
  // A graph launch may be replaced by launches of its nodes, between nodes_begin() and nodes_end(): these are
  // launches like any other. find_groups() comes first, and again whenever the graph was changed.
  void find_groups(GraphNeeds& graph, const std::vector<LaunchInfo>& kernels, const GraphNodes& nodes);
  [[nodiscard]] Wish wish_for(GraphNeeds& graph);
  void nodes_begin();
  void nodes_end(GraphNeeds& graph);
  void stream_capture_begins();
  [[nodiscard]] bool in_stream_capture() const { return arbiter_->in_stream_capture(); }
  void stream_capture_ended() { arbiter_->stream_capture_ended(); }
  void code_change_begins() { arbiter_->code_change_began(); }
  void patched_code_unloading() { arbiter_->patched_code_unloads(); }
  void code_change_ended() { arbiter_->code_change_ended(); }
  // Code that is no part of the program's files was loaded: it may be a candidate of an autotuner, which is
  // launched once or twice and unloaded.
  void code_loaded_at_run_time() { loads_.fetch_add(1, std::memory_order_relaxed); }
  // The program asks for memory of the GPU; nullopt: not known of which.
  void memory_wanted(std::int64_t bytes, std::optional<model::DeviceId> device);

  // What the program times itself.
  [[nodiscard]] EventPairs& event_pairs() { return event_pairs_; }
  void event_recorded(std::uint64_t event, std::uint64_t stream) { event_pairs_.recorded(event, stream); }
  void time_read(std::uint64_t start, std::uint64_t end);
  void profiler_started() { selection_.profiler_started(); }
  void profiler_stopped() { selection_.profiler_stopped(); }

  // Where the calling thread's call into CUDA comes from; nullopt: not known.
  [[nodiscard]] std::optional<model::CallSiteId> call_site() { return call_sites_.here(Look::call); }
  // The call with this correlation id asks for a graph, or other work that uses memory from `address` on.
  // Returns where it comes from.
  std::optional<model::CallSiteId> work_called(std::uint32_t correlation,
                                               std::optional<std::uint64_t> address = std::nullopt);
  // It asks for a memory set.
  void set_called(std::uint32_t correlation, std::optional<std::uint64_t> address);
  // It asks for a copy; nullopt: its call does not tell all that its record does.
  void copy_called(std::uint32_t correlation, const std::optional<CopyCall>& copy);
  // From here on copies have records all the time: one is made that calls do not tell.
  void copies_need_records();
  // A node of a graph was made at that place; records call it by this id.
  void node_made(std::uint64_t node, model::CallSiteId site) { launch_sites_.node_made(node, site); }
  void waited(model::Synchronization wait);  // `call_site_id` is set here
  // What the driver's callbacks tell of the code that it loads.
  [[nodiscard]] CodeFiles& code_files() { return code_files_; }
  // Who asks CUDA for memory, and whether it is PyTorch's caching allocator.
  void allocated(model::Allocation allocation);
  // PyTorch's allocator gives a tensor a block, and takes it back.
  void torch_block_taken(std::uint64_t address) { torch_pool_.block_taken(address, call_site()); }
  void torch_block_given_back(std::uint64_t address) { torch_pool_.block_given_back(address); }
  // What the program does beside launches.
  [[nodiscard]] ProgramLog& program_log() { return program_log_; }

  // From the resource callbacks.
  void device_seen(std::int32_t ordinal);
  void context_ending(const ContextHandle& context);
  void functions_changed();

  // From the vendor's thread. False: refused, the caller keeps the buffer.
  [[nodiscard]] bool deliver(const ActivityBuffer& buffer);

  // No launch is measured from here on.
  void stop_measuring() { arbiter_->finish(); }
  // The process ends. Safe to call twice.
  void finish();

 private:
  // For how long kernels have records after a graph was launched whose kernels are not known.
  static constexpr std::int64_t kUncountedGraphNs = 10'000'000'000;
  // For how long copies have records after a memory set, which has none while copies have none. Programs set
  // memory while they begin.
  static constexpr std::int64_t kSetNs = 1'000'000'000;

  Recording(const RecorderOptions& options, const model::Process& process, Backend& backend,
            Diagnostics& diagnostics, LaunchSelection selection);
  [[nodiscard]] std::int64_t now_ns() override { return backend_.now_ns(); }
  [[nodiscard]] std::int64_t stream_id(const LaunchInfo& launch) override {
    return backend_.stream_id(launch);
  }
  [[nodiscard]] std::int64_t all_gpu_ns() override { return groups_.gpu_ns(); }
  [[nodiscard]] base::Result<void> wait_for_gpu(const ContextHandle& context,
                                                std::chrono::nanoseconds patience) override {
    return backend_.wait_for_gpu(context, patience);
  }
  void deliver(WindowRecord record) override { queue(std::move(record)); }
  [[nodiscard]] Ticket judge_launch(const LaunchInfo& launch);
  void group_begins();
  void count_graph(std::uint32_t correlation, const GraphCounts& counts,
                   std::optional<model::CallSiteId> site);
  void add_l2_window(model::L2Window l2_window, const Group& group);
  [[nodiscard]] std::optional<model::CallSiteId> site_of_each_launch();
  [[nodiscard]] bool spoils_a_time(Group& group);
  [[nodiscard]] bool may_be_candidate(Group& group);
  [[nodiscard]] bool has_settled(Group& group) const;
  bool queue(WorkItem item);  // false: there was no room, and a diagnostic says so
  void write_coverage(PartFile& file, bool last);
  void write_untimed(PartFile& file, Group& group, bool last);
  bool trace(Traced wanted);
  void record_copies();  // from what the calling thread is about to request
  bool trace_alone(Traced wanted);
  void pause_trace();
  void resume_trace();
  void keep_pace(PartFile& file);
  void regain_trace(PartFile& file);
  void say_untimed(const PartFile& file);
  struct Groups {
    Group& first;  // of the launch's kernel and shape
    Group& group;  // which its parameters tell from the others
  };
  [[nodiscard]] Groups groups_of(const LaunchInfo& launch, std::optional<model::CallSiteId> call_site);
  [[nodiscard]] Group& find_group(const LaunchInfo& launch, std::uint64_t generation);
  void learn_parameters(const LaunchInfo& launch, Group& group);
  void ask_pointers(const LaunchInfo& launch, Group& group);
  void ask_code(const LaunchInfo& launch, const Group& group);
  void say_unfollowed();

  RecorderOptions options_;
  model::Process process_;
  Backend& backend_;
  Diagnostics& diagnostics_;
  LaunchSelection selection_;
  WorkQueue<WorkItem> queue_;
  CallSiteTable call_sites_;
  LaunchSites launch_sites_;
  UploadContents upload_contents_;
  GroupTable groups_;
  CopyCounts copy_counts_;
  ProgramLog program_log_;
  CodeFiles code_files_;
  TorchPool torch_pool_;
  std::atomic<bool> torch_segments_{false};  // its allocator has asked CUDA for memory
  WaitLog wait_log_;
  EventPairs event_pairs_;
  FreeMemory free_memory_;
  // What each launch looks at, together as in Group.
  alignas(64) std::unique_ptr<Arbiter> arbiter_;
  std::atomic<std::int64_t> loads_{0};
  std::atomic<std::uint64_t> generation_{
      1};  // of function handles: a module was unloaded, they may be reused
  std::atomic<std::int64_t> uncounted_graph_ns_{-kUncountedGraphNs};  // when one was launched last
  std::atomic<bool> launches_counted_{false};                         // the launch callbacks come
  std::atomic<bool> kernels_traced_{true};                            // by the writer thread's last word
  std::atomic<bool> records_come_{true};                              // or may come: of launches made now
  std::atomic<bool> copies_traced_{true};                             // as kernels_traced_
  std::atomic<bool> copy_records_come_{true};                         // as records_come_
  std::atomic<std::int32_t> first_device_{-1};                        // of those with a context
  std::atomic<std::int64_t> set_ns_{-kSetNs};                         // when memory was set last
  std::atomic<bool> trace_paused_{false};                             // an autotuner times a candidate
  std::atomic<bool> new_group_{false};                                // since it looked last
  std::unique_ptr<WriterThread> writer_;
  bool callbacks_gone_ = false;  // the writer thread's: they came
  std::mutex trace_mutex_;
  std::int64_t coverage_written_ns_ = 0;  // the writer thread's
  bool untimed_said_ = false;
  std::atomic<std::int64_t> callbacks_ns_{0};    // spent on launches that were not measured
  std::atomic<std::int64_t> launch_wait_ns_{0};  // for room in their streams
  std::atomic<bool> finished_{false};
};

}  // namespace coalescope::recorder
