// A library that somebody else preloads: it speaks at the start of every program.
#include <cstdio>

namespace {

[[gnu::constructor]] void speak() {
  std::fputs("another preloaded library\n", stderr);
}

}  // namespace
