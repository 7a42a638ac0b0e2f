#include "injection/recorder/call_site_table.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <iterator>
#include <string_view>
#include <utility>

#include "core/base/mixed.h"
#include "core/model/autograd.h"
#include "core/model/autotuners.h"
#include "injection/recorder/instance_number.h"
#include "injection/recorder/module_stack.h"
#include "injection/recorder/part_file.h"
#include "injection/recorder/thread_table.h"

namespace coalescope::recorder {
namespace {

constexpr std::size_t kMostCallStacks = 100'000;
// What stacks may take of the time since the recording began: 1 %, and so much for those that come first.
constexpr std::int64_t kShareOfTime = 100;
constexpr std::int64_t kGrantNs = 20'000'000;
// The first of so many looks is timed, and while they rest, after so many calls the clock is asked again.
constexpr std::uint32_t kLookTimedEvery = 64;
// A look that took longer was interrupted: the system gave the processor to somebody else.
constexpr std::int64_t kLongestLookNs = 20'000;
// Of the launches of native code. A prime, so that the launches whose cost is measured, every 64th, are not
// always those that are unwound.
constexpr std::uint32_t kUnwoundEvery = 61;

// Whether this thread's last call came out of backward(), or out of an autotuner that times a candidate.
thread_local bool calls_backward = false;
thread_local bool calls_candidate = false;

std::int64_t now_ns() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Processor time of this thread: a look that the system interrupts for 20 ms has not cost 20 ms.
std::int64_t worked_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// PyTorch's autograd threads call it for gradients that are computed in Python, such as those of compiled
// functions.
bool is_called_by_engine(const python::Place& place) {
  return place.file.ends_with("torch/autograd/function.py") &&
         (place.function == "apply" || place.function.ends_with(".apply"));
}

// What PyTorch calls its listeners through. It stands between the program and the hook of --allocations.
bool calls_listeners(const python::Place& place) {
  return place.function.ends_with("fire_callbacks") && place.file.ends_with("torch/_utils.py");
}

// Each call of a torch.nn.Module goes through it, once.
bool calls_a_module(const python::Place& place) {
  const auto name = place.function.substr(place.function.rfind('.') + 1);
  return name == "_call_impl" && place.file.ends_with("torch/nn/modules/module.py");
}

}  // namespace

CallSiteTable::CallSiteTable(model::Stacks stacks, Diagnostics& diagnostics)
    : number_(next_instance_number()), stacks_(stacks), diagnostics_(diagnostics), began_ns_(now_ns()) {}

void CallSiteTable::look_for_python() {
  if (stacks_ == model::Stacks::none || refused_) return;
  if (python_owner_ != nullptr && python_owner_->is_broken()) {
    refused_ = true;
    diagnostics_.add(model::diagnostic_kind("stacks", "python_unreadable"),
                     base::Error{base::ErrorCode::unsupported, "its frames are laid out in another way", {}});
  }
  if (python_owner_ != nullptr) return;
  auto found = python::Interpreter::find();
  if (!found) {
    refused_ = true;
    diagnostics_.add(model::diagnostic_kind("stacks", "python_unreadable"), found.error());
    return;
  }
  python_owner_ = std::move(*found);
  python_.store(python_owner_.get(), std::memory_order_release);
}

bool CallSiteTable::may_look() {
  if (!resting_.load(std::memory_order_relaxed)) return true;
  thread_local std::uint32_t calls = 0;
  if (++calls % kLookTimedEvery != 0) return false;
  const std::int64_t spent_ns = spent_ns_.load(std::memory_order_relaxed) - kGrantNs;
  const bool rests = spent_ns * kShareOfTime > now_ns() - began_ns_;
  resting_.store(rests, std::memory_order_relaxed);
  return !rests;
}

void CallSiteTable::charge(std::int64_t took_ns) {
  const auto spent_ns = spent_ns_.fetch_add(took_ns, std::memory_order_relaxed) + took_ns;
  if ((spent_ns - kGrantNs) * kShareOfTime > now_ns() - began_ns_)
    resting_.store(true, std::memory_order_relaxed);
}

bool CallSiteTable::is_of_candidate() {
  return calls_candidate;
}

std::optional<model::CallSiteId> CallSiteTable::here(Look look) {
  calls_candidate = false;
  if (stacks_ == model::Stacks::none || (!may_look() && look != Look::first)) return std::nullopt;
  python::Interpreter* const python = python_.load(std::memory_order_acquire);
  if (python == nullptr) return of_native(look);
  thread_local std::uint32_t looks = 0;
  const bool timed = looks++ % kLookTimedEvery == 0;
  const std::int64_t began_ns = timed ? now_ns() : 0;
  std::uint64_t hash = python->stack_hash();
  if (timed) charge(std::min(now_ns() - began_ns, kLongestLookNs) * kLookTimedEvery);
  if (hash == python::kNoFrames) return of_backward();
  if (hash == python::kNoPython) return of_native(look);
  if (const auto modules = ModuleStack::hash(); modules != 0) hash = base::mixed(hash, modules);
  return of_python(hash);
}

// Two lie in one line of the cache.
struct CallSiteTable::Cached {
  std::uint64_t table = 0;
  std::uint64_t hash = 0;
  std::int32_t site = 0;
  std::int32_t backward = 0;
  bool on_engine = false;
  bool by_autotuner = false;
};

CallSiteTable::Cached CallSiteTable::look_up(std::uint64_t hash, model::CallSiteId caller) {
  Cached none;
  const auto is_it = [&](const Cached& each) { return each.table == number_ && each.hash == hash; };
  Cached* const own = ThreadTable<Cached, 512>::find(hash, is_it);
  Cached& cached = own != nullptr ? *own : none;
  if (is_it(cached)) return cached;
  const std::int64_t began_ns = worked_ns();
  const Known known = know(hash, caller);
  cached = {number_,
            hash,
            static_cast<std::int32_t>(known.site.value),
            static_cast<std::int32_t>(known.backward ? known.backward->value : 0),
            known.on_engine,
            known.by_autotuner};
  charge(worked_ns() - began_ns);
  return cached;
}

std::optional<model::CallSiteId> CallSiteTable::of_python(std::uint64_t hash) {
  Cached cached = look_up(hash);
  if (cached.on_engine)
    if (const auto caller = of_backward())
      cached = look_up(base::mixed(hash, static_cast<std::uint64_t>(caller->value)), *caller);
  if (cached.backward != 0 || calls_backward) {
    backward_.store(cached.backward, std::memory_order_relaxed);
    calls_backward = cached.backward != 0;
  }
  calls_candidate = cached.by_autotuner;
  return cached.site == 0 ? std::nullopt : std::optional(model::CallSiteId{cached.site});
}

std::optional<model::CallSiteId> CallSiteTable::of_native(Look look) {
  thread_local std::uint32_t launches = 0;
  const bool skipped = look == Look::launch && ++launches % kUnwoundEvery != 0;
  if (skipped || stacks_ != model::Stacks::all) return std::nullopt;
  const std::int64_t began_ns = worked_ns();
  const CallStack stack = take_call_stack();
  const std::uint64_t hash =
      base::mixed(stack.count, stack.frames.data(), stack.count * sizeof stack.frames[0]);
  std::optional<model::CallSiteId> site;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = by_hash_.find(hash); found != by_hash_.end()) {
      site = found->second.site;
    } else if (stack.count > 0 && has_room()) {
      site = next_id();
      by_hash_.emplace(hash, Known{.site = *site});
      new_stacks_.emplace_back(stack, *site);
    }
  }
  charge(worked_ns() - began_ns);
  return site;
}

