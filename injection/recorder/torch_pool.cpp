#include "injection/recorder/torch_pool.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <link.h>
#include <string_view>
#include <utility>

#include "injection/recorder/call_stack.h"

namespace coalescope::recorder {
namespace {

constexpr std::string_view kLibrary = "libc10_cuda.so";

struct LibraryPlace {
  std::uint64_t begin = 0, end = 0;
  unsigned long long loads = 0;  // of the process, when it was looked for
};

// Nothing was loaded since: it need not be looked for again.
int look_at_loaded(dl_phdr_info* object, std::size_t, void* argument) {
  auto& place = *static_cast<std::pair<LibraryPlace, unsigned long long>*>(argument);
  if (object->dlpi_adds == place.second) return 1;
  place.first.loads = object->dlpi_adds;
  const char* const name = std::strrchr(object->dlpi_name, '/');
  if (name == nullptr || !std::string_view(name + 1).starts_with(kLibrary)) return 0;
  for (const auto* part = object->dlpi_phdr; part != object->dlpi_phdr + object->dlpi_phnum; ++part) {
    if (part->p_type != PT_LOAD) continue;
    const std::uint64_t begin = object->dlpi_addr + part->p_vaddr;
    if (place.first.end == 0) place.first.begin = begin;
    place.first.end = begin + part->p_memsz;
  }
  return 1;
}

// PyTorch never unloads it.
LibraryPlace find_library_place() {
  static std::mutex mutex;
  static LibraryPlace known;
  const std::lock_guard lock(mutex);
  if (known.end == 0) {
    std::pair search(known, known.loads);
    ::dl_iterate_phdr(&look_at_loaded, &search);
    known = search.first;
  }
  return known;
}

}  // namespace

bool torch_pool_calls() {
  const LibraryPlace place = find_library_place();
  if (place.end == 0) return false;
  const CallStack stack = take_call_stack();
  const auto* const begin = stack.frames.begin();
  return std::any_of(begin, begin + stack.count, [place](std::uint64_t address) {
    return address >= place.begin && address < place.end;
  });
}

void TorchPool::block_taken(std::uint64_t address, std::optional<model::CallSiteId> site) {
  const std::lock_guard lock(mutex_);
  told_ = true;
  full_ = full_ || blocks_.size() >= kMostBlocks;
  if (full_)
    blocks_.clear();
  else
    blocks_.insert_or_assign(address, site);
}

void TorchPool::block_given_back(std::uint64_t address) {
  const std::lock_guard lock(mutex_);
  blocks_.erase(address);
}

std::optional<model::CallSiteId> TorchPool::site_of(std::uint64_t address, std::uint64_t segment) const {
  const std::lock_guard lock(mutex_);
  const auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) return std::nullopt;
  const auto block = std::prev(after);
  return block->first < segment ? std::nullopt : block->second;
}

bool TorchPool::was_told() const {
  const std::lock_guard lock(mutex_);
  return told_;
}

bool TorchPool::is_full() const {
  const std::lock_guard lock(mutex_);
  return full_;
}

}  // namespace coalescope::recorder
