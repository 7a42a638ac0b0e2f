// No capture makes a report take more than 1 GB: long names that many rows share, and many rows of
// everything. Each is read and shown in the formats that say most by a process that gets no more.

#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>
#include <new>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/bounds/filled_capture.h"

namespace coalescope::bounds {
namespace {

namespace fs = std::filesystem;

constexpr rlim_t kBytes = 1'000'000'000;
constexpr int kRefused = 3, kTooLarge = 4;

// How the process ended: 0 where a report was made.
int status_with_limit(const fs::path& capture) {
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit limit{kBytes, kBytes};
    ::setrlimit(RLIMIT_DATA, &limit);
    try {
      ::_exit(show(capture, Formats::largest) > 0 ? 0 : kRefused);
    } catch (const std::bad_alloc&) {
      ::_exit(kTooLarge);
    } catch (const std::exception& refusal) {
      std::fprintf(stderr, "%s\n", refusal.what());
      ::_exit(kRefused);
    }
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

class Memory : public testing::Test {
 protected:
  ~Memory() override { fs::remove(path_); }
  const fs::path path_ =
      fs::temp_directory_path() / ("coalescope-memory-" + std::to_string(::getpid()) + ".coal");
};

const std::string kMegabyte = "printf('%.*c', 1000000, 'x')";

TEST_F(Memory, OfAKernelWithALongNameAndManyShapes) {
  make_filled(path_, Shape::mixed, {20, {{"kernel_group", 8'000}}});
  change(path_,
         "UPDATE kernel SET name = " + kMegabyte + " WHERE id = 2; UPDATE kernel_group SET kernel_id = 2");
  EXPECT_LT(fs::file_size(path_), 4'000'000U);
  EXPECT_EQ(status_with_limit(path_), 0);
}

TEST_F(Memory, OfALongFileNameInManyGroups) {
  make_filled(path_, Shape::apart, {1'000, {}});
  change(path_, "UPDATE instruction SET file = NULL; UPDATE instruction SET file = " + kMegabyte +
                    ", kernel_id = 1 WHERE id = 1; UPDATE kernel_group SET kernel_id = 1;"
                    "DELETE FROM instruction_reading; INSERT INTO instruction_reading SELECT id, 1, 13, 1 "
                    "FROM phase_window");
  EXPECT_EQ(status_with_limit(path_), 0);
}

TEST_F(Memory, OfManagedMemoryFromAPlaceWithLongNames) {
  make_filled(path_, Shape::apart, {10, {{"allocation", 8'000}, {"unified_memory", 8'000}}});
  change(path_, fmt::format("UPDATE call_site SET symbol = {0}, callers = {0} WHERE id = 1;"
                            "UPDATE allocation SET call_site_id = 1, process_id = 1;"
                            "UPDATE unified_memory SET process_id = 1",
                            kMegabyte));
  EXPECT_EQ(status_with_limit(path_), 0);
}

TEST_F(Memory, OfProcessesOnAHostWithALongName) {
  make_filled(path_, Shape::apart, {1'000, {}});
  change(path_, "UPDATE process SET pid = 7, rank = NULL; UPDATE process SET host = " + kMegabyte +
                    " WHERE id = 1; UPDATE kernel_group SET process_id = 1 + id % 2;"
                    "UPDATE transfer SET process_id = 1");
  EXPECT_EQ(status_with_limit(path_), 0);
}

TEST_F(Memory, OfManyRowsOfEverything) {
  for (const Shape shape : {Shape::apart, Shape::alike, Shape::mixed}) {
    make_filled(path_, shape, {2'000, {}});
    EXPECT_EQ(status_with_limit(path_), 0) << static_cast<int>(shape);
  }
}

}  // namespace
}  // namespace coalescope::bounds