std::optional<model::CallSiteId> CallSiteTable::of_backward() const {
  const std::int64_t site = backward_.load(std::memory_order_relaxed);
  return site == 0 ? std::nullopt : std::optional(model::CallSiteId{site});
}

model::CallSiteId CallSiteTable::next_id() {
  return model::CallSiteId{++last_id_};
}

// Under the mutex.
bool CallSiteTable::has_room() {
  if (by_hash_.size() < kMostCallStacks) return true;
  diagnostics_.add(model::diagnostic_kind("stacks", "stacks_dropped"));
  return false;
}

CallSiteTable::Known CallSiteTable::know(std::uint64_t hash, model::CallSiteId caller) {
  const std::lock_guard lock(mutex_);
  if (const auto found = by_hash_.find(hash); found != by_hash_.end()) return found->second;
  if (!has_room()) return {};
  return by_hash_.emplace(hash, rows_of(python_.load(std::memory_order_acquire)->stack(), caller))
      .first->second;
}

// Null: there is one already. `known` goes on to it.
model::CallSite* CallSiteTable::new_row(Known& known, Key key) {
  const auto caller = known.site;
  auto [site, is_new] = python_sites_.try_emplace(std::move(key), model::CallSiteId{});
  if (is_new) {
    model::CallSite& row = new_rows_.emplace_back();
    row.id = site->second = next_id();
    row.process_id = model::ProcessId{1};
    if (caller.value != 0) row.caller_id = caller;
  }
  known.site = site->second;
  return is_new ? &new_rows_.back() : nullptr;
}

