#include "injection/recorder/nvtx_ranges.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

#include "core/base/utf8.h"

namespace coalescope::recorder {
namespace {

constexpr std::uint32_t kAnyDomain = 0xffffffff;
constexpr std::uint32_t kOtherNames = 0;
// A program that puts a counter into its names would fill the memory otherwise.
constexpr std::size_t kMostStrings = 16'384;
// A capture takes no text beyond 1 MiB, and nobody reads a longer name than this.
constexpr std::size_t kMostNameBytes = 4096;
// Between two visits of the writer thread, or before CUDA is used at all.
constexpr std::size_t kMostWaiting = 65'536;
// In all: a row takes some 40 bytes.
constexpr std::int64_t kMostKept = 200'000;

struct LibraryDomain {
  std::string_view name;
  std::uint32_t number;
};
// XLA asks whether it got its domain, and makes no names without it. The wrapper that CUB and Thrust use does
// not ask.
constexpr std::array kLibraryDomains{LibraryDomain{"TSL", 0}, LibraryDomain{"CCCL", NvtxRanges::kLeftOut}};

struct Open {
  std::uint32_t domain = 0;
  std::uint32_t text = 0;
  std::int64_t start_ns = 0;
  bool selected = false;
};

// Without a destructor: a range may be ended by the destructor of another thread-local object.
struct ThreadRanges {
  std::array<Open, 64> open{};
  std::size_t count = 0;
  std::int64_t beyond = 0;  // ranges deeper than that, which are not kept
  std::int64_t selected = 0;
  std::int64_t thread = 0;

