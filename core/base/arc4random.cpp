// libstdc++ refers to this function for std::random_device, which nothing here uses, and the C library has it
// from 2.36 on only. With one of our own the programs run on systems that are a release older.
#include <cstdint>
#include <sys/random.h>

// Where the C library is older nothing else declares it. NOLINTNEXTLINE(readability-redundant-declaration)
extern "C" std::uint32_t arc4random() noexcept {
  std::uint32_t value = 0;
  while (::getrandom(&value, sizeof value, 0) != static_cast<ssize_t>(sizeof value)) {
  }
  return value;
}