void CallSiteTable::add_python_row(Known& known, const python::Place& place, std::int64_t offset) {
  model::CallSite* const row =
      new_row(known, {known.site.value, place.file, place.function, place.line.value_or(0), offset});
  if (row != nullptr) {
    row->module_offset = std::max<std::int64_t>(offset, 0);
    row->symbol = place.function;
    row->kind = model::FrameKind::python;
    row->file = place.file;
    row->line = place.line;
  }
  if (model::is_backward(place.file, place.function) && !known.backward) known.backward = known.site;
  if (model::autotuner_of(place.file, place.function) != nullptr) known.by_autotuner = true;
}

void CallSiteTable::add_module_row(Known& known, const std::string& name) {
  constexpr std::int64_t kNoOffset = -1;  // no instruction has it
  model::CallSite* const row = new_row(known, {known.site.value, "", name, 0, kNoOffset});
  if (row == nullptr) return;
  row->symbol = name;
  row->kind = model::FrameKind::torch_module;
}

// From the outermost frame to the innermost: each has the one before for its caller. Each module stands
// behind the frame in which PyTorch calls it. Those are counted from the innermost: of a deep stack the
// outermost frames are not known, and modules that were entered there stand in front.
CallSiteTable::Known CallSiteTable::rows_of(std::vector<python::Frame> stack, model::CallSiteId caller) {
  std::ranges::reverse(stack);
  std::vector<python::Place> places;
  for (const auto& frame : stack) places.push_back(python_.load(std::memory_order_acquire)->place_of(frame));
  if (!places.empty() && calls_listeners(places.back())) places.pop_back();
  const std::vector<std::string> modules = ModuleStack::names();
  auto calls = static_cast<std::size_t>(std::ranges::count_if(places, calls_a_module));
  Known known;
  known.site = caller;
  known.on_engine = places.empty() || is_called_by_engine(places.front());
  std::size_t next = 0;
  for (; next + calls < modules.size(); ++next) add_module_row(known, modules[next]);
  for (std::size_t i = 0; i < places.size(); ++i) {
    add_python_row(known, places[i], stack[i].offset);
    if (!calls_a_module(places[i])) continue;
    if (calls-- <= modules.size() - next) add_module_row(known, modules[next++]);
  }
  return known;
}

void CallSiteTable::write(PartFile& file) {
  std::vector<model::CallSite> rows;
  std::vector<std::pair<CallStack, model::CallSiteId>> stacks;
  {
    const std::lock_guard lock(mutex_);
    rows.swap(new_rows_);
    stacks.swap(new_stacks_);
  }
  for (const auto& row : rows) file.add(row);
  for (const auto& [stack, innermost] : stacks) write(file, stack, innermost);
}

// The innermost has its id already: calls refer to it. Those around it are shared with other stacks.
void CallSiteTable::write(PartFile& file, const CallStack& stack, model::CallSiteId innermost) {
  const auto frames = frames_.locate(stack);
  model::CallSite row;
  row.process_id = model::ProcessId{1};
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    row.module = frame->module;
    row.module_offset = frame->offset;
    row.symbol = frame->symbol;
    row.build_id = frame->build_id;
    if (std::next(frame) == frames.rend()) break;
    const NativeKey key{row.caller_id ? row.caller_id->value : 0, row.module, row.module_offset};
    auto [site, is_new] = native_sites_.try_emplace(key, model::CallSiteId{});
    if (is_new) {
      const std::lock_guard lock(mutex_);
      row.id = site->second = next_id();
    }
    if (is_new) file.add(row);
    row.caller_id = site->second;
  }
  row.id = innermost;
  file.add(row);
}

}  // namespace coalescope::recorder
