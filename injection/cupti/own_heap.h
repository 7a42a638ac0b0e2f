#pragma once
// What the injected library takes of the program's heap: its own operators new and delete count their bytes,
// and nobody else's, because the library shows none of its symbols to the program.

#include <cstddef>
#include <cstdint>

namespace coalescope::cupti {

// The most that was held at one time.
[[nodiscard]] std::int64_t own_heap_peak_bytes();

// For memory that is not taken through operator new: the heap's own size of it is counted.
void count_taken(void* memory) noexcept;
void count_given_back(void* memory) noexcept;

}  // namespace coalescope::cupti
