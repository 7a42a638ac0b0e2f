#pragma once
// A table that each thread has for itself, so that a launch takes no lock. It lies on the heap: a library's
// thread-local variables cost every thread memory that reads one of them, and glibc ends the program that has
// none left.

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <pthread.h>
#include <type_traits>

namespace coalescope::recorder {

// One table per type of entry. An entry has several places, so that two that are used in turn both stay.
template <typename Entry, std::size_t kCount, std::size_t kPlaces = 2>
class ThreadTable {
  static_assert(std::is_trivially_destructible_v<Entry> && kCount % kPlaces == 0);
  struct Entries {
    alignas(64) std::array<Entry, kCount> all{};  // the places of a small entry in one cache line
    std::size_t replaced = 0;
  };

 public:
  // The entry with this hash that `is_it` takes, or one that it may replace; nullptr: there is no memory for
  // a table.
  template <class IsIt>
  [[nodiscard]] static Entry* find(std::uint64_t hash, IsIt&& is_it) {
    if (own == nullptr) make();
    if (own == nullptr) return nullptr;
    Entry* const places = &own->all[hash % (kCount / kPlaces) * kPlaces];
    for (Entry* each = places; each != places + kPlaces; ++each)
      if (is_it(*each)) return each;
    return places + ++own->replaced % kPlaces;
  }

 private:
  // A thread may launch while its variables are destroyed: then it gets a new table, and the key's destructor
  // is called once more.
  static void make() {
    static const Key kKey;
    if (!kKey.is_made) return;
    auto* const entries = new (std::nothrow) Entries;
    if (entries == nullptr) return;
    if (pthread_setspecific(kKey.key, entries) == 0) {
      own = entries;
    } else {
      delete entries;
    }
  }

  struct Key {
    Key() : is_made(pthread_key_create(&key, &ThreadTable::destroy) == 0) {}
    pthread_key_t key{};
    bool is_made;
  };

  static void destroy(void* entries) {
    own = nullptr;
    delete static_cast<Entries*>(entries);
  }

  static inline thread_local Entries* own = nullptr;
};

}  // namespace coalescope::recorder
