// A program whose calls are looked up: it prints where those in it lie, as offsets from where it begins in
// memory. The tests know the lines by their marks.

#include <cstdio>
#include <dlfcn.h>

extern "C" __attribute__((noinline)) void say_where(const char* what) {
  const auto* call = static_cast<const char*>(__builtin_return_address(0)) - 1;
  Dl_info info{};
  if (::dladdr(call, &info) == 0) return;
  std::printf("%s %tx\n", what, call - static_cast<const char*>(info.dli_fbase));
}

namespace places {
namespace {

int calls = 0;

// What follows the call keeps it from being the function's last, which would be a jump.
inline __attribute__((always_inline)) void innermost(const char* what) {
  say_where(what);  // mark: innermost
  ++calls;
}

struct Middle {
  static inline __attribute__((always_inline)) void call() {
    innermost("inlined");  // mark: middle
  }
};

__attribute__((noinline)) void hidden() {
  say_where("hidden");  // mark: hidden
  ++calls;
}

// Inlined everywhere, and what is in it is not: debug information has that inside of a function without code.
inline __attribute__((always_inline)) void local() {
  const auto lambda = []() __attribute__((noinline)) {
    innermost("lambda");  // mark: lambda
  };
  lambda();
}

}  // namespace

__attribute__((noinline)) void outermost() {
  Middle::call();  // mark: outermost
  ++calls;
}

template <int number>
__attribute__((noinline)) void copy() {
  say_where("template");  // mark: template
  calls += number;
}

}  // namespace places

int main() {
  places::outermost();
  places::hidden();
  places::copy<3>();
  places::local();
  return places::calls == 7 ? 0 : 1;
}
