#include "injection/cupti/own_heap.h"

#include <atomic>
#include <cstdlib>
#include <malloc.h>
#include <new>

namespace coalescope::cupti {
namespace {

std::atomic<std::int64_t> held_bytes{0};
std::atomic<std::int64_t> peak_bytes{0};

std::int64_t size_of(void* memory) {
  return static_cast<std::int64_t>(::malloc_usable_size(memory));
}

}  // namespace

std::int64_t own_heap_peak_bytes() {
  return peak_bytes.load(std::memory_order_relaxed);
}

void count_taken(void* memory) noexcept {
  const std::int64_t bytes = size_of(memory);
  const std::int64_t held = held_bytes.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  std::int64_t peak = peak_bytes.load(std::memory_order_relaxed);
  while (held > peak && !peak_bytes.compare_exchange_weak(peak, held, std::memory_order_relaxed)) {
  }
}

void count_given_back(void* memory) noexcept {
  if (memory != nullptr) held_bytes.fetch_sub(size_of(memory), std::memory_order_relaxed);
}

}  // namespace coalescope::cupti

// The other forms, but for those of over-aligned types, of which the recorder has none, call these. The one
// that does not throw is here for sanitizers, whose own would be freed by the operator below.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  void* const memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (memory != nullptr) coalescope::cupti::count_taken(memory);
  return memory;
}

void* operator new(std::size_t bytes) {
  void* const memory = operator new(bytes, std::nothrow);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void operator delete(void* memory) noexcept {
  coalescope::cupti::count_given_back(memory);
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
  operator delete(memory);
}
