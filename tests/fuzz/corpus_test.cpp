// Every input that is kept, in builds without a fuzzer: those that make all parts work, and those that once
// failed.

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <vector>

#include "tests/fuzz/run_input.h"

namespace coalescope::fuzz {
namespace {

TEST(Corpus, RunsThrough) {
  int inputs = 0;
  const auto corpus = std::filesystem::path(COALESCOPE_SOURCE_DIR) / "tests/fuzz/corpus";
  for (const auto& entry : std::filesystem::directory_iterator(corpus)) {
    SCOPED_TRACE(entry.path());
    std::ifstream file(entry.path(), std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    EXPECT_NO_THROW(run_input({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}));
    ++inputs;
  }
  EXPECT_GT(inputs, 10);
}

}  // namespace
}  // namespace coalescope::fuzz
