// libFuzzer's entry: tests/fuzz/README.md.

#include <cstddef>
#include <cstdint>

#include "tests/fuzz/run_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  coalescope::fuzz::run_input({data, size});
  return 0;
}
