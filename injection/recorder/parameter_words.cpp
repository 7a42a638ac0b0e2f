#include "injection/recorder/parameter_words.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tuple>
#include <utility>

#include "core/base/mixed.h"
#include "injection/recorder/instance_number.h"
#include "injection/recorder/xxh3.h"

namespace coalescope::recorder {
namespace {

// Lists of tensors that one launch works on fill four kilobytes. What lies beyond is not looked at.
constexpr std::size_t kMostBytes = 4096;
constexpr std::size_t kMostNamed = 2;  // differences
// Longer values are faster to hash with a library.
constexpr std::size_t kFewBytes = 64;
constexpr std::size_t kMostNumbers = 64;

// Where drivers map nearly all memory on 64-bit Linux. Two numbers side by side may look like the rest.
constexpr std::uint64_t kLeastAddress = std::uint64_t{0x7000} << 32,
                        kMostAddress = std::uint64_t{0x8000} << 32;

// Bits that say of a pointer whether it leads to memory of the host: of the first 64.
constexpr std::size_t kWordBits = 32, kMemoryWords = 2;

std::uint64_t pair_at(const std::vector<std::uint32_t>& words, std::size_t low) {
  return words[low] | std::uint64_t{words[low + 1]} << 32;
}

std::size_t words_for(const std::vector<ParameterPlace>& places, std::size_t word_bytes) {
  std::size_t bytes = 0;
  for (const ParameterPlace& place : places) bytes = std::max(bytes, place.offset + place.bytes);
  return (std::min(bytes, kMostBytes) + word_bytes - 1) / word_bytes;
}

}  // namespace

std::uint64_t layout_of(const std::vector<ParameterPlace>& places) {
  std::uint64_t layout = places.size() + 1;
  for (const ParameterPlace& place : places) layout = base::mixed(layout, place.offset << 32 | place.bytes);
  return layout == 0 ? 1 : layout;
}

ParameterWords::ParameterWords(std::vector<ParameterPlace> places, const HostMemory& host_memory)
    : places_(std::move(places)),
      host_memory_(host_memory),
      given_(words_for(places_, kWordBytes)),
      words_(given_ + kMemoryWords + 1),
      seen_(words_.size()) {
  seen_.back().left_out = true;
  find_runs();
}

void ParameterWords::use_call_sites() {
  seen_.back() = {};
  for (Words& each : known_) each.back() = 0;
  last_ = -1;
  find_runs();
}

int ParameterWords::variant_of(const LaunchInfo& launch, std::optional<model::CallSiteId> call_site) {
  read(launch, call_site);
  if (last_ >= 0 && same(words_, known_[static_cast<std::size_t>(last_)])) return last_;
  last_ = find(words_);
  if (last_ < 0) last_ = learn();
  return last_;
}

std::uint64_t ParameterWords::key_of(const LaunchInfo& launch,
                                     std::optional<model::CallSiteId> call_site) const {
  const Telling& telling = *telling_.load(std::memory_order_acquire);
  std::uint64_t key = base::mixed(telling.number, host_memory_.changes());
  if (telling.call_site && call_site) key = base::mixed(key, static_cast<std::uint64_t>(call_site->value));
  for (const auto& [parameter, skipped, place, bytes] : telling.pieces)
    if (const void* const value = launch.part(parameter, skipped, place, bytes))
      key = bytes <= kFewBytes ? base::mixed(key, value, bytes) : XXH3_64bits_withSeed(value, bytes, key);
  return key;
}

void ParameterWords::read(const LaunchInfo& launch, std::optional<model::CallSiteId> call_site) {
  auto* const image = reinterpret_cast<std::byte*>(words_.data());
  for (const auto& [parameter, skipped, place, bytes] : all_telling_.back().pieces)
    if (const void* const value = launch.part(parameter, skipped, place, bytes))
      std::memcpy(image + place, value, bytes);
  if (memory_tells()) read_memory();
  words_.back() = call_site ? static_cast<Word>(call_site->value) : 0;
}

// By the value alone: a pointer may lie inside of a structure.
void ParameterWords::read_memory() {
  std::fill_n(words_.begin() + static_cast<std::ptrdiff_t>(given_), kMemoryWords, 0);
  for (std::size_t i = 0; i + 1 < given_ && i / 2 < kMemoryWords * kWordBits; i += 2)
    if (host_memory_.holds(pair_at(words_, i)))
      words_[given_ + i / 2 / kWordBits] |= Word{1} << i / 2 % kWordBits;
}

// Most differ in their first words: this is faster than any hash.
bool ParameterWords::same(const Words& one, const Words& other) const {
  return std::all_of(runs_.begin(), runs_.end(), [&](const Run& run) {
    return std::memcmp(&one[run.first], &other[run.first], (run.last - run.first) * kWordBytes) == 0;
  });
}

int ParameterWords::find(const Words& words) const {
  const auto found =
      std::find_if(known_.begin(), known_.end(), [&](const Words& each) { return same(each, words); });
  return found == known_.end() ? -1 : static_cast<int>(found - known_.begin());
}

int ParameterWords::learn() {
  bool changed = false;
  ++learned_;
  for (const auto& [first, last] : runs_)
    for (std::size_t i = first; i < last; ++i) {
      auto& [values, count, left_out, newest] = seen_[i];
      if (std::find(values.begin(), values.begin() + count, words_[i]) != values.begin() + count) continue;
      newest = learned_;
      const bool many = count == kMostValues;
      changed = changed || many;
      if (many)
        leave_out(i);
      else if (!left_out)
        values[count++] = words_[i];
    }
  if (changed) find_runs();
  int variant = find(words_);
  // Those that have become one with others keep their numbers.
  while (variant < 0 && (distinct() == kMostVariants || known_.size() == kMostNumbers)) {
    leave_out_the_busiest();
    variant = find(words_);
  }
  if (variant >= 0) return variant;
  known_.push_back(words_);
  return variants() - 1;
}

int ParameterWords::distinct() const {
  int distinct = 0;
  for (int i = 0; i < variants(); ++i)
    if (first_like(i) == i) ++distinct;
  return distinct;
}

int ParameterWords::first_like(int variant) const {
  return find(known_[static_cast<std::size_t>(variant)]);
}

bool ParameterWords::is_pointer(const Words& words, std::size_t word) const {
  const std::size_t low = word / 2 * 2;
  if (low + 1 >= given_) return false;
  const std::uint64_t value = pair_at(words, low);
  return value >= kLeastAddress && value < kMostAddress;
}

bool ParameterWords::leads_to_host(const Words& words, std::size_t word) const {
  const std::size_t pair = word / 2;
  return pair < kMemoryWords * kWordBits && (words[given_ + pair / kWordBits] >> pair % kWordBits & 1) != 0;
}

// Where a pointer leads says less than how far apart its rows are. Of words with as many values the one that
// got its last value latest goes: sizes have all of theirs after one step of a program, addresses inside of
// descriptors, which do not look like pointers, go on. Several words hold one size, and it would need all of
// them to go before the launches that differ in nothing else become one.
void ParameterWords::leave_out_the_busiest() {
  std::size_t busiest = 0;
  std::tuple<bool, std::size_t, std::size_t> most{false, 0, 0};
  for (const auto& [first, last] : runs_)
    for (std::size_t i = first; i < last; ++i) {
      const std::tuple rank{is_pointer(words_, i) && seen_[i].count > 1, std::size_t{seen_[i].count},
                            seen_[i].newest};
      if (rank <= most) continue;
      most = rank;
      busiest = i;
    }
  leave_out(busiest);
  find_runs();
}

// Both halves of a pointer: the upper one says no more than the lower one.
void ParameterWords::leave_out(std::size_t word) {
  seen_[word].left_out = true;
  if (is_pointer(words_, word)) seen_[word ^ 1].left_out = true;
}

void ParameterWords::find_runs() {
  runs_.clear();
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    if (seen_[i].left_out) continue;
    if (!runs_.empty() && runs_.back().last == i)
      ++runs_.back().last;
    else
      runs_.push_back({i, i + 1});
  }
  all_telling_.push_back({next_instance_number(), pieces(), !seen_.back().left_out});
  telling_.store(&all_telling_.back(), std::memory_order_release);
}