  [[nodiscard]] int depth(std::uint32_t domain) const {
    const auto in_domain = [domain](const Open& each) { return each.domain == domain; };
    return static_cast<int>(
        std::count_if(open.begin(), open.begin() + static_cast<std::ptrdiff_t>(count), in_domain));
  }
};
thread_local ThreadRanges thread_ranges;

std::int64_t thread_number() {
  if (thread_ranges.thread == 0) thread_ranges.thread = ::syscall(SYS_gettid);
  return thread_ranges.thread;
}

}  // namespace

NvtxRanges& NvtxRanges::instance() {
  static auto* const kRanges = new NvtxRanges();
  return *kRanges;
}

std::int64_t NvtxRanges::unix_time_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_REALTIME, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

std::uint32_t NvtxRanges::number(std::string_view whole_name) {
  const std::string_view name = base::cut_utf8(whole_name, kMostNameBytes);
  if (const auto found = numbers_.find(name); found != numbers_.end()) return found->second;
  if (strings_.size() >= kMostStrings) return kOtherNames;
  const auto number = static_cast<std::uint32_t>(strings_.size());
  numbers_.emplace(strings_.emplace_back(name), number);
  return number;
}

void NvtxRanges::select(std::string_view range) {
  if (range.empty()) return;
  const std::lock_guard lock(mutex_);
  const auto at = range.rfind('@');
  selected_domain_ = at == std::string_view::npos ? kAnyDomain : number(range.substr(at + 1));
  selected_text_ = number(range.substr(0, at));
}

std::uint32_t NvtxRanges::domain(std::string_view name) {
  const auto of_library = std::ranges::find(kLibraryDomains, name, &LibraryDomain::name);
  const bool selects_any = selected_text_.load(std::memory_order_relaxed) != 0;
  return of_library != kLibraryDomains.end() && !selects_any ? of_library->number : text(name);
}

std::uint32_t NvtxRanges::text(std::string_view text) {
  if (silent_.load(std::memory_order_acquire)) return kOtherNames;
  const std::lock_guard lock(mutex_);
  return number(text);
}

bool NvtxRanges::selects(std::uint32_t domain, std::uint32_t text) const {
  const auto selected = selected_text_.load(std::memory_order_relaxed);
  if (selected == 0 || selected != text) return false;
  const auto selected_domain = selected_domain_.load(std::memory_order_relaxed);
  return selected_domain == kAnyDomain || selected_domain == domain;
}

int NvtxRanges::push(std::uint32_t domain, std::uint32_t text) {
  if (domain == kLeftOut) return 0;
  ThreadRanges& own = thread_ranges;
  const int depth = own.depth(domain);
  if (own.count == own.open.size()) {
    ++own.beyond;
    return depth;
  }
  const bool selected = selects(domain, text);
  own.selected += selected ? 1 : 0;
  own.open[own.count++] = {domain, text, clock_(), selected};
  return depth;
}

int NvtxRanges::pop(std::uint32_t domain) {
  if (domain == kLeftOut) return 0;
  ThreadRanges& own = thread_ranges;
  if (own.beyond > 0) {
    --own.beyond;
    if (!silent_.load(std::memory_order_acquire)) {
      const std::lock_guard lock(mutex_);
      ++dropped_;
    }
    return own.depth(domain);
  }
  // Ranges of other domains may lie above it.
  std::size_t index = own.count;
  while (index > 0 && own.open[index - 1].domain != domain) --index;
  if (index == 0) return -1;
  const Open range = own.open[index - 1];
  std::move(own.open.begin() + static_cast<std::ptrdiff_t>(index),
            own.open.begin() + static_cast<std::ptrdiff_t>(own.count),
            own.open.begin() + static_cast<std::ptrdiff_t>(index) - 1);
  --own.count;
  own.selected -= range.selected ? 1 : 0;
  const int depth = own.depth(domain);
  keep({domain, range.text, model::RangeKind::push_pop, thread_number(), depth, range.start_ns, clock_()});
  return depth;
}

std::uint64_t NvtxRanges::start(std::uint32_t domain, std::uint32_t text) {
  if (domain == kLeftOut || silent_.load(std::memory_order_acquire)) return 0;
  const Finished range{domain, text, model::RangeKind::start_end, thread_number(), 0, clock_(), std::nullopt};
  const std::lock_guard lock(mutex_);
  ++last_range_;
  if (open_.size() >= kMostWaiting) {
    ++dropped_;
    return last_range_;
  }
  open_.emplace(last_range_, range);
  if (selects(domain, text)) selected_open_.fetch_add(1, std::memory_order_relaxed);
  return last_range_;
}

void NvtxRanges::end(std::uint64_t range) {
  if (silent_.load(std::memory_order_acquire)) return;
  Finished finished;
  {
    const std::lock_guard lock(mutex_);
    const auto found = open_.find(range);
    if (found == open_.end()) return;
    finished = found->second;
    open_.erase(found);
  }
  if (selects(finished.domain, finished.text)) selected_open_.fetch_sub(1, std::memory_order_relaxed);
  finished.end_ns = clock_();
  keep(finished);
}

void NvtxRanges::forget() {
  thread_ranges.thread = 0;
  const std::lock_guard lock(mutex_);
  finished_.clear();
}

bool NvtxRanges::inside_selected_range() const {
  return thread_ranges.selected > 0 || selected_open_.load(std::memory_order_relaxed) > 0;
}

void NvtxRanges::keep(const Finished& range) {
  if (silent_.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(mutex_);
  if (finished_.size() >= kMostWaiting || kept_ >= kMostKept) {
    ++dropped_;
    return;
  }
  ++kept_;
  finished_.push_back(range);
}

model::RangeNameId NvtxRanges::name_id(const Finished& range, Taken& taken) {
  const auto key = std::make_pair(range.domain, range.text);
  if (const auto found = names_.find(key); found != names_.end()) return found->second;
  model::RangeName row;
  row.id = model::RangeNameId{static_cast<std::int64_t>(names_.size()) + 1};
  row.process_id = model::ProcessId{1};
  if (range.domain != 0) row.domain = strings_[range.domain];
  row.name = strings_[range.text];
  taken.names.push_back(row);
  names_.emplace(key, row.id);
  return row.id;
}

NvtxRanges::Taken NvtxRanges::take(std::int64_t started_unix_ns, bool last) {
  Taken taken;
  std::vector<Finished> finished;
  const std::lock_guard lock(mutex_);
  finished.swap(finished_);
  taken.dropped = std::exchange(dropped_, 0);
  if (last) {
    for (const auto& [number, range] : open_) finished.push_back(range);
    open_.clear();
    const ThreadRanges& own = thread_ranges;
    for (std::size_t i = 0; i < own.count; ++i)
      finished.push_back({own.open[i].domain, own.open[i].text, model::RangeKind::push_pop, thread_number(),
                          static_cast<std::int64_t>(i), own.open[i].start_ns, std::nullopt});
  }
  taken.ranges.reserve(finished.size());
  for (const Finished& range : finished) {
    model::Range row;
    row.process_id = model::ProcessId{1};
    row.name_id = name_id(range, taken);
    row.kind = range.kind;
    row.thread = range.thread;
    row.depth = range.depth;
    row.start_ns = range.start_ns - started_unix_ns;
    if (range.end_ns) row.end_ns = *range.end_ns - started_unix_ns;
    taken.ranges.push_back(row);
  }
  return taken;
}

}  // namespace coalescope::recorder
