#pragma once
// One value that a child of ours writes and that we read after its end. It needs no descriptor: the caller
// may have left us none.

#include <memory>
#include <new>
#include <sys/mman.h>
#include <type_traits>

namespace coalescope::tool {

template <class Value>
class SharedMemory {
  static_assert(std::is_trivially_copyable_v<Value>);

 public:
  SharedMemory() {
    void* place = ::mmap(nullptr, sizeof(Value), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (place != MAP_FAILED) value_.reset(new (place) Value{});
  }

  // Null: no memory was left. Until a child writes to it, the value is as Value{} makes it.
  [[nodiscard]] Value* get() const { return value_.get(); }

 private:
  struct Unmap {
    void operator()(Value* value) const { ::munmap(value, sizeof(Value)); }
  };
  std::unique_ptr<Value, Unmap> value_;
};

}  // namespace coalescope::tool