bool ParameterWords::memory_tells() const {
  return std::any_of(seen_.begin() + static_cast<std::ptrdiff_t>(given_), seen_.end() - 1,
                     [](const Seen& each) { return !each.left_out; });
}

// A list of tensors is mostly addresses, which are soon left out: copying them again for each launch would be
// most of what a launch costs. Pointers are copied whole.
std::vector<ParameterWords::Piece> ParameterWords::pieces() const {
  std::vector<bool> wanted(given_ + 1, false);
  if (memory_tells()) std::fill_n(wanted.begin(), std::min(given_, 2 * kMemoryWords * kWordBits), true);
  for (const auto& [first, last] : runs_)
    for (std::size_t i = first / 2 * 2; i < std::min((last + 1) / 2 * 2, given_); ++i) wanted[i] = true;
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const std::size_t begin = places_[i].offset,
                      end = std::min(begin + places_[i].bytes, given_ * kWordBytes);
    for (std::size_t at = begin; at < end;) {
      const std::size_t word = at / kWordBytes, next = std::min(end, (word + 1) * kWordBytes);
      const auto size = static_cast<std::uint32_t>(next - at);
      const bool goes_on =
          !pieces.empty() && pieces.back().parameter == i && pieces.back().place + pieces.back().bytes == at;
      if (wanted[word] && goes_on) pieces.back().bytes += size;
      if (wanted[word] && !goes_on)
        pieces.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(at - begin),
                          static_cast<std::uint32_t>(at), size});
      at = next;
    }
  }
  return pieces;
}

