#include "injection/recorder/recording.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "injection/recorder/group_cache.h"
#include "injection/recorder/instance_number.h"
#include "injection/recorder/nvtx_ranges.h"
#include "injection/recorder/timed_launches.h"

namespace coalescope::recorder {
namespace {

using model::Phase;

// A queued buffer holds up to 2 MB; rows are small. Beyond this the writer is not keeping up, and we drop.
constexpr std::size_t kQueueCapacity = 4096;
constexpr auto kWriterPatience = std::chrono::seconds(10);
constexpr std::chrono::microseconds kLongestCallback(100);
// Autotuners time a candidate's launches one by one or a few at a time; after more in one pair of events it
// is a loop that the program times as a whole, of which no launch lies outside.
constexpr int kMostTimedApart = 8;
// For how long one times a candidate: Triton for 0.125 s. What is timed for longer is the program's work.
constexpr std::int64_t kLongestTuningNs = 1'000'000'000;
// Candidates of an autotuner run once or twice outside of its times, then others are loaded.
constexpr int kLaunchesToSettle = 2;

// This thread is launching the nodes of a graph one by one.
thread_local bool inside_graph = false;
thread_local bool measured_inside = false;
// Of the launch that this thread is making: a kernel's first one may load its code.
thread_local bool is_first_launch = false;
thread_local TimedLaunches timed_launches;
thread_local std::optional<TimedLaunch> timed_launch;

}  // namespace

Recording::Recording(const RecorderOptions& options, const model::Process& process, Backend& backend,
                     Diagnostics& diagnostics, LaunchSelection selection)
    : options_(options),
      process_(process),
      backend_(backend),
      diagnostics_(diagnostics),
      selection_(std::move(selection)),
      queue_(kQueueCapacity),
      call_sites_(options.stacks, diagnostics),
      groups_([this](const model::Kernel& row) { queue_.push_always(row); },
              [this](const model::KernelGroup& row) { queue_.push_always(row); },
              [this](std::string_view name) { return selection_.judge(name); }),
      copy_counts_(groups_.host_memory()),
      program_log_(groups_.host_memory()),
      generation_(next_instance_number()) {
  SchedulerOptions scheduling = options.scheduling;
  std::array<PhaseProbe*, kPhaseCount> probes{};
  for (const auto& [phase, name] : model::kPhaseNames) {
    if (phase == Phase::trace) continue;
    probes[index_of(phase)] = backend.probe(phase);
    if (probes[index_of(phase)] == nullptr) scheduling.enabled[index_of(phase)] = false;
  }
  arbiter_ = std::make_unique<Arbiter>(scheduling, probes, static_cast<ArbiterHost&>(*this), diagnostics_);
}

base::Result<std::unique_ptr<Recording>> Recording::create(const RecorderOptions& options,
                                                           const model::Process& process,
                                                           ring::RingWriter& ring, Backend& backend,
                                                           Diagnostics& diagnostics) {
  auto selection = LaunchSelection::compile(options.selection,
                                            [] { return NvtxRanges::instance().inside_selected_range(); });
  if (!selection) return base::relay(selection);
  std::unique_ptr<Recording> recording(
      new Recording(options, process, backend, diagnostics, std::move(*selection)));

  auto file = PartFile::create(options, process, ring, recording->groups_, recording->launch_sites_,
                               recording->copy_counts_, backend, diagnostics);
  if (!file) return base::relay(file);
  recording->writer_ = std::make_unique<WriterThread>(
      std::move(*file), recording->queue_, diagnostics,
      [self = recording.get()](PartFile& part, bool last) { self->write_coverage(part, last); });
  return recording;
}

void Recording::start() {
  call_sites_.look_for_python();
  writer_->start();
}

void Recording::functions_changed() {
  generation_.store(next_instance_number(), std::memory_order_release);
}

bool Recording::queue(WorkItem item) {
  if (queue_.push(std::move(item))) return true;
  diagnostics_.add(model::diagnostic_kind("queue", "full"));
  return false;
}

// Nothing is known of which calls a stream capture forbids: then nobody is asked how the parameters lie, and
// nothing may be read from them.
Recording::Groups Recording::groups_of(const LaunchInfo& launch, std::optional<model::CallSiteId> call_site) {
  CachedGroup none;
  const auto generation = generation_.load(std::memory_order_acquire);
  const std::uint64_t key = group_key(launch, generation);
  CachedGroup* const own = cached_group(key);
  CachedGroup& cached = own != nullptr ? *own : none;
  if (cached.key != key || cached.group == nullptr) {
    if (arbiter_->in_stream_capture()) {
      Group& group = groups_.find_or_add(launch.kernel_name, launch.context.device, launch.shape);
      return {group, group};
    }
    cached = {key, &find_group(launch, generation)};
  }
  return {*cached.group, groups_.variant_of(*cached.group, launch, call_site)};
}

// Parameters are read by the layout of the launched function: another function of that name may have fewer.
Group& Recording::find_group(const LaunchInfo& launch, std::uint64_t generation) {
  CachedLayout none;
  CachedLayout* const own = cached_layout(launch, generation);
  CachedLayout& known = own != nullptr ? *own : none;
  if (!known.is_of(launch, generation)) {
    const auto places = backend_.parameters(launch);
    known = {generation, launch.function, places ? layout_of(*places) : 0};
  }
  Group& group = groups_.find_or_add(launch.kernel_name, launch.context.device, launch.shape, known.layout);
  if (known.layout != 0) learn_parameters(launch, group);
  return group;
}

void Recording::learn_parameters(const LaunchInfo& launch, Group& group) {
  if (group.parameters_asked.exchange(true, std::memory_order_relaxed)) return;
  const SharedNeeds* const shared = group.needs.shared;
  const bool one_of_many = shared != nullptr && shared->of_sizes;
  if (group.reason != model::CoverageReason::measured || launch.cooperative || one_of_many) return;
  auto parameters = backend_.parameters(launch);
  if (parameters && !parameters->empty()) groups_.tell_apart(group, std::move(*parameters));
}

void Recording::ask_pointers(const LaunchInfo& launch, Group& group) {
  if (group.pointers_asked.load(std::memory_order_relaxed) || arbiter_->in_stream_capture() ||
      group.pointers_asked.exchange(true, std::memory_order_relaxed))
    return;
  ask_code(launch, group);
  auto pointers = backend_.pointers(launch);
  if (!pointers) {
    diagnostics_.add(model::diagnostic_kind("pointers", "not_described"), pointers.error());
    return;
  }
  for (model::GroupPointer& pointer : *pointers) {
    pointer.group_id = group.row.id;
    if (pointer.range_address)
      pointer.call_site_id = torch_pool_.site_of(static_cast<std::uint64_t>(pointer.address),
                                                 static_cast<std::uint64_t>(*pointer.range_address));
    program_log_.add(pointer);
  }
}

// The function is known where the driver made it for a call that was seen; its module always.
void Recording::ask_code(const LaunchInfo& launch, const Group& group) {
  auto source = code_files_.source_of(launch.function);
  if (!source) source = code_files_.source_of(backend_.module_of(launch));
  if (source) queue(KernelCode{group.row.kernel_id, std::move(*source)});
}

void Recording::allocated(model::Allocation allocation) {
  allocation.call_site_id = call_site();
  if (options_.stacks != model::Stacks::none) {
    allocation.pytorch_pool = torch_pool_calls();
    if (*allocation.pytorch_pool) torch_segments_ = true;
  }
  if (allocation.kind == model::AllocationKind::managed) {
    upload_contents_.stop();
    copies_need_records();
  }
  program_log_.allocated(allocation);
}

void Recording::say_unfollowed() {
  if (options_.torch_allocations && torch_segments_ && !torch_pool_.was_told())
    diagnostics_.add(model::diagnostic_kind("allocations", "pytorch_silent"));
  if (torch_pool_.is_full()) diagnostics_.add(model::diagnostic_kind("allocations", "blocks_dropped"));
}

// The launch carries an L2 window of its own.
void Recording::add_l2_window(model::L2Window l2_window, const Group& group) {
  if (inside_graph) return;  // known since it was set for the node
  l2_window.target = model::L2WindowTarget::launch;
  l2_window.group_id = group.row.id;
  l2_window.set_ns = backend_.now_ns();
  program_log_.add(l2_window);
}

// Counts the launch, too.
bool Recording::spoils_a_time(Group& group) {
  const auto pair = event_pairs_.open();
  if (pair == 0 && group.launches_avoided.load(std::memory_order_relaxed) != 0)
    group.launches_avoided.store(0, std::memory_order_relaxed);
  if (pair == 0 || options_.measure_timed) return false;
  if (group.pair.exchange(pair, std::memory_order_relaxed) != pair)
    group.launches_in_pair.store(0, std::memory_order_relaxed);
  if (group.launches_in_pair.fetch_add(1, std::memory_order_relaxed) >= kMostTimedApart) return false;
  return may_be_candidate(group);
}

// Whether the program may be choosing by the time of this launch.
bool Recording::may_be_candidate(Group& group) {
  if (loads_.load(std::memory_order_relaxed) == 0)
    return group.launches_avoided.fetch_add(1, std::memory_order_relaxed) < kMostTimedApart;
  const std::int64_t now_ns = backend_.now_ns();
  std::int64_t since_ns = 0;
  if (group.avoided_since_ns.compare_exchange_strong(since_ns, now_ns, std::memory_order_relaxed))
    return true;
  return now_ns - since_ns < kLongestTuningNs;
}

// Whether it has been launched so often since code was last loaded at run time that it is here to stay.
bool Recording::has_settled(Group& group) const {
  const auto loads = loads_.load(std::memory_order_relaxed);
  if (loads == 0) return true;
  if (group.loads.exchange(loads, std::memory_order_relaxed) != loads)
    group.launches_since_load.store(0, std::memory_order_relaxed);
  if (group.launches_since_load.load(std::memory_order_relaxed) >= kLaunchesToSettle) return true;
  group.launches_since_load.fetch_add(1, std::memory_order_relaxed);
  return false;
}

void Recording::time_read(std::uint64_t start, std::uint64_t end) {
  resume_trace();
  const auto measured = event_pairs_.read(start, end);
  if (measured == 0) return;
  diagnostics_.add(model::diagnostic_kind("timing", "times_contain_measuring"), measured);
}

void Recording::memory_wanted(std::int64_t bytes, std::optional<model::DeviceId> device) {
  arbiter_->memory_wanted(bytes, [&] {
    return free_memory_.before(bytes, device, backend_.now_ns(),
                               [this] { return backend_.free_gpu_bytes(); });
  });
}

// Its first launch may be its only one: it has its record at once. Nothing is known of which calls a stream
// capture forbids.
void Recording::group_begins() {
  if (arbiter_->in_stream_capture()) return;
  new_group_ = true;
  if (!kernels_traced_) (void)trace({});
}

// Where each launch has one, it tells variants apart.
std::optional<model::CallSiteId> Recording::site_of_each_launch() {
  return call_sites_.sees_each_launch() ? call_sites_.here(Look::launch) : std::nullopt;
}

Ticket Recording::judge_launch(const LaunchInfo& launch) {
  const bool each = call_sites_.sees_each_launch();
  auto site = site_of_each_launch();
  const auto [first, group] = groups_of(launch, site);
  const bool is_candidate = each && CallSiteTable::is_of_candidate();
  if (first.begins_timing || is_candidate)
    pause_trace();
  else if (event_pairs_.open() == 0)
    resume_trace();
  const bool records_come = records_come_ && !trace_paused_;
  if (launch.l2_window) add_l2_window(*launch.l2_window, group);
  const bool is_new = group.launches_seen.load(std::memory_order_relaxed) == 0;
  is_first_launch = is_new;
  if (is_new) group_begins();
  ask_pointers(launch, group);
  const bool captured = arbiter_->in_stream_capture() && backend_.is_stream_captured(launch);
  if (captured) {
    group.launches_in_stream_capture.fetch_add(1, std::memory_order_relaxed);
  } else {
    group.launches_seen.fetch_add(1, std::memory_order_relaxed);
    if (!site && (is_new || !each)) site = call_sites_.here(is_new ? Look::first : Look::launch);
    if (site) {
      if (records_come) launch_sites_.called(launch.correlation, *site);
      launch_sites_.launched(group.row.id, *site);
    }
  }
  if (inside_graph) group.taken_apart.store(true, std::memory_order_relaxed);
  if (launch.cooperative) group.cooperative.store(true, std::memory_order_relaxed);
  const bool selected = !selection_.is_limited() || selection_.takes(backend_.now_ns());
  if (!selected) group.needs.refused_by_selection.store(true, std::memory_order_relaxed);
  // For the nodes of a graph wish_for() has asked this.
  const bool timed = !inside_graph && (is_candidate || spoils_a_time(first));
  if (timed) group.needs.refused_while_timed.store(true, std::memory_order_relaxed);
  const bool wanted = selected && !timed && (inside_graph || has_settled(first));
  const Ticket ticket = arbiter_->before_launch(launch, group, wanted);
  // The calls that a callback makes have the id of the call that it belongs to.
  const bool has_record = ticket == Ticket::native || ticket == Ticket::timed;
  if (has_record && !captured) {
    if (records_come) groups_.launched(launch.correlation, group, inside_graph);
    if (trace_paused_) {
      group.launches_untraced.fetch_add(1, std::memory_order_relaxed);
      diagnostics_.add(model::diagnostic_kind("timing", "candidates_untraced"));
    }
  }
  if (ticket == Ticket::owner || ticket == Ticket::timed) measured_inside = true;
  if (ticket == Ticket::owner && event_pairs_.open() != 0) event_pairs_.measured();
  return ticket;
}

// Windows are charged where they happen. What every other launch costs here is found by timing some. One
// that took longer than kLongestCallback waited for another thread's window.
Ticket Recording::before_launch(const LaunchInfo& launch) {
  if (!launches_counted_.load(std::memory_order_relaxed)) launches_counted_ = true;
  timed_launch.reset();  // of a call whose end was not told
  const std::uint32_t stands_for = timed_launches.next();
  if (stands_for == 0) return judge_launch(launch);
  const auto charged_ns = arbiter_->spent_ns();
  const auto began = std::chrono::steady_clock::now();
  const Ticket ticket = judge_launch(launch);
  const auto judged = std::chrono::steady_clock::now();
  const std::chrono::nanoseconds spent = judged - began;
  if (ticket == Ticket::native && !is_first_launch) timed_launch = {judged, stands_for};
  if (ticket == Ticket::native && arbiter_->spent_ns() == charged_ns && spent < kLongestCallback)
    callbacks_ns_.fetch_add(stands_for * spent.count(), std::memory_order_relaxed);
  return ticket;
}

void Recording::after_launch(Ticket ticket, bool ran) {
  if (timed_launch) {
    const auto waited = std::chrono::steady_clock::now() - timed_launch->began - kUsualLaunch;
    if (waited.count() > 0) {
      launch_wait_ns_.fetch_add(timed_launch->stands_for * waited.count(), std::memory_order_relaxed);
      timed_launches.waited();
    }
    timed_launch.reset();
  }
  arbiter_->after_launch(ticket, ran);
}

// What a graph will copy is not read when it is made.
void Recording::waited(model::Synchronization wait) {
  wait.call_site_id = call_site();
  wait_log_.add(wait);
  if (wait.call_site_id) launch_sites_.waited(wait, *wait.call_site_id);
}

void Recording::device_seen(std::int32_t ordinal) {
  queue(DeviceSeen{ordinal});
  // A copy from one GPU to another is called as one within a GPU.
  std::int32_t first = -1;
  if (!first_device_.compare_exchange_strong(first, ordinal) && first != ordinal) copy_counts_.give_up();
}

void Recording::context_ending(const ContextHandle& context) {
  arbiter_->context_ending(context);
  functions_changed();
}

bool Recording::deliver(const ActivityBuffer& buffer) {
  return queue(buffer);
}

Wish Recording::wish_for(GraphNeeds& graph) {
  const Wish wish = graph.wish();
  if (wish != Wish::now) return wish;
  // Its kernels are launched together: one of them stands for all.
  Group& any = *graph.groups.front();
  if (arbiter_->in_stream_capture() || !may_spend() || spoils_a_time(any) || !has_settled(any))
    return Wish::later;
  return Wish::now;
}

void Recording::nodes_begin() {
  inside_graph = true;
  measured_inside = false;
}

void Recording::nodes_end(GraphNeeds& graph) {
  inside_graph = false;
  graph.taken_apart(measured_inside);
  diagnostics_.add(model::diagnostic_kind("graphs", "taken_apart"));
}

void Recording::finish() {
  if (finished_.exchange(true)) return;
  arbiter_->process_ends();
  backend_.flush();
  process_.ended_ns = backend_.now_ns();
  process_.measuring_cost_ns = arbiter_->spent_ns();
  process_.recorder_cost_ns = *process_.measuring_cost_ns + callbacks_ns_.load(std::memory_order_relaxed);
  process_.launch_wait_ns = launch_wait_ns_.load(std::memory_order_relaxed) + arbiter_->waited_ns();
  process_.recorder_peak_bytes = backend_.peak_bytes();
  process_.clean = true;
  (void)writer_->finish(kWriterPatience,
                        process_);  // left behind: the row keeps its missing end, which says so
}

}  // namespace coalescope::recorder
