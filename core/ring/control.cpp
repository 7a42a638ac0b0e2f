#include "core/ring/control.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <new>
#include <optional>
#include <sys/random.h>
#include <thread>
#include <unistd.h>

#include "core/ring/ring.h"

namespace coalescope::ring {
namespace {

using base::ErrorCode;
using base::Result;
using namespace std::chrono_literals;

constexpr unsigned kIdShift = 32;
constexpr std::size_t kGpuBits = 64;
// Between two looks: hundreds of processes that wait must leave the writer process time to serve them.
constexpr auto kShortestPause = 1ms;
constexpr auto kLongestPause = 16ms;

constexpr std::uint64_t offered_word(int ring_id) {
  return (static_cast<std::uint64_t>(ring_id) + 1) << kIdShift;
}
constexpr bool is_on_offer(std::uint64_t word) {
  return word != 0 && static_cast<std::uint32_t>(word) == 0;
}
constexpr int ring_id_of(std::uint64_t word) {
  return static_cast<int>((word >> kIdShift) - 1);
}

std::string name_of(int id, const std::array<std::uint64_t, 2>& token) {
  return fmt::format("{}:{:016x}{:016x}", id, token[0], token[1]);
}

}  // namespace

Result<Control> Control::create() {
  auto segment = Segment::create(sizeof(Block));
  if (!segment) return base::relay(segment);
  auto* const block = new (segment->data()) Block{};
  if (::getrandom(block->token.data(), sizeof block->token, 0) != sizeof block->token)
    return base::failure(ErrorCode::failed,
                         fmt::format("the system has no random numbers: {}", std::strerror(errno)));
  return Control(std::move(*segment));
}

Result<Control> Control::attach(std::string_view name) {
  int id = -1;
  const auto parsed = std::from_chars(name.data(), name.data() + name.size(), id);
  if (parsed.ec != std::errc() || id < 0)
    return base::failure(ErrorCode::usage, fmt::format("'{}' names no shared memory", name));
  auto segment = Segment::attach(id, sizeof(Block));
  if (!segment) return base::relay(segment);
  Control control(std::move(*segment));
  if (control.name() != name)
    return base::failure(ErrorCode::not_found,
                         fmt::format("the shared memory {} of coalescope is that of another run", id));
  return control;
}

std::string Control::name() const {
  return name_of(segment_.id(), block().token);
}

// A slot's word holds the ring's id, so that one that was given up and offered again meanwhile is not taken
// for what it was.
std::optional<Result<Segment>> Control::try_claim(std::uint64_t pid) {
  // Each process begins elsewhere, so that those that begin together do not all try the same.
  for (std::size_t i = 0; i < kMostRings; ++i) {
    const std::size_t place = (pid + i) % kMostRings;
    auto& slot = block().slots[place];
    std::uint64_t word = slot.load();
    if (!is_on_offer(word)) continue;
    // Mapped before it is claimed: a claimed ring that only the writer process maps is one whose process
    // ended.
    auto ring = Segment::attach(ring_id_of(word), kRingSegmentBytes);
    if (ring ? !slot.compare_exchange_strong(word, word | pid) : slot.load() != word) continue;  // another's
    slot_ = place;
    return ring;
  }
  return std::nullopt;
}

// One that is on offer and cannot be mapped will not be later: there is no memory, or the writer process was
// killed.
Result<Segment> Control::claim(std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (auto pause = kShortestPause;; pause = std::min(2 * pause, kLongestPause)) {
    if (auto found = try_claim(static_cast<std::uint64_t>(::getpid()))) return std::move(*found);
    if (block().closed.load() != 0 || std::chrono::steady_clock::now() >= deadline)
      return base::failure(ErrorCode::busy, "coalescope had no room for one more process at that moment");
    std::this_thread::sleep_for(pause);
  }
}

bool Control::shares_gpu(std::string_view uuid) {
  const std::uint64_t gpu = std::uint64_t{1} << std::hash<std::string_view>()(uuid) % kGpuBits;
  auto& gpus = block().gpus;
  gpus[slot_].fetch_or(gpu);
  for (std::size_t slot = 0; slot < kMostRings; ++slot)
    if (slot != slot_ && (gpus[slot].load() & gpu) != 0) return true;
  return false;
}

void Control::clear(std::size_t slot) {
  block().gpus[slot].store(0);
  block().slots[slot].store(0);
}

void Control::offer(std::size_t slot, int ring_id) {
  block().slots[slot].store(offered_word(ring_id));
}

bool Control::is_claimed(std::size_t slot) const {
  const std::uint64_t word = block().slots[slot].load();
  return word != 0 && !is_on_offer(word);
}

void Control::close() {
  block().closed.store(1);
  for (auto& slot : block().slots) {
    std::uint64_t word = slot.load();
    if (is_on_offer(word)) slot.compare_exchange_strong(word, 0);
  }
}

}  // namespace coalescope::ring