// A word that was left out before it had four values is not followed any more.
std::vector<model::ParameterValues> ParameterWords::values() const {
  static_assert(model::ParameterValues::kMost == kMostValues);
  std::vector<model::ParameterValues> found;
  if (known_.empty()) return found;
  for (std::size_t p = 0; p < places_.size(); ++p) {
    const auto [offset, bytes] = places_[p];
    const std::size_t end = std::min((offset + bytes) / kWordBytes, given_);
    for (std::size_t at = (offset + kWordBytes - 1) / kWordBytes; at < end; ++at) {
      const bool pointer = at % 2 == 0 && at + 1 < end && is_pointer(known_.front(), at);
      if (const auto values = values_at(at, pointer)) {
        found.push_back(*values);
        found.back().parameter = static_cast<std::int64_t>(p);
        found.back().byte = static_cast<std::int64_t>(at * kWordBytes - offset);
      }
      if (pointer) ++at;
    }
  }
  return found;
}

std::optional<model::ParameterValues> ParameterWords::values_at(std::size_t word, bool pointer) const {
  const auto& [values, count, left_out, newest] = seen_[word];
  const bool followed = !left_out || count == kMostValues;
  if (count == 0 || !followed || (!pointer && count == 1)) return std::nullopt;
  model::ParameterValues found{.different = count};
  const auto [least, most] = std::minmax_element(values.begin(), values.begin() + count);
  if (pointer) found.span_bytes = std::int64_t{*most} - std::int64_t{*least};
  return found;
}

std::string ParameterWords::difference(std::size_t parameter, std::size_t word, const Words& one,
                                       const Words& other) const {
  const std::string name = fmt::format("parameter {}", parameter);
  if (leads_to_host(one, word) != leads_to_host(other, word))
    return name + (leads_to_host(one, word) ? ": memory of the host" : ": memory of the GPU");
  if (is_pointer(one, word)) return name + ": another pointer";
  const auto [offset, bytes] = places_[parameter];
  const std::string place = bytes > kWordBytes ? fmt::format(" byte {}", word * kWordBytes - offset) : "";
  return fmt::format("{}{}: {}, not {}", name, place, static_cast<std::int32_t>(one[word]),
                     static_cast<std::int32_t>(other[word]));
}

std::string ParameterWords::difference(int variant, int from) const {
  const Words& one = known_[static_cast<std::size_t>(variant)];
  const Words& other = known_[static_cast<std::size_t>(from)];
  std::vector<std::string> memory, rest;
  for (std::size_t p = 0; p < places_.size(); ++p) {
    const std::size_t end = std::min((places_[p].offset + places_[p].bytes) / kWordBytes, given_);
    for (std::size_t i = places_[p].offset / kWordBytes; i < end; ++i) {
      const bool in_memory = leads_to_host(one, i) != leads_to_host(other, i);
      if (!in_memory && (seen_[i].left_out || one[i] == other[i])) continue;
      (in_memory ? memory : rest).push_back(difference(p, i, one, other));
      if (in_memory || is_pointer(one, i)) i = i / 2 * 2 + 1;
    }
  }
  if (!seen_.back().left_out && one.back() != other.back()) rest.emplace_back("another call site");
  // Memory says most.
  memory.insert(memory.end(), rest.begin(), rest.end());
  const bool more = memory.size() > kMostNamed;
  memory.resize(std::min(memory.size(), kMostNamed));
  return fmt::format("{}{}", fmt::join(memory, ", "), more ? ", ..." : "");
}

}  // namespace coalescope::recorder
