#include "tool/rerun.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/model/options.h"

namespace coalescope::tool {
namespace {

namespace option = model::option;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> measures(const std::vector<std::string>& environment) {
  std::vector<std::string> words;
  for (const Run& run : plan_runs(environment)) words.push_back(run.measures);
  return words;
}

TEST(Rerun, TracesFirstAndThenMeasuresOneThingARun) {
  EXPECT_THAT(measures({"HOME=/"}), ElementsAre("trace", "bytes", "lines", "traffic", "hits"));
  const auto runs = plan_runs({});
  EXPECT_EQ(runs[0].settings, (Settings{{option::kPhases, "trace"}}));
  EXPECT_EQ(runs[2].settings, (Settings{{option::kPhases, "lines"}, {option::kBudget, "none"}}));
}

TEST(Rerun, MeasuresWhatWasAskedFor) {
  EXPECT_THAT(measures({"COALESCOPE_PHASES=lines,bytes"}), ElementsAre("trace", "bytes", "lines"));
  EXPECT_THAT(measures({"COALESCOPE_PHASES=counters"}), ElementsAre("trace", "bytes", "traffic", "hits"));
  EXPECT_THAT(measures({"COALESCOPE_PHASES=trace"}), ElementsAre("trace"));
  EXPECT_FALSE(plan_runs({"COALESCOPE_BUDGET=5%"})[1].settings.contains(option::kBudget));
}

Ended ended(const std::string& what, std::optional<int> status, std::optional<int> signal = std::nullopt) {
  Ended run;
  run.run.measures = what;
  run.ending.exit_status = status;
  run.ending.signal = signal;
  return run;
}

TEST(Rerun, EndsAsTheFirstRunThatDidNotEndWell) {
  EXPECT_EQ(ending_of({ended("trace", 0), ended("bytes", 0)}).exit_status, 0);
  EXPECT_EQ(ending_of({ended("trace", 0), ended("bytes", 3), ended("lines", 4)}).exit_status, 3);
  EXPECT_EQ(ending_of({ended("trace", 0), ended("bytes", std::nullopt, 11)}).signal, 11);
  EXPECT_EQ(ending_of({ended("trace", 1), ended("bytes", 0)}).exit_status, 1);
}

TEST(Rerun, SaysWhichRunEndedOtherwise) {
  auto remarks = remarks_on({ended("trace", 1), ended("bytes", 1)}, 2);
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_EQ(remarks[0].severity, model::Severity::info);
  EXPECT_THAT(remarks[0].text, HasSubstr("2 times (measured: trace, bytes)"));
  remarks = remarks_on({ended("trace", 0), ended("bytes", 0), ended("lines", std::nullopt, 9)}, 5);
  ASSERT_EQ(remarks.size(), 3U);
  EXPECT_THAT(remarks[1].text,
              HasSubstr("Run 3 of 5 (lines) ended by signal 9, the first run with exit status 0"));
  EXPECT_THAT(remarks[2].text, HasSubstr("2 of 5 runs were not made"));
}

class StandardInput : public testing::Test {
 protected:
  StandardInput() : saved_(::dup(STDIN_FILENO)) {}
  ~StandardInput() override { ::dup2(saved_, STDIN_FILENO); }
  static void take(int descriptor) {
    ::dup2(descriptor, STDIN_FILENO);
    ::close(descriptor);
  }
  int saved_;
};

TEST_F(StandardInput, IsReadAgainFromWhereItStood) {
  std::string name = testing::TempDir() + "rerun-input-XXXXXX";
  const int file = ::mkstemp(name.data());
  ASSERT_EQ(::write(file, "abcdef", 6), 6);
  ::lseek(file, 2, SEEK_SET);
  take(file);
  const auto input = RepeatedInput::of_stdin().value();
  char first = 0;
  char second = 0;
  ASSERT_EQ(::read(STDIN_FILENO, &first, 1), 1);
  input.rewind();
  ASSERT_EQ(::read(STDIN_FILENO, &second, 1), 1);
  EXPECT_EQ(first, 'c');
  EXPECT_EQ(second, 'c');
  ::unlink(name.c_str());
}

TEST_F(StandardInput, OfADeviceIsFineAndOfAPipeIsNot) {
  take(::open("/dev/null", O_RDONLY));
  EXPECT_TRUE(RepeatedInput::of_stdin());
  std::array<int, 2> pipe_ends{};
  ASSERT_EQ(::pipe(pipe_ends.data()), 0);
  ::close(pipe_ends[1]);
  take(pipe_ends[0]);
  const auto refused = RepeatedInput::of_stdin();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, base::ErrorCode::usage);
}

}  // namespace
}  // namespace coalescope::tool
