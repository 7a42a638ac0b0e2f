// A report of twice as many rows takes about twice as long: of each table alone beside some rows of the
// others, and of all tables at once. Processor time is compared with itself, the best of a few attempts; what
// grows with the square takes four times as long, however busy the machine is.

#include <ctime>
#include <gtest/gtest.h>
#include <limits>
#include <malloc.h>
#include <unistd.h>

#include "core/capture/schema.h"
#include "tests/bounds/filled_capture.h"

namespace coalescope::bounds {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kOthers = 30;     // rows of the other tables
constexpr std::int64_t kRows = 2'000;    // of one table
constexpr std::int64_t kOfEach = 500;    // of all tables at once
constexpr double kMostGrowth = 2.9;      // n log n of twice as much is 2.2
constexpr double kTooFastToTell = 0.05;  // s: with twice the rows
constexpr int kAttempts = 8;

double processor_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double seconds_for(const fs::path& capture) {
  const double began = processor_seconds();
  (void)show(capture, Formats::all);
  return processor_seconds() - began;
}

class Growth : public testing::TestWithParam<Shape> {
 protected:
  // Memory stays with the process: what the kernel takes to give large blocks anew depends on its machine.
  Growth() {
    ::mallopt(M_MMAP_MAX, 0);
    ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  }
  ~Growth() override {
    fs::remove(some_);
    fs::remove(twice_);
  }
  void expect_in_proportion(const Rows& some, const Rows& twice, std::string_view what) {
    make_filled(some_, GetParam(), some);
    make_filled(twice_, GetParam(), twice);
    double least_some = 1e9, least_twice = 1e9;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      least_twice = std::min(least_twice, seconds_for(twice_));
      if (least_twice < kTooFastToTell) return;
      least_some = std::min(least_some, seconds_for(some_));
      if (least_twice < kMostGrowth * least_some) return;
    }
    ADD_FAILURE() << what << ": " << least_some << " s, with twice the rows " << least_twice << " s";
  }

 private:
  const std::string name_ = (fs::temp_directory_path() / ("coalescope-growth-" + std::to_string(::getpid())));
  const fs::path some_ = name_ + "-1.coal", twice_ = name_ + "-2.coal";
};

TEST_P(Growth, OfEachTable) {
  for (const auto& table : capture::tables()) {
    const Rows some{kOthers, {{table.name, kRows}}}, twice{kOthers, {{table.name, 2 * kRows}}};
    expect_in_proportion(some, twice, table.name);
  }
}

TEST_P(Growth, OfAllTables) {
  expect_in_proportion({kOfEach, {}}, {2 * kOfEach, {}}, "all tables");
}

INSTANTIATE_TEST_SUITE_P(Shapes, Growth, testing::Values(Shape::apart, Shape::alike, Shape::mixed),
                         [](const auto& test) {
                           return std::string(test.param == Shape::apart   ? "apart"
                                              : test.param == Shape::alike ? "alike"
                                                                           : "mixed");
                         });

}  // namespace
}  // namespace coalescope::bounds
