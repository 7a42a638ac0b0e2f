#include "tests/golden/committed_test.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

namespace coalescope::golden {

void expect_committed(const std::filesystem::path& golden, const std::string& actual) {
  if (std::getenv("COALESCOPE_UPDATE_GOLDEN")) {
    std::filesystem::create_directories(golden.parent_path());
    std::ofstream(golden, std::ios::binary) << actual;
    return;
  }
  ASSERT_TRUE(std::filesystem::exists(golden))
      << golden << " is missing: run scripts/update_golden and read what it wrote";
  std::ifstream file(golden, std::ios::binary);
  const std::string committed(std::istreambuf_iterator<char>(file), {});
  EXPECT_EQ(actual, committed) << "if this is what you meant: scripts/update_golden";
}

}  // namespace coalescope::golden
